#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "db/migrations.h"
#include "store/definitions.h"

// The pages that a job fetches: one for each row of its manifest, by that row's number. Times are microseconds since
// 1970 by the database's clock, 0: none. Every call works in the caller's transaction when there is one.
namespace lade::store {

// pending → running → succeeded | failed | retryable (running again when its time has come). `blocked` waits for a
// person; `cancelled` ended with its job.
namespace page_status {
constexpr std::string_view kPending = "pending";
constexpr std::string_view kRunning = "running";
constexpr std::string_view kSucceeded = "succeeded";
constexpr std::string_view kFailed = "failed";
constexpr std::string_view kRetryable = "retryable";
constexpr std::string_view kBlocked = "blocked";
constexpr std::string_view kCancelled = "cancelled";
}  // namespace page_status
// All of them, in this order.
std::span<const std::string_view> page_statuses();

// Why a page failed, or must be tried again.
struct PageError {
  std::string code;         // docs/errors.md has them; empty: nothing went wrong
  std::string message;      // for people
  std::string reason = {};  // the cause by a stable name, for counting
  std::int64_t http_status = 0;
  std::string url = {};    // of the hop that failed
  std::string stack = {};  // what came before: the hops
  bool operator==(const PageError&) const = default;
};
std::string to_json(const PageError& error);

struct NewPage {
  std::int64_t row_id = 0;
  std::string key;                   // what the manifest calls it
  std::string url;                   // as it is asked for; empty: the row has none
  std::string host = {};             // of the URL
  std::string idempotency_key = {};  // unique in the table; empty: it is never fetched
  PageError error = {};              // with a code: it has failed already
};
// Pages of a job that has none yet, or further ones. Any number.
Result<void> insert_pages(db::Connection& connection, std::int64_t job, std::span<const NewPage> pages);

// The body of a page in the storage: a part of a stored file.
struct Evidence {
  std::string file;         // its id in the storage; empty: none
  std::int64_t offset = 0;  // of the body in it
  std::int64_t bytes = 0;   // of the body
  // JSON: final_url, hops, fetched_at, address, status, not_modified, headers, etag, last_modified
  std::string metadata = {};
  bool operator==(const Evidence&) const = default;
};

struct PageRecord {
  std::int64_t job = 0;
  std::int64_t row_id = 0;
  std::string key;
  std::string url;
  std::string host;
  std::string status;
  std::int64_t attempt = 0;       // the newest; 0: never tried
  std::int64_t tries = 0;         // in all, also before it was reset
  std::int64_t available_at = 0;  // not tried earlier
  std::string error_code;
  std::string error_reason;
  std::string error;  // JSON, see to_json(); empty: none
  std::int64_t http_status = 0;
  std::int64_t duration_ms = 0;  // of fetching
  std::int64_t enrich_ms = 0;    // of taking fields out of it
  std::int64_t started_at = 0;   // of the newest attempt
  std::int64_t completed_at = 0;
  std::string content_type;
  std::string checksum;  // SHA-256 of the body
  Evidence evidence;
  std::string source_format;  // HTML, PDF, DOCX, IMAGE, API, MANUAL
  std::string page_range;     // of a document
  std::string idempotency_key;
  std::string fields;        // JSON: {"fields": {name: [values]}, "issues": [{code, column, message}]}
  std::int64_t task_id = 0;  // of the queue, that tried it last
  bool is_gathered = false;  // the job's records have what was fetched
};

struct PageFilter {
  std::vector<std::string> statuses = {};  // empty: any
  std::string source = {};                 // a host, or a part of the URL; empty: any
  std::string error_code = {};             // empty: any
  std::string key = {};                    // empty: any
  bool not_gathered = false;               // only those whose newest end the job's records do not have
  bool by_record = false;                  // a page that has come counts as failed when its record has, with its error
  std::int64_t first_row = 0;              // only rows from here on
  std::int64_t last_row = 0;               // and up to here; 0: all
  std::vector<std::int64_t> rows = {};     // only these; empty: all
  std::int64_t after = 0;                  // where the last page of the list ended
  std::int64_t limit = 100;                // 0: all
};
// In the order of their rows. Fails with page_status_unknown.
Result<std::vector<PageRecord>> list_pages(db::Connection& connection, std::int64_t job, const PageFilter& filter = {});
Result<std::optional<PageRecord>> find_page(db::Connection& connection, std::int64_t job, std::int64_t row);

struct PageCounts {
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t retryable = 0;
  std::int64_t blocked = 0;
  std::int64_t cancelled = 0;
  std::int64_t total() const { return open() + ended(); }
  std::int64_t open() const { return pending + running + retryable; }
  std::int64_t ended() const { return succeeded + failed + blocked + cancelled; }
};
Result<PageCounts> count_pages(db::Connection& connection, std::int64_t job);

// A page as another job of the company has kept it.
struct KnownVersion {
  std::string checksum;  // SHA-256 of the body
  Evidence evidence;
};

// What a task knows of a page that is to be tried.
struct OpenPage {
  std::int64_t row_id = 0;
  std::string url;
  std::string host;
  std::string status;  // pending, running or retryable
  std::int64_t attempt = 0;
  std::chrono::microseconds wait{0};       // until it may be tried
  std::optional<KnownVersion> known = {};  // as find_known_versions() says
};
// Those of the rows `first` to `last` that have not ended.
Result<std::vector<OpenPage>> open_pages(db::Connection& connection, std::int64_t job, std::int64_t first,
                                         std::int64_t last);

// The newest version that other jobs of the company have of the pages that were never tried: of the same URL, under the
// key of one of these pages. `pages` are in the order of their rows.
Result<void> find_known_versions(db::Connection& connection, std::int64_t job, std::span<OpenPage> pages);

// The pages' next attempt begins: to be committed before anything is sent. The caller holds the fence of `task`.
Result<void> begin_attempts(db::Connection& connection, std::int64_t job, std::int64_t task,
                            std::span<const std::int64_t> rows);

// How an attempt ended.
struct PageResult {
  std::int64_t row_id = 0;
  std::int64_t attempt = 0;
  std::string_view status = page_status::kSucceeded;
  PageError error = {};
  std::chrono::microseconds delay{0};  // of a retryable one
  std::int64_t http_status = 0;
  std::int64_t duration_ms = 0;
  std::int64_t enrich_ms = 0;
  std::string content_type = {};
  std::string checksum = {};
  Evidence evidence = {};
  std::string source_format = {};
  std::string fields = {};
};
// Writes those whose attempt is still the page's newest and running; gives how many these were.
Result<std::int64_t> record_results(db::Connection& connection, std::int64_t job, std::span<const PageResult> results);

// Failed, blocked and cancelled pages that the filter finds (by their records, too) are pending again, with all their
// attempts; those without a URL stay. Gives their rows.
Result<std::vector<std::int64_t>> reset_pages(db::Connection& connection, std::int64_t job, const PageFilter& filter);

// Pages that have been running for longer than `threshold` may be tried again: nobody will tell how they ended. All
// jobs, unless one is named.
struct StuckPage {
  std::int64_t job = 0;
  std::int64_t row_id = 0;
};
Result<std::vector<StuckPage>> release_stuck_pages(db::Connection& connection, std::chrono::microseconds threshold,
                                                   std::int64_t job = 0);

// Whether nothing more of the job is to begin: it is paused, or will be cancelled.
Result<bool> is_job_held(db::Connection& connection, std::int64_t job);

// Pages that have not ended end so: with their job, or because nobody tries them any more.
Result<std::int64_t> cancel_pages(db::Connection& connection, std::int64_t job);
Result<std::int64_t> fail_open_pages(db::Connection& connection, std::int64_t job, const PageError& error);

// The job's records have them: those of all ended pages, or of these rows.
Result<void> mark_gathered(db::Connection& connection, std::int64_t job);
Result<void> mark_gathered(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows);

// Whether a page's evidence is in this file of the storage.
Result<bool> is_evidence(db::Connection& connection, const std::string& file);
// The files with the evidence of the job's pages.
Result<std::vector<std::string>> evidence_files(db::Connection& connection, std::int64_t job);

// The 22nd migration: pages, and how often hosts may be asked (queue/rate_limits.h).
db::Migration pages_migration();

}  // namespace lade::store
