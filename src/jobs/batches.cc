#include "jobs/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>
#include <optional>

#include "base/assert.h"
#include "db/in_transaction.h"
#include "definition/utf8.h"
#include "jobs/control.h"
#include "queue/groups.h"
#include "store/batch_events.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxNameBytes = 200;

using Act = Result<store::JobRecord> (*)(db::Connection&, const JobOrder&);
using store::BatchRecord;

// Nothing is wrong but this job's own standing.
bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::duplicate || error.code == "not_allowed";
}

Error refusal(const BatchRecord& batch, std::string_view why, std::string_view hint = {}) {
  return {"transition_refused", fmt::format("the batch {} is {}: {}", batch.name, batch.status(), why),
          std::string(hint), ErrorKind::invalid};
}

// What an action needs a batch to be like.
using Check = Result<void> (*)(const BatchRecord&);

Result<void> check_open(const BatchRecord& batch) {
  if (batch.finalized_at.empty()) return {};
  return fail(refusal(batch, "it was finalized", "nothing of it changes any more"));
}

Result<void> check_can_pause(const BatchRecord& batch) {
  LADE_TRY(check_open(batch));
  if (batch.status() == "pending" || batch.status() == "running") return {};
  return fail(refusal(batch, "nothing of it can be paused"));
}

Result<void> check_can_resume(const BatchRecord& batch) {
  LADE_TRY(check_open(batch));
  if (batch.newcomers_wait || batch.jobs.paused > 0) return {};
  return fail(refusal(batch, "nothing of it is paused"));
}

Result<void> check_is_live(const BatchRecord& batch) {
  LADE_TRY(check_open(batch));
  if (batch.jobs.live() > 0) return {};
  return fail(refusal(batch, "none of its jobs is under way"));
}

struct Action {
  std::string_view event;
  Check check;
  Act act;
  std::optional<bool> newcomers_wait = {};
};

std::string data_of(const BatchOutcome& outcome) {
  json::object data{{"jobs", outcome.done}};
  if (outcome.tasks > 0) data["tasks"] = outcome.tasks;
  for (const auto& [code, count] : outcome.refused) data[code] = count;
  return json::serialize(data);
}

// Counts what was done to one job.
template <class Done>
Result<void> on_job(BatchOutcome& outcome, const Result<Done>& done) {
  if (!done && !is_refusal(done.error())) return fail(done.error());
  done ? ++outcome.done : ++outcome.refused[done.error().code];
  return {};
}

// The line in the history, and how the batch stands now.
Result<void> conclude(db::Connection& connection, const BatchOrder& order, std::string_view event,
                      BatchOutcome& outcome) {
  LADE_TRY(store::append_batch_event(
      connection, {.batch = outcome.batch.id, .type = event, .actor = order.actor, .data = data_of(outcome)}));
  LADE_ASSIGN(outcome.batch, require_batch(connection, outcome.batch.uuid, order.company));
  return {};
}

Result<BatchOutcome> act_on_jobs(db::Connection& connection, const BatchOrder& order, const Action& action) {
  LADE_ASSERT(!connection.in_transaction());
  BatchOutcome outcome;
  LADE_ASSIGN(outcome.batch, require_batch(connection, order.batch, order.company));
  LADE_TRY(action.check(outcome.batch));
  // Before the jobs are listed: one that is joining is either among them or knows.
  if (action.newcomers_wait) LADE_TRY(store::let_newcomers_wait(connection, outcome.batch.id, *action.newcomers_wait));
  LADE_ASSIGN(const auto jobs, store::jobs_of_batch(connection, outcome.batch.id));
  for (const std::int64_t job : jobs)
    LADE_TRY(on_job(outcome, action.act(connection, {std::to_string(job), order.actor, order.company, order.actor_id,
                                                     order.four_eyes})));
  LADE_TRY(conclude(connection, order, action.event, outcome));
  return outcome;
}

}  // namespace

Error batch_not_found(const std::string& reference) {
  return {"batch_not_found", fmt::format("there is no batch '{}'", reference),
          "give its name, UUID or id as lade batches lists them", ErrorKind::invalid};
}

