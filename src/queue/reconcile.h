#pragma once

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "queue/rescue.h"
#include "queue/task.h"

namespace lade::queue {

// What identifies a lease within one process: task and nonce.
using LeaseKey = std::pair<std::int64_t, std::int64_t>;
inline LeaseKey key_of(const Lease& lease) {
  return {lease.task, lease.nonce};
}

// Where the process and the database disagree about the leases of a node.
struct Disagreement {
  std::set<LeaseKey> lost = {};        // held here, not granted there: the work must stop
  std::vector<Lease> unknown = {};     // granted there, not held here in two looks: to be given back
  std::set<LeaseKey> suspicious = {};  // the same in this look only; a claim may be on its way
};

// `held_before` and `held_after` are the process's leases before and after the database was asked for `granted`;
// `suspicious` comes from the look before.
Disagreement compare(const std::set<LeaseKey>& held_before, std::span<const GrantedLease> granted,
                     const std::set<LeaseKey>& held_after, const std::set<LeaseKey>& suspicious);

}  // namespace lade::queue
