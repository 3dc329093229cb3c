#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/batch_status.h"
#include "store/definitions.h"

// Jobs that belong together. A batch has a name and its jobs; how it stands is worked out from them whenever somebody
// asks.
namespace lade::store {

struct NewBatch {
  std::string uuid;
  std::string name;
  std::string source_manifest = {};
  std::string created_by = {};
  std::int64_t company = kDefaultCompany;
};
// Gives the id of the company's batch of this name, which is made when there is none, however many ask at once.
Result<std::int64_t> find_or_create_batch(db::Connection& connection, const NewBatch& batch);

// What a batch is made of for those who wait for it: a task for each row. Of a job that fetches these are its pages,
// otherwise its rows, as they are counted when they are in.
struct RowTaskCounts {
  std::int64_t total = 0;
  std::int64_t succeeded = 0;  // also rows that were left out as the definition says
  std::int64_t failed = 0;
  std::int64_t blocked = 0;  // they wait for a person
  std::int64_t cancelled = 0;
  std::int64_t processed() const { return succeeded + failed + blocked + cancelled; }
};

struct BatchRecord {
  std::int64_t id = 0;
  std::string uuid;
  std::string name;
  std::string source_manifest;
  std::string created_by;
  bool newcomers_wait = false;  // jobs that join it are paused from the beginning
  std::string created_at;

  model::JobTally jobs;
  std::int64_t rows_total = 0;      // of the jobs that are planned
  std::int64_t rows_processed = 0;  // those with an outcome, failed ones too
  std::int64_t rows_failed = 0;
  RowTaskCounts tasks;
  int progress = 0;          // 0 to 100: the mean of its jobs
  std::string started_at;    // when its first job was
  std::string completed_at;  // when its last job was; empty while one is live
  std::string finalized_at;  // from then on nothing of it changes any more; empty: it is open
  std::string finalized_by;

  std::string_view status() const { return model::batch_status(jobs); }
};

// By name, UUID or id, in this order; nullopt when the company has no such batch.
Result<std::optional<BatchRecord>> find_batch(db::Connection& connection, std::string_view reference,
                                              std::int64_t company = kDefaultCompany);

Result<std::optional<BatchRecord>> batch_with_id(db::Connection& connection, std::int64_t id);
// Status, jobs and tasks, as the history keeps them: JSON.
std::string totals_json(const BatchRecord& batch);

struct BatchFilter {
  std::string status = {};      // as batch_status() has them; empty: all
  std::string created_by = {};  // empty: all
  std::string since = {};       // made then or later, 2024-12-31T23:59:59.999Z; empty: ever
  std::string until = {};       // made earlier; empty: ever
  std::int64_t before = 0;      // where the last page ended (BatchPage::next); 0: from the newest on
  std::int64_t limit = 50;
  std::int64_t company = kDefaultCompany;
};
struct BatchPage {
  std::vector<BatchRecord> batches;  // newest first
  std::int64_t next = 0;             // `before` of the next page; 0: this is the last one
};
// One statement a page, and another when some of its jobs fetch; with a status as many as it takes to find so many
// batches. Fails with status_unknown.
Result<BatchPage> list_batches(db::Connection& connection, const BatchFilter& filter = {});

// The jobs of a batch, oldest first.
Result<std::vector<std::int64_t>> jobs_of_batch(db::Connection& connection, std::int64_t batch);

// The name of the batch's own is taken, or there is none: makes a batch that nobody has. Fails with batch_exists.
Result<std::int64_t> create_batch(db::Connection& connection, const NewBatch& batch);
// Until the transaction ends, nobody else joins it, finalizes it or changes how many of its jobs are live.
Result<void> lock_batch(db::Connection& connection, std::int64_t batch);
// Nothing of it changes any more. False: it was before, or jobs of it are live, or there is none.
Result<bool> finalize_batch(db::Connection& connection, std::int64_t batch, const std::string& actor);
Result<bool> is_finalized(db::Connection& connection, std::int64_t batch);
// Forgets a batch without jobs; its history stays. False: it has jobs.
Result<bool> remove_batch(db::Connection& connection, std::int64_t batch, const std::string& actor);

// Whether jobs that join the batch from now on are paused.
Result<void> let_newcomers_wait(db::Connection& connection, std::int64_t batch, bool wait);
// The same as a question. Inside a transaction the answer holds until that ends: let_newcomers_wait() waits for it, and
// who lists the jobs afterwards finds the one that has joined.
Result<bool> do_newcomers_wait(db::Connection& connection, std::int64_t batch);

}  // namespace lade::store
