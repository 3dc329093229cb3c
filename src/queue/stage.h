#pragma once

#include <cstdint>
#include <string>

#include "db/connection.h"
#include "queue/task.h"

// Tasks that are waited for together. A stage counts its open tasks; the counter changes only in the transactions that
// enqueue and end tasks. Whoever ends the last task of a sealed stage enqueues its finaliser in the same transaction.
namespace lade::queue {

struct NewStage {
  std::string group = {};
  std::string name = {};
  NewTask then = {};  // the finaliser; without a kind there is none. Its group is the stage's
};

struct Stage {
  std::int64_t id = 0;
  std::int64_t total = 0;
  std::int64_t open = 0;    // pending and running
  std::int64_t failed = 0;  // dead
  std::int64_t cancelled = 0;
  bool sealed = false;         // no further tasks are promised
  std::int64_t finaliser = 0;  // the finaliser's id; -1 when the stage has ended and has none; 0 before
  bool finished() const { return finaliser != 0; }
};

// How a task of a stage ended.
enum class Ending { succeeded, failed, cancelled };

// Makes the stage, or gives the id of the one that the group has under this name.
Result<std::int64_t> open_stage(db::Connection& connection, const NewStage& stage);
// Says that all tasks are enqueued (a running task of the stage may still add some). Finalises an empty stage.
Result<void> seal_stage(db::Connection& connection, std::int64_t stage, Now now = {});
Result<Stage> read_stage(db::Connection& connection, std::int64_t stage);
Result<Stage> find_stage(db::Connection& connection, const std::string& group, const std::string& name);

// Whether the task is the finaliser that its stage waits for: one that was sent out before a retry is not.
Result<bool> is_finaliser(db::Connection& connection, std::int64_t task);

// For enqueue(): `count` further open tasks.
Result<void> add_to_stage(db::Connection& connection, std::int64_t stage, std::int64_t count);
// For whoever ends tasks, as the last statements of the transaction and in the order of the stages' ids.
Result<void> end_in_stage(db::Connection& connection, std::int64_t stage, Ending ending, std::int64_t count, Now now);
// For retries: `count` ended tasks are open again, and the stage will be finalised once more. A finaliser that is out
// already is no longer the stage's: before it publishes it compares Stage::finaliser with its own id.
Result<void> reopen_stage(db::Connection& connection, std::int64_t stage, Ending was, std::int64_t count);

// Compares each unfinished stage with its tasks, corrects wrong counters and enqueues missing finalisers. Gives the
// number of stages that needed it, 0 unless somebody changed the tables by hand.
Result<std::int64_t> reconcile_stages(db::Connection& connection, Now now = {});

}  // namespace lade::queue
