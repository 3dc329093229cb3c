#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/quality.h"
#include "store/batches.h"
#include "store/pages.h"

// What a batch is worked off by, as those see it who wait for its rows: of a job that fetches a task for each page,
// otherwise the tasks of the queue.
namespace lade::jobs {

struct RowTask {
  std::string id;      // JOB-ROW of a page, JOB-TASK of the queue: unique in the database
  std::string job_id;  // UUID
  std::string job;     // slug
  std::string type;    // page, or the kind of the queue's task
  std::int64_t row = 0;
  std::string key;  // what the manifest calls it; of the queue's: kind and part
  // pending, running, succeeded, failed, retryable, blocked, cancelled; ready_for_review: its job waits for a reviewer
  std::string status;
  std::int64_t attempt = 0;
  std::string error = {};  // JSON: code, message, http_status, url, reason, stack; without secrets; empty: none
  std::int64_t http_status = 0;
  std::int64_t duration_ms = 0;
  std::string source_url = {};
  std::string checksum = {};
  std::string evidence_path = {};
  std::string source_format = {};
  std::string page_range = {};
  std::string idempotency_key = {};
  std::string fields = {};  // JSON: what was taken out of the page
  // JSON: what was answered when the page was fetched: url (the final one), hops (when there are several), fetched_at,
  // status, headers, bytes, not_modified (when it was not sent again); without secrets; empty: nothing was
  std::string fetched = {};
  std::optional<model::Quality> quality = {};  // of the record; none: there is none, or it is not analysed yet
  std::string started_at = {};
  std::string completed_at = {};
};

struct RowTaskFilter {
  std::string status = {};  // empty: all
  std::string source = {};  // a host, or a part of the URL; empty: all
  std::string error = {};   // its code; empty: all
  std::string key = {};     // empty: all
  std::string cursor = {};  // RowTaskPage::next of the page before; empty: from the beginning
  std::int64_t limit = 50;
};
struct RowTaskPage {
  std::vector<RowTask> tasks;
  std::string next;  // empty: this is the last one
};
// By job, oldest first; pages in the order of their rows, tasks of the queue newest first. Fails with status_unknown
// and cursor_invalid.
Result<RowTaskPage> list_row_tasks(db::Connection& connection, const store::BatchRecord& batch,
                                   const RowTaskFilter& filter);

// As everybody is shown it: parts and score to two decimals, and the tier.
boost::json::object to_json(const model::Quality& quality);

// Which job and which of its rows or tasks `id` names; both are 0 when it names none.
struct RowTaskPlace {
  std::int64_t job = 0;
  std::int64_t place = 0;
};
RowTaskPlace place_of(std::string_view id);

// Fails with row_task_not_found, also when it is one of another batch.
Result<RowTask> find_row_task(db::Connection& connection, const store::BatchRecord& batch, const std::string& id);
// The page behind it; row_task_not_found also when it is none.
Result<store::PageRecord> find_task_page(db::Connection& connection, const store::BatchRecord& batch,
                                         const std::string& id);

}  // namespace lade::jobs
