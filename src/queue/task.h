#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The nouns of the queue. A task belongs to a queue and has a kind (who runs it); it may belong to a group (what is
// paused, resumed and cancelled together) and to a stage of that group (what is waited for together).
namespace lade::queue {

using Duration = std::chrono::microseconds;

// Microseconds since 1970. Every call that needs the time takes it as its last parameter; nullopt, the normal case,
// means what the database's clock says when the statement runs, so nodes need not agree about the time.
using Now = std::optional<std::int64_t>;

constexpr std::int64_t kDefaultPriority = 100;

struct NewTask {
  std::string kind;
  std::string payload = {};
  std::string queue = "default";
  std::string group = {};                    // empty: none
  std::int64_t stage = 0;                    // 0: none; a stage's tasks have the stage's group
  std::int64_t priority = kDefaultPriority;  // lower first
  std::string storage = {};                  // only nodes on this storage may run it; empty: any
  std::string unique_key = {};               // at most one pending or running task has it; empty: no such promise
  Duration delay{0};                         // not claimed earlier
  bool essential = false;                    // cancelling its group leaves it alone, as it does with finalisers
  std::int64_t company = 1;
};

// The right to work on a task and to publish its result. It ends with the task's completion or failure, or when the
// database gives the task to somebody else: then every call that carries it fails with lease_lost and writes nothing.
struct Lease {
  std::int64_t task = 0;
  std::string node = {};   // boot id of the process
  std::int64_t epoch = 0;  // how often the task was claimed
  std::int64_t nonce = 0;  // random, one per claim
  bool operator==(const Lease&) const = default;
};

// A claimed task.
struct Task {
  Lease lease = {};
  std::string kind = {};
  std::string payload = {};
  std::string queue = {};
  std::string group = {};
  std::int64_t stage = 0;
  std::int64_t priority = kDefaultPriority;
  std::int64_t turn = 0;      // place in the order of its priority, shared fairly between groups
  std::int64_t attempts = 0;  // failures so far
  std::int64_t crashes = 0;   // deaths of the process while the task ran alone in it
  bool alone = false;         // must be the only task of its process
  std::string progress = {};  // as save_progress() stored it last; survives retries
};

}  // namespace lade::queue
