#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "db/migrations.h"

// The history of batches: what people did to them, and what became of their jobs and row tasks. Append-only: the
// database refuses to change or delete a line, also when the batch itself is deleted.
namespace lade::store {

// What happens to a batch; the names are those that seed G's clients know.
namespace batch_event {
constexpr std::string_view kCreated = "BATCH_CREATED";
constexpr std::string_view kPaused = "BATCH_PAUSED";
constexpr std::string_view kResumed = "BATCH_RESUMED";
constexpr std::string_view kCancelled = "BATCH_CANCELLED";
constexpr std::string_view kRetried = "BATCH_RETRIED";
constexpr std::string_view kCompleted = "BATCH_COMPLETED";
constexpr std::string_view kFinalized = "BATCH_FINALIZED";
constexpr std::string_view kApproved = "BATCH_APPROVED";
constexpr std::string_view kRejected = "BATCH_REJECTED";
constexpr std::string_view kDeleted = "BATCH_DELETED";
constexpr std::string_view kIngested = "MANIFEST_INGEST_SUCCEEDED";
constexpr std::string_view kIngestFailed = "MANIFEST_INGEST_FAILED";
constexpr std::string_view kJobSucceeded = "JOB_SUCCEEDED";
constexpr std::string_view kJobFailed = "JOB_FAILED";
constexpr std::string_view kJobCancelled = "JOB_CANCELLED";
constexpr std::string_view kTaskRetryScheduled = "TASK_RETRY_SCHEDULED";
constexpr std::string_view kTaskMarkedRetryable = "TASK_MARKED_RETRYABLE";
}  // namespace batch_event

struct NewBatchEvent {
  std::int64_t batch = 0;
  std::string_view type;
  std::string actor = {};          // who; empty: lade itself
  std::string data = "{}";         // JSON
  std::string ref_type = "batch";  // batch, job, task
  std::string ref_id = {};         // UUID of the batch or job, reference of the task; empty: the batch's UUID
};
// In the caller's transaction when there is one. Nothing is written when there is no such batch.
Result<void> append_batch_event(db::Connection& connection, const NewBatchEvent& event);

struct BatchEvent {
  std::int64_t id = 0;
  std::string ref_type;
  std::string ref_id;
  std::string type;
  std::string actor;
  std::string data;
  std::string created_at;
};
// Of the batch with this UUID, in the order in which they were written, with ids above `after`.
Result<std::vector<BatchEvent>> batch_events(db::Connection& connection, const std::string& batch,
                                             std::int64_t after = 0, std::int64_t limit = 1000);

// What an event of a job means to its batch, in the transaction of that event: its plan, its end, and with the last
// job's end that of the batch, with its totals. Two jobs that end at once wait for each other, so one of them is last.
Result<void> tell_batch(db::Connection& connection, std::int64_t batch, std::int64_t job, std::string_view kind);

// Something about a page of a job, which is a row task of the job's batch; nothing is written when it has none.
struct PageEvent {
  std::int64_t job = 0;
  std::int64_t row = 0;
  std::string_view type;
  std::string data = "{}";
};
Result<void> tell_batch_of_page(db::Connection& connection, const PageEvent& event);

// The 25th migration: this history, and what else batches need to be told apart quickly.
db::Migration batches_migration();

}  // namespace lade::store
