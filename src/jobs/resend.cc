#include "jobs/resend.h"

#include <iterator>

#include "base/failpoint.h"
#include "db/in_transaction.h"
#include "queue/enqueue.h"

namespace lade::jobs {
namespace {

using model::JobState;

constexpr std::chrono::seconds kNotYet{2};

bool is_at_rest(const store::JobRecord& job) {
  return job.standing.state == JobState::finished || job.standing.state == JobState::waiting_for_review;
}

std::vector<Fix> fixes_of(const std::vector<std::int64_t>& rows) {
  std::vector<Fix> fixes;
  for (const std::int64_t row : rows) fixes.push_back({row, {}});
  return fixes;
}

// Somebody else works on the job at the moment, or on the same file.
Result<bool> is_taken(db::Connection& connection, const Error& error, std::int64_t id) {
  if (error.code == "job_exists" || error.code == "being_undone") return true;
  if (error.code != "transition_refused") return false;
  LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
  return job && !is_at_rest(*job);
}

// An error that says something about the job, which the next attempt would meet again.
bool is_final(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::duplicate || error.code == "file_gone" ||
         error.code == "stored_file_missing";
}

Result<Resent> send(db::Connection& connection, const ReviewPlace& place, const store::JobRecord& job,
                    std::int64_t most) {
  LADE_ASSIGN(const store::RowsToSend found, store::rows_to_send(connection, job.id, most));
  if (found.rows.empty()) return Resent{};
  if (!is_at_rest(job)) return Resent{Resent::What::not_at_rest};
  if (found.more) {
    LADE_ASSIGN(const std::string queue, queue_of(connection, job));
    LADE_TRY(send_later(connection, {job.id, job.company, place.storage.id(), queue}));
  }
  const JobOrder order{std::to_string(job.id), found.by, job.company};
  std::vector<Fix> fixes = fixes_of(found.rows);
  std::vector<RefusedFix> refused;
  auto done = try_fixes(connection, place, order, fixes, refused);
  // Rows that somebody has corrected meanwhile, and that went in, need not be sent.
  if (!done && !refused.empty()) {
    std::vector<std::int64_t> corrected;
    for (const RefusedFix& one : refused) corrected.push_back(one.row);
    LADE_TRY(store::settle_review_items(connection, job.id, corrected));
    fixes = without_refused(std::move(fixes), refused);
    if (fixes.empty()) return Resent{};
    done = try_fixes(connection, place, order, fixes, refused);
  }
  if (done) return Resent{Resent::What::sent, std::ssize(fixes)};
  LADE_ASSIGN(const bool taken, is_taken(connection, done.error(), job.id));
  if (taken) return Resent{Resent::What::not_at_rest};
  if (!is_final(done.error())) return fail(std::move(done).error());
  std::vector<std::int64_t> rows;
  for (const Fix& fix : fixes) rows.push_back(fix.row);
  LADE_TRY(store::refuse_rows(connection, job.id, rows, done.error().message));
  return Resent{Resent::What::refused, std::ssize(rows), done.error().message};
}

}  // namespace

Result<void> send_later(db::Connection& connection, const ResendOrder& order) {
  LADE_TRY(queue::enqueue(connection, {.kind = std::string(kResendTask),
                                       .payload = to_text(TaskTarget{.job = order.job}),
                                       .queue = order.queue,
                                       .storage = order.storage,
                                       .unique_key = "resend " + std::to_string(order.job),
                                       .delay = kSecondThoughts,
                                       .company = order.company}));
  return {};
}

Result<Resent> send_rows(db::Connection& connection, const ReviewPlace& place, std::int64_t id, std::int64_t most) {
  return db::in_transaction(connection, [&]() -> Result<Resent> {
    LADE_TRY(store::lock_sending(connection, id));
    LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
    if (!job) return Resent{};
    return send(connection, place, *job, most);
  });
}

Result<void> resend(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire(context.stop()));
  LADE_ASSIGN(queue::Publication publication, context.publish(*session));
  LADE_ASSIGN(const Resent resent, send_rows(*session, {desk.storage(), desk.here()}, target.job));
  if (resent.what == Resent::What::not_at_rest) {
    context.postpone(kNotYet);
    return publication.rollback();
  }
  LADE_FAILPOINT("resend");
  return publication.commit();
}

}  // namespace lade::jobs
