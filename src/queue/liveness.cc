#include "queue/liveness.h"

namespace lade::queue {

std::vector<NodeRow> Liveness::observe(std::span<const NodeRow> nodes, Time now) {
  std::map<std::string, Sighting> seen;
  std::vector<NodeRow> dead;
  for (const NodeRow& node : nodes) {
    const auto before = sightings_.find(node.boot);
    const bool unchanged = before != sightings_.end() && before->second.beat == node.beat;
    Sighting& sighting = seen[node.boot];
    sighting = unchanged ? before->second : Sighting{node.beat, now, 0};
    ++sighting.count;
    if (sighting.count >= observations_ && now - sighting.first >= silence_) dead.push_back(node);
  }
  sightings_ = std::move(seen);
  return dead;
}

std::vector<Lease> OverdueWatch::observe(std::span<const OverdueLease> overdue, Liveness::Time now) {
  std::vector<Lease> found;
  decltype(since_) since;
  for (const auto& [lease, deadline] : overdue) {
    const std::tuple key(lease.task, lease.nonce, deadline);
    const auto before = since_.find(key);
    const Liveness::Time first = before == since_.end() ? now : before->second;
    since.emplace(key, first);
    if (now - first >= grace_) found.push_back(lease);
  }
  since_ = std::move(since);
  return found;
}

}  // namespace lade::queue
