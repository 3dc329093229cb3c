#include "queue/reconcile.h"

namespace lade::queue {

Disagreement compare(const std::set<LeaseKey>& held_before, std::span<const GrantedLease> granted,
                     const std::set<LeaseKey>& held_after, const std::set<LeaseKey>& suspicious) {
  Disagreement found;
  found.lost = held_before;
  for (const GrantedLease& grant : granted) {
    const LeaseKey key = key_of(grant.lease);
    found.lost.erase(key);
    if (held_before.contains(key) || held_after.contains(key)) continue;
    if (suspicious.contains(key)) {
      found.unknown.push_back(grant.lease);
    } else {
      found.suspicious.insert(key);
    }
  }
  return found;
}

}  // namespace lade::queue
