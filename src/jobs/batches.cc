#include "jobs/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "db/in_transaction.h"
#include "definition/utf8.h"
#include "jobs/control.h"
#include "queue/groups.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

constexpr std::size_t kMaxNameBytes = 200;

using Act = Result<store::JobRecord> (*)(db::Connection&, const JobOrder&);

// Nothing is wrong but this job's own standing.
bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::duplicate;
}

Result<BatchOutcome> act_on_jobs(db::Connection& connection, const BatchOrder& order, Act act,
                                 std::optional<bool> newcomers_wait = {}) {
  LADE_ASSERT(!connection.in_transaction());
  BatchOutcome outcome;
  LADE_ASSIGN(outcome.batch, require_batch(connection, order.batch, order.company));
  // Before the jobs are listed: one that is joining is either among them or knows.
  if (newcomers_wait) LADE_TRY(store::let_newcomers_wait(connection, outcome.batch.id, *newcomers_wait));
  LADE_ASSIGN(const auto jobs, store::jobs_of_batch(connection, outcome.batch.id));
  for (const std::int64_t job : jobs) {
    const auto done = act(connection, {std::to_string(job), order.actor, order.company});
    if (!done && !is_refusal(done.error())) return fail(done.error());
    done ? ++outcome.done : ++outcome.refused[done.error().code];
  }
  LADE_ASSIGN(outcome.batch, require_batch(connection, outcome.batch.uuid, order.company));
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
    if (!waits) return id;
    LADE_TRY(pause_job(connection, {std::to_string(id), job.created_by, job.company}));
    return id;
  });
}

Result<BatchOutcome> pause_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order, pause_job, true);
}

Result<BatchOutcome> resume_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order, resume_job, false);
}

Result<BatchOutcome> cancel_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order, cancel_job, false);
}

Result<BatchOutcome> retry_batch(db::Connection& connection, const BatchOrder& order) {
  return act_on_jobs(connection, order,
                     [](db::Connection& session, const JobOrder& job) { return retry_job(session, job); });
}

}  // namespace lade::jobs