Result<store::BatchRecord> require_batch(db::Connection& connection, const std::string& reference,
                                         std::int64_t company) {
  LADE_ASSIGN(auto batch, store::find_batch(connection, reference, company));
  if (!batch) return fail(batch_not_found(reference));
  return std::move(*batch);
}

Result<void> check_batch_name(const std::string& name) {
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; };
  const bool blank = std::ranges::all_of(name, [](char letter) { return letter == ' '; });
  if (!blank && name.size() <= kMaxNameBytes && std::ranges::none_of(name, is_control) &&
      !definition::find_invalid_utf8(name))
    return {};
  return fail("batch_name_invalid",
              fmt::format("a batch cannot have this name of {} bytes: '{}'", name.size(), name.substr(0, 50)),
              fmt::format("one line of UTF-8, not blank, of at most {} bytes", kMaxNameBytes), ErrorKind::usage);
}

Result<std::int64_t> admit_job(db::Connection& connection, const store::NewJob& job) {
  return db::in_transaction(connection, [&]() -> Result<std::int64_t> {
    LADE_ASSIGN(const std::int64_t id, store::create_job(connection, job));
    if (job.batch_id == 0) return id;
    LADE_ASSIGN(const bool waits, store::do_newcomers_wait(connection, job.batch_id));
    LADE_ASSIGN(const bool finalized, store::is_finalized(connection, job.batch_id));
    if (finalized)
      return fail("transition_refused", "the batch was finalized: it takes no further jobs", "choose another name",
                  ErrorKind::invalid);
    if (!waits) return id;
    LADE_TRY(pause_job(connection, {std::to_string(id), job.created_by, job.company}));
    return id;
  });
}

Result<BatchOutcome> pause_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order, {store::batch_event::kPaused, check_can_pause, pause_job, true});
}

Result<BatchOutcome> resume_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order, {store::batch_event::kResumed, check_can_resume, resume_job, false});
}

Result<BatchOutcome> cancel_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order, {store::batch_event::kCancelled, check_is_live, cancel_job, false});
}

Result<BatchOutcome> approve_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order,
                     {store::batch_event::kApproved, check_is_live,
                      [](db::Connection& session, const JobOrder& job) { return approve_job(session, job); }});
}

Result<BatchOutcome> reject_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order,
                     {store::batch_event::kRejected, check_is_live,
                      [](db::Connection& session, const JobOrder& job) { return reject_job(session, job); }});
}

Result<BatchOutcome> finalize_batch(db::Connection& connection, const BatchOrder& order) {
  BatchOutcome outcome;
  LADE_ASSIGN(outcome.batch, require_batch(connection, order.batch, order.company));
  LADE_TRY(check_open(outcome.batch));
  LADE_ASSIGN(const bool done, store::finalize_batch(connection, outcome.batch.id, order.actor));
  if (!done) return fail(refusal(outcome.batch, "jobs of it are under way", "wait for them, or cancel them"));
  LADE_ASSIGN(outcome.batch, require_batch(connection, outcome.batch.uuid, order.company));
  outcome.done = outcome.batch.jobs.total();
  return outcome;
}

Result<BatchOutcome> delete_batch(db::Connection& connection, const BatchOrder& order) {
  LADE_ASSERT(!connection.in_transaction());
  BatchOutcome outcome;
  LADE_ASSIGN(outcome.batch, require_batch(connection, order.batch, order.company));
  LADE_ASSIGN(const auto jobs, store::jobs_of_batch(connection, outcome.batch.id));
  for (const std::int64_t job : jobs) {
    auto deleted = delete_job(connection, {std::to_string(job), order.actor, order.company});
    if (deleted) std::ranges::move(deleted->files, std::back_inserter(outcome.files));
    LADE_TRY(on_job(outcome, deleted));
  }
  LADE_ASSIGN(outcome.deleted, store::remove_batch(connection, outcome.batch.id, order.actor));
  if (!outcome.deleted) {
    LADE_ASSIGN(outcome.batch, require_batch(connection, outcome.batch.uuid, order.company));
  }
  return outcome;
}

}  // namespace lade::jobs
