#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "queue/rescue.h"

namespace lade::queue {

// Judges which nodes are dead, by their beats and the observer's own monotonic clock alone: no clock of another machine
// matters. A node is dead when it showed the same beat in at least `observations` looks in a row that span at least
// `silence`. A look that failed forgets everything: after an outage of the database nobody is dead. Not thread-safe.
class Liveness {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Liveness(Duration silence, int observations = 5) : silence_(silence), observations_(observations) {}

  // What was seen at `now`. Gives the nodes that are dead, with the beat they stopped at; again with every look until
  // they are gone.
  std::vector<NodeRow> observe(std::span<const NodeRow> nodes, Time now);
  void forget() { sightings_.clear(); }

 private:
  struct Sighting {
    std::int64_t beat = 0;
    Time first;
    int count = 0;
  };
  Duration silence_;
  int observations_;
  std::map<std::string, Sighting> sightings_;
};

// Judges which leases are really past their deadlines. These are times of the database, whose clock may have been set
// forward: a holder that lives then puts them right with its next beat. So only those count that were past the same
// deadline in every look for `grace` by the observer's own clock. Not thread-safe.
class OverdueWatch {
 public:
  explicit OverdueWatch(Duration grace) : grace_(grace) {}
  std::vector<Lease> observe(std::span<const OverdueLease> overdue, Liveness::Time now);
  void forget() { since_.clear(); }

 private:
  Duration grace_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Liveness::Time> since_;  // by task, nonce, deadline
};

}  // namespace lade::queue
