#include "remote/records.h"

#include <algorithm>
#include <stdexcept>

#include "base/moment.h"

namespace lade::remote {
namespace {

namespace json = boost::json;
using model::Outcome;

// Members by name; those that may be missing or null are empty then.
class Members {
 public:
  explicit Members(const json::value& value) : object_(value.as_object()) {}

  std::string text(std::string_view name) const {
    const json::value* value = object_.if_contains(name);
    return value == nullptr || value->is_null() ? std::string() : std::string(value->as_string());
  }
  std::int64_t number(std::string_view name) const { return object_.at(name).to_number<std::int64_t>(); }
  std::int64_t number_or_zero(std::string_view name) const { return object_.contains(name) ? number(name) : 0; }
  bool flag(std::string_view name) const { return object_.at(name).as_bool(); }
  Members part(std::string_view name) const { return Members(object_.at(name)); }
  const json::value* find(std::string_view name) const {
    const json::value* value = object_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  // Microseconds since 1970, as the queue has times; 0: none.
  std::int64_t microseconds(std::string_view name) const {
    const auto moment = moment_of(text(name));
    return moment ? std::chrono::microseconds(moment->time_since_epoch()).count() : 0;
  }

 private:
  const json::object& object_;
};

template <class Wanted>
Wanted row_word(const std::string& word) {
  for (const auto& [name, wanted] : store::row_words())
    if (const Wanted* found = std::get_if<Wanted>(&wanted); found != nullptr && name == word) return *found;
  throw std::invalid_argument("'" + word + "' is not known of rows");
}

template <class Value>
Value known(std::optional<Value> value, const std::string& word) {
  if (!value) throw std::invalid_argument("'" + word + "' is not known");
  return *value;
}

void read_rows(const Members& members, model::RowCounts& rows) {
  rows.read = members.number("read");
  rows.removed = members.number("removed");
  for (const Outcome outcome : model::kOutcomes) rows[outcome] = members.number(model::to_string(outcome));
}

// As many halves of percents as are done, so that progress() gives the number that was told.
void set_progress(store::JobRecord& job, std::int64_t progress) {
  constexpr std::int64_t kPlanned = 10, kBeforeEnd = 99;
  job.chunks = 2 * (kBeforeEnd - kPlanned);
  job.chunks_done = std::max<std::int64_t>(0, 2 * (progress - kPlanned) + 1);
}

void read_errors(const Members& members, store::JobRecord& job) {
  job.results_error = members.text("results_error");
  if (members.find("error") == nullptr) return;
  const Members error = members.part("error");
  job.error_code = error.text("code");
  job.error = error.text("message");
  job.error_hint = error.text("hint");
}

// The tally has the live jobs apart, JSON has how they stand together.
void set_live_jobs(model::JobTally& jobs, std::int64_t live, std::string_view status) {
  jobs.started = status == "pending" ? 0 : live + jobs.finished();
  (status == "pending" ? jobs.queued : status == "paused" ? jobs.paused : jobs.running) = live;
}

}  // namespace

void read_into(const json::value& value, store::JobRecord& job) {
  const Members members(value);
  job.id = members.number("id");
  job.uuid = members.text("job_id");
  job.slug = members.text("slug");
  job.definition = members.text("definition");
  job.definition_version = members.number("definition_version");
  job.batch = members.text("batch");
  job.file_name = members.text("file");
  job.file_uuid = members.text("file_id");
  job.file_bytes = members.number("file_bytes");
  if (const json::value* source = value.as_object().if_contains("source"); source != nullptr && source->is_object())
    job.options = json::serialize(json::object{{"source", *source}});
  const std::string state = members.text("state"), outcome = members.text("outcome");
  job.standing.state = known(model::job_state_of(state), state);
  if (!outcome.empty()) job.standing.outcome = known(model::job_outcome_of(outcome), outcome);
  job.paused = members.flag("paused");
  job.cancel_requested = members.flag("cancel_requested");
  job.retries = members.number("retries");
  job.review_revision = members.number("review_revision");
  if (members.find("rows_total") != nullptr) job.rows_total = members.number("rows_total");
  job.rows_analysed = members.number("rows_analysed");
  read_rows(members.part("rows"), job.rows);
  set_progress(job, members.number("progress"));
  job.waits_for = members.text("waits_for");
  job.undoes = members.text("undoes");
  job.undone_by = members.text("undone_by");
  read_errors(members, job);
  job.created_by = members.text("created_by");
  job.reviewed_by = members.text("reviewed_by");
  job.created_at = members.text("created_at");
  job.started_at = members.text("started_at");
  job.reviewed_at = members.text("reviewed_at");
  job.finished_at = members.text("finished_at");
}

void read_into(const json::value& value, store::Event& event) {
  const Members members(value);
  event.number = members.number("number");
  event.kind = members.text("event");
  event.state = members.text("state");
  event.actor = members.text("actor");
  if (const json::value* data = members.find("data")) event.data = json::serialize(*data);
  event.created_at = members.text("created_at");
}

void read_into(const json::value& value, store::BatchRecord& batch) {
  const Members members(value);
  batch.id = members.number("id");
  batch.uuid = members.text("batch_id");
  batch.name = members.text("name");
  batch.source_manifest = members.text("source_manifest");
  batch.created_by = members.text("created_by");
  batch.newcomers_wait = members.flag("newcomers_wait");
  batch.created_at = members.text("created_at");
  const Members jobs = members.part("jobs"), rows = members.part("rows");
  batch.jobs.succeeded = jobs.number("succeeded");
  batch.jobs.failed = jobs.number("failed");
  batch.jobs.ended_by_people = jobs.number("cancelled");
  set_live_jobs(batch.jobs, jobs.number("total") - jobs.number("finished"), members.text("status"));
  batch.rows_total = rows.number("total");
  batch.rows_processed = rows.number("processed");
  batch.rows_failed = rows.number("failed");
  const Members tasks = members.part("tasks");
  batch.tasks.total = tasks.number("total");
  batch.tasks.succeeded = tasks.number("succeeded");
  batch.tasks.failed = tasks.number("failed");
  batch.tasks.blocked = tasks.number("blocked");
  batch.tasks.cancelled = tasks.number("cancelled");
  batch.finalized_at = members.text("finalized_at");
  batch.finalized_by = members.text("finalized_by");
  // Of its jobs the server tells only how they ended; that all they did was in vain it tells by the status.
  if (members.text("status") == "failed") batch.jobs.fruitless = batch.jobs.succeeded;
  batch.progress = static_cast<int>(members.number("progress"));
  batch.started_at = members.text("started_at");
  batch.completed_at = members.text("completed_at");
}

void read_into(const json::value& value, jobs::BatchOutcome& outcome) {
  const Members members(value);
  read_into(value, outcome.batch);
  outcome.done = members.number("done");
  outcome.tasks = members.number("tasks_done");
  outcome.deleted = members.flag("deleted");
  for (const auto& [code, count] : value.at("refused").as_object())
    outcome.refused[std::string(code)] = count.to_number<std::int64_t>();
}

void read_into(const json::value& value, store::StoredDefinition& definition) {
  const Members members(value);
  definition.slug = members.text("slug");
  definition.version = members.number("version");
  definition.name = members.text("name");
  definition.note = members.text("note");
  definition.strategy = members.text("strategy");
  definition.mode = members.text("mode");
  definition.valid_time_from = members.text("valid_time_from");
  definition.source_text = members.text("text");
  definition.valid = members.flag("valid");
  definition.validation_error = members.text("validation_error");
  definition.created_at = members.text("created_at");
}

void read_into(const json::value& value, store::ListedRow& row) {
  const Members members(value);
  row.row_id = members.number("row");
  row.line = members.number_or_zero("line");
  row.issue.code = members.text("code");
  row.issue.column = members.text("column");
  row.issue.value = members.text("value");
  row.issue.message = members.text("message");
  row.issue.hint = members.text("hint");
  row.outcome = row_word<Outcome>(members.text("outcome"));
  row.state = row_word<model::RowState>(members.text("state"));
  row.last_completed_priority = static_cast<int>(members.number("last_completed_priority"));
}

void read_into(const json::value& value, queue::TaskCounts& tasks) {
  const Members members(value);
  tasks.pending = members.number("pending");
  tasks.running = members.number("running");
  tasks.succeeded = members.number("succeeded");
  tasks.failed = members.number("failed");
  tasks.cancelled = members.number("cancelled");
}

void read_into(const json::value& value, queue::TaskRow& task) {
  const Members members(value);
  task.id = members.number("task_id");
  task.queue = members.text("queue");
  task.kind = members.text("kind");
  task.group = members.text("group");
  task.stage = members.text("stage");
  task.payload = members.text("payload");
  task.status = members.text("status");
  task.node = members.text("node");
  task.priority = members.number("priority");
  task.attempts = members.number("attempts");
  task.crashes = members.number("crashes");
  if (members.find("error") != nullptr) {
    task.error_code = members.part("error").text("code");
    task.error = members.part("error").text("message");
  }
  task.created_at = members.microseconds("created_at");
  task.available_at = members.microseconds("available_at");
  task.started_at = members.microseconds("started_at");
  task.finished_at = members.microseconds("finished_at");
  // One that took less than a millisecond has ended all the same.
  if (members.find("duration_ms") != nullptr)
    task.duration = std::max<std::int64_t>(1, members.number("duration_ms") * 1000);
}

void read_into(const json::value& value, queue::ListedNode& node) {
  const Members members(value);
  node.boot = members.text("boot");
  node.name = members.text("name");
  node.storage = members.text("storage");
  node.beat = members.number("beat");
  node.running = members.number("running");
  node.slots = members.number("slots");
  node.draining = members.flag("draining");
  node.started_at = members.microseconds("started_at");
}

void read_into(const json::value& value, queue::QueueRule& rule) {
  const Members members(value);
  rule.scope = members.text("scope");
  rule.name = members.text("name");
  rule.paused = value.at("paused").as_bool();
  if (members.find("concurrency") != nullptr) rule.concurrency = members.number("concurrency");
}

void read_into(const json::value& value, queue::DeadLetter& letter) {
  const Members members(value);
  letter.task = members.number("task_id");
  letter.queue = members.text("queue");
  letter.kind = members.text("kind");
  letter.group = members.text("group");
  letter.payload = members.text("payload");
  letter.reason = members.text("reason");
  letter.message = members.text("message");
  letter.attempts = members.number("attempts");
  letter.crashes = members.number("crashes");
  letter.retries = members.number("retries");
  letter.died_at = members.microseconds("died_at");
}

void read_into(const json::value& value, staging::IssueCounts& counts) {
  for (const json::value& one : value.as_array()) {
    const Members members(one);
    counts[{members.text("code"), members.text("column")}] += members.number("count");
  }
}

}  // namespace lade::remote
