#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/name_decisions.h"
#include "store/record_quality.h"

// Names that nobody could say for sure whom they mean, one for each row and step: what people decide about.
namespace lade::store {

// As analysis has found it.
struct NewReviewItem {
  std::int64_t row = 0;
  std::int64_t line = 0;
  std::string step;    // its code
  std::string column;  // the data column with the name
  std::string table;   // that has the entities
  std::string rules;
  std::string key;                // the name, normalised
  std::string name;               // the name, as written
  std::string tier;               // suggested, blocked
  double best = 0;                // confidence of the best candidate, 0 to 100
  bool ambiguous = false;         // another one is about as good
  std::string candidates = "[]";  // JSON: id, name, confidence, reasons; best first
  std::string record = "{}";      // JSON: what else the row says
  double completeness = 0;        // which share of its columns has a value, 0 to 1
  bool blocks = true;             // the row fails until it is decided
};

struct ReviewItem : NewReviewItem {
  std::int64_t id = 0;
  std::int64_t company = 0;
  std::int64_t job = 0;
  std::string status;         // open, decided, withdrawn (the row does not ask any more)
  NameDecision decision;      // of those that are decided
  bool sent = false;          // the row was analysed again since it was decided
  std::string send_error;     // why it was not
  std::int64_t revision = 0;  // raised by whatever changes it
  std::string created_at;
  std::string job_uuid, job_slug, file_name, batch;
  std::int64_t job_created_by_id = 0, job_project = 0;
  std::string source_url, evidence_path, checksum;  // of the row's page; empty: it has none
  model::Quality quality;                           // of the row, as it stands now
  NameKey name_key() const { return {company, table, rules, key}; }
};

// In the transaction that stores the rows' issues. One that is there already is asked anew.
Result<void> put_review_items(db::Connection& connection, std::int64_t job, std::int64_t company,
                              std::span<const NewReviewItem> items);
// The rows are analysed again: what is open is withdrawn, what is decided counts as sent. Those that still ask are put
// afterwards.
Result<void> settle_review_items(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows);

struct ReviewFilter {
  std::int64_t company = 0;
  std::string status = "open";       // empty: all
  std::optional<double> min = {};    // of the best confidence, inclusive
  std::optional<double> below = {};  // exclusive
  std::string table = {};            // empty: all
  std::int64_t job = 0;              // 0: all
  std::int64_t batch_id = 0;         // 0: all
  std::int64_t seen_by = 0;          // as in JobFilter
  std::int64_t project = 0;
  std::int64_t after = 0;  // the id with which the last page ended
  std::int64_t limit = 50;
};
// Oldest first.
Result<std::vector<ReviewItem>> list_review_items(db::Connection& connection, const ReviewFilter& filter);
Result<std::optional<ReviewItem>> find_review_item(db::Connection& connection, std::int64_t company, std::int64_t id);

// Who decides waits here for others of the company who do, until the transaction ends; before anything else.
Result<void> lock_reviews(db::Connection& connection, std::int64_t company);
// Who decides about rows of a job and who sends them wait for each other, so that no decision misses what is sent. Of
// several jobs in the order of their ids, after lock_reviews() and before items are changed.
Result<void> lock_sending(db::Connection& connection, std::int64_t job);

struct ReviewCount {
  std::int64_t items = 0;
  std::int64_t names = 0;      // different ones
  std::int64_t ambiguous = 0;  // items of which the best candidate is no better than another one
};
Result<ReviewCount> count_review_items(db::Connection& connection, const ReviewFilter& filter);

// Decides all open items with this name. Gives how many.
Result<std::int64_t> decide_review_items(db::Connection& connection, const NameKey& key, const NameDecision& decision);
// The same for open items of these rows of a job about whose names something is remembered.
Result<std::int64_t> decide_remembered(db::Connection& connection, std::int64_t job, std::int64_t first_row,
                                       std::int64_t last_row);
// Decided items with this name whose rows were not sent are open again. Gives how many.
Result<std::int64_t> reopen_review_items(db::Connection& connection, const NameKey& key);
// How many decided items with this name were sent.
Result<std::int64_t> count_sent(db::Connection& connection, const NameKey& key);

// The jobs with items of that name that are open, or decided and not sent, by their ids.
Result<std::vector<std::int64_t>> jobs_that_ask(db::Connection& connection, const NameKey& key);
// Those of them that have rows to be sent, and the rows of a job to be sent: those that wait for nothing else. `by` is
// who has decided last.
Result<std::vector<std::int64_t>> jobs_to_send(db::Connection& connection, const NameKey& key);
constexpr std::int64_t kMostRowsToSend = 100'000;
struct RowsToSend {
  std::vector<std::int64_t> rows;
  std::string by;
  bool more = false;  // these are not all: `most` questions were looked at
};
Result<RowsToSend> rows_to_send(db::Connection& connection, std::int64_t job, std::int64_t most = kMostRowsToSend);
// They were not sent, and will not be.
Result<void> refuse_rows(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows,
                         const std::string& why);

}  // namespace lade::store
