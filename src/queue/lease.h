#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "queue/dead_letters.h"
#include "queue/retry.h"
#include "queue/task.h"

// The fence: what the holder of a lease may do. Each call locks only the task's row, which nobody but its holder or a
// rescuer writes while it runs, and changes nothing when the lease is no longer valid.
namespace lade::queue {

// The transaction that publishes a task's result: its first statement consumes the lease, then come the caller's
// writes on the same connection, and commit() counts the task as ended and commits all of it or nothing.
class Publication {
 public:
  // Fails with lease_lost, and then nothing is open. `committed`, if given, becomes true with the commit.
  static Result<Publication> begin(db::Connection& connection, const Lease& lease, Now now = {},
                                   std::atomic<bool>* committed = nullptr);
  // db_lost leaves it unknown whether the database has committed; was_published() knows.
  Result<void> commit();
  // As does the destructor: the task is as it was before begin().
  Result<void> rollback() { return transaction_.rollback(); }

 private:
  Publication(db::Connection& connection, db::Transaction transaction, std::int64_t stage, Now now,
              std::atomic<bool>* committed)
      : connection_(connection),
        transaction_(std::move(transaction)),
        stage_(stage),
        now_(now),
        committed_(committed) {}

  db::Connection& connection_;
  db::Transaction transaction_;
  std::int64_t stage_;
  Now now_;
  std::atomic<bool>* committed_;
};

// Whether the task succeeded under this very lease. Waits for a publication that is just committing.
Result<bool> was_published(db::Connection& connection, const Lease& lease);

struct Completion {
  std::int64_t completed = 0;
  std::vector<std::int64_t> stale = {};  // ids of tasks whose lease was lost; their results count for nothing
};
// Ends tasks that have nothing to publish, in one transaction. May be repeated when its outcome is unknown.
Result<Completion> complete(db::Connection& connection, std::span<const Lease> leases, Now now = {});

// Stores how far the work has come, in the caller's transaction when there is one, and allows it `deadline` more time.
Result<void> save_progress(db::Connection& connection, const Lease& lease, std::string_view progress, Duration deadline,
                           Now now = {});

// Allows the work `deadline` from now.
Result<void> extend_deadline(db::Connection& connection, const Lease& lease, Duration deadline, Now now = {});

// Gives the task back as if it had not been claimed. Fails with lease_lost.
Result<void> give_back(db::Connection& connection, const Lease& lease, Duration delay = Duration(0), Now now = {});

enum class FailureEnd {
  retrying,   // pending again, after a delay
  dead,       // a dead letter
  cancelled,  // its group was cancelled
  published,  // it had succeeded: the answer to its COMMIT was lost
  lost,       // the lease was lost; nothing was written
};
// Ends a run that did not succeed. An outage costs no attempt. `on_death` runs in the transaction that makes the task a
// dead letter.
Result<FailureEnd> fail_task(db::Connection& connection, const Lease& lease, const Error& error,
                             const RetryPolicy& policy, const DeathHook& on_death = {}, Now now = {});
// Makes the task a dead letter at once.
Result<FailureEnd> refuse_task(db::Connection& connection, const Lease& lease, const Error& error,
                               const DeathHook& on_death = {}, Now now = {});

}  // namespace lade::queue
