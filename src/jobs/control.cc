#include "jobs/control.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include <algorithm>

#include "base/id.h"
#include "db/in_transaction.h"
#include "definition/utf8.h"
#include "jobs/arm.h"
#include "jobs/batches.h"
#include "jobs/cancel.h"
#include "jobs/choices.h"
#include "jobs/pages.h"
#include "jobs/stored_job.h"
#include "queue/groups.h"
#include "queue/stage.h"
#include "queue/task_list.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/jobs.h"
#include "store/pages.h"
#include "store/target_lock.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using model::JobState;
using model::Outcome;
using store::JobRecord;

// Runs `work` on the job and gives the job as it stands afterwards, all in one transaction.
template <class Work>
Result<JobRecord> act(db::Connection& connection, const JobOrder& order, Work&& work) {
  return db::in_transaction(connection, [&]() -> Result<JobRecord> {
    LADE_ASSIGN(const JobRecord job, require_job(connection, order.job, order.company));
    LADE_TRY(work(job));
    return require_job(connection, std::to_string(job.id), order.company);
  });
}

// Where the job's files lie: its tasks know, and so does its upload.
Result<std::string> storage_of(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const auto tasks, queue::list_tasks(connection, {.group = job.uuid, .limit = 1}));
  if (!tasks.empty()) return tasks.front().storage;
  LADE_ASSIGN(const auto file, store::find_file(connection, job.file_id));
  return file ? file->storage : std::string();
}

std::string event_data(const Retry& retry) {
  boost::json::object data;
  if (!retry.limits.max_errors.empty()) data["max_errors"] = retry.limits.max_errors;
  if (!retry.limits.fail_when.empty()) data["fail_when"] = retry.limits.fail_when;
  if (retry.overwrite) data["overwrite"] = true;
  return boost::json::serialize(data);
}

// One line that says something.
Result<void> check_reason(const std::string& reason) {
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; };
  const bool blank = std::ranges::all_of(reason, [](char letter) { return letter == ' '; });
  if (!blank && reason.size() <= kMostReasonBytes && std::ranges::none_of(reason, is_control) &&
      !definition::find_invalid_utf8(reason))
    return {};
  return fail("reason_invalid", fmt::format("this is no reason of one line ({} bytes)", reason.size()),
              fmt::format("one line of UTF-8, not blank, of at most {} bytes", kMostReasonBytes), ErrorKind::usage);
}

// Whether the file is imported from where it lies instead of from the storage.
bool is_local(const JobRecord& job) {
  boost::system::error_code error;
  const boost::json::value options = boost::json::parse(job.options, error);
  return !error && options.is_object() && options.get_object().contains("local");
}

Result<void> check_file(db::Connection& connection, const JobRecord& job) {
  if (is_local(job) || job.undoes_id != 0) return {};
  LADE_ASSIGN(const auto file, store::find_file(connection, job.file_id));
  if (file) return {};
  return fail("file_gone", fmt::format("the file of job {} is not in the storage any more", job.slug),
              "import it again", ErrorKind::invalid);
}

Result<JobRecord> set_paused(db::Connection& connection, const JobOrder& order, bool paused) {
  return act(connection, order, [&](const JobRecord& job) -> Result<void> {
    LADE_TRY(store::set_job_paused(connection, job.id, paused, order.actor));
    return queue::pause_group(connection, job.uuid, paused);
  });
}

// Gives whether the job has ended.
Result<bool> pursue_cancel(db::Connection& connection, const JobRecord& job, const JobOrder& order) {
  LADE_TRY(queue::cancel_group(connection, job.uuid));
  LADE_ASSIGN(const auto tasks, queue::count_tasks(connection, job.uuid));
  if (tasks.live() > 0) return false;
  LADE_TRY(end_as_cancelled(connection, job.id, order));
  return true;
}

Result<std::optional<queue::Stage>> stage_of(db::Connection& connection, const JobRecord& job, std::string_view name) {
  const auto stage = queue::find_stage(connection, job.uuid, std::string(name));
  if (stage) return *stage;
  if (stage.error().code != "stage_not_found") return fail(stage.error());
  return std::nullopt;
}

// What was decided is to be decided again: the newest stage of the state in which the job ended ends once more.
Result<void> decide_again(db::Connection& connection, const JobRecord& job, JobState state) {
  LADE_ASSIGN(const JobGroup group, group_of(connection, job));
  if (state == JobState::preparing_data) return arm_planning(connection, group);
  const bool analysing = state == JobState::analysing_data;
  using Stages = std::vector<std::string_view>;
  for (const std::string_view name :
       analysing ? Stages{kCompareTask, kSettleTask, kAnalyseTask} : Stages{kOrphansTask, kProcessTask}) {
    LADE_ASSIGN(const auto stage, stage_of(connection, job, name));
    if (!stage) continue;
    LADE_TRY(queue::reopen_stage(connection, stage->id, queue::Ending::succeeded, 0));
    return queue::seal_stage(connection, stage->id);
  }
  return arm_judging(connection, group);
}

// The same for an undo.
Result<void> undo_again(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const std::int64_t tasks, queue::retry_group(connection, job.uuid));
  for (const std::string_view name : {kUndoRestTask, kUndoTask}) {
    LADE_ASSIGN(const auto stage, stage_of(connection, job, name));
    if (!stage) continue;
    if (tasks > 0) return {};
    LADE_TRY(queue::reopen_stage(connection, stage->id, queue::Ending::succeeded, 0));
    return queue::seal_stage(connection, stage->id);
  }
  // Its first task is the only one there can be so far.
  return tasks > 0 ? Result<void>() : arm_undo(connection, {job.id, job.uuid, "", job.company});
}

// Puts back what ended without success, and what was not even tried.
Result<void> arm_again(db::Connection& connection, const JobRecord& job, JobState state) {
  if (job.undoes_id != 0) return undo_again(connection, job);
  LADE_ASSIGN(const std::int64_t tasks, queue::retry_group(connection, job.uuid));
  if (state == JobState::processing_data) {
    LADE_ASSIGN(const auto processed, stage_of(connection, job, kProcessTask));
    LADE_ASSIGN(const auto whole, stage_of(connection, job, kOrphansTask));
    LADE_ASSIGN(const JobGroup group, group_of(connection, job));
    if (processed && !(whole && whole->finished())) return arm_rest(connection, group);
  }
  return tasks > 0 ? Result<void>() : decide_again(connection, job, state);
}

// Gives the job the limits and options of its retry, and its target if it needs that for itself.
Result<void> prepare_retry(db::Connection& connection, const JobRecord& job, JobState state, const Retry& retry) {
  LADE_ASSIGN(definition::Definition definition, definition_of(connection, job));
  if (!retry.limits.max_errors.empty() || !retry.limits.fail_when.empty()) {
    LADE_TRY(definition::set_limits(definition, retry.limits));
    LADE_TRY(store::set_job_snapshot(connection, job.id, definition::to_json(definition)));
  }
  if (retry.overwrite) LADE_TRY(store::set_job_options(connection, job.id, with_overwrite(job.options)));
  if (definition.lock != definition::Lock::target || state != JobState::processing_data) return {};
  LADE_ASSIGN(const auto tables, target_tables(connection, definition));
  LADE_ASSIGN(const auto holder, store::take_targets(connection, job.id, tables));
  if (!holder) return {};
  LADE_ASSIGN(const JobRecord other, require_job(connection, std::to_string(*holder), job.company));
  return fail("target_locked", fmt::format("job {} loads into the same table at the moment", other.slug),
              "retry when it has ended", ErrorKind::duplicate);
}

store::NewJob copy_of(const JobRecord& job, const JobOrder& order, bool force) {
  return {.uuid = new_uuid(),
          .definition_id = job.definition_id,
          .file_name = job.file_name,
          .file_bytes = job.file_bytes,
          .state = JobState::upload_completed,
          .file_id = job.file_id,
          .batch_id = job.batch_id,
          .options = without_corrections(job.options),
          .dedupe_hash = job.dedupe_hash,
          .forced = force,
          .created_by = order.actor,
          .company = order.company,
          .project = job.project,
          .created_by_id = order.actor_id};
}

// The definition as a job keeps it, reviewed as `review` says.
Result<std::string> reviewed_snapshot(db::Connection& connection, const JobRecord& job, const std::string& review,
                                      bool may_relax) {
  if (review.empty()) return store::job_snapshot(connection, job.id);
  LADE_ASSIGN(definition::Definition definition, definition_of(connection, job));
  ImportOptions options;
  options.review = review;
  options.may_relax_review = may_relax;
  LADE_TRY(apply_choices(definition, options));
  return definition::to_json(definition);
}

}  // namespace

Result<void> end_as_cancelled(db::Connection& connection, std::int64_t id, const JobOrder& order) {
  LADE_ASSIGN(const JobRecord job, require_job(connection, std::to_string(id), order.company));
  const std::int64_t read = std::max({job.rows.read, job.rows_analysed, job.rows_total.value_or(0)});
  store::JobAdvance rest;
  rest.rows.read = read - job.rows.read;
  rest.rows[Outcome::unprocessed] = read - job.rows.accounted();
  LADE_TRY(store::advance_job(connection, id, rest));
  LADE_TRY(store::cancel_pages(connection, id));
  LADE_TRY(store::change_job(connection, id, {.event = JobEvent::cancelled, .actor = order.actor}));
  return {};
}

Result<JobGroup> group_of(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(std::string storage, storage_of(connection, job));
  LADE_ASSIGN(std::string queue, queue_of(connection, job));
  return JobGroup{job.id, job.uuid, std::move(storage), job.company, std::move(queue)};
}

Error job_not_found(const std::string& reference) {
  return {"job_not_found", fmt::format("there is no job '{}'", reference),
          "give its id, UUID or slug as lade jobs lists them", ErrorKind::invalid};
}

Result<JobRecord> require_job(db::Connection& connection, const std::string& reference, std::int64_t company) {
  LADE_ASSIGN(auto job, store::find_job(connection, reference, company));
  if (!job) return fail(job_not_found(reference));
  return std::move(*job);
}

Result<JobRecord> pause_job(db::Connection& connection, const JobOrder& order) {
  return set_paused(connection, order, true);
}

Result<JobRecord> resume_job(db::Connection& connection, const JobOrder& order) {
  return set_paused(connection, order, false);
}

Result<JobRecord> cancel_job(db::Connection& connection, const JobOrder& order) {
  return act(connection, order, [&](const JobRecord& job) -> Result<void> {
    LADE_TRY(model::next(job.standing, JobEvent::cancelled));
    LADE_TRY(store::request_cancel(connection, job.id, order.actor));
    if (job.paused) {
      LADE_TRY(store::set_job_paused(connection, job.id, false, order.actor));
      LADE_TRY(queue::pause_group(connection, job.uuid, false));
    }
    LADE_TRY(pursue_cancel(connection, job, order));
    return {};
  });
}

Result<std::int64_t> finish_cancelled_jobs(db::Connection& connection) {
  LADE_ASSIGN(const auto ids, store::jobs_to_cancel(connection));
  std::int64_t ended = 0;
  for (const std::int64_t id : ids) {
    LADE_ASSIGN(const auto asked, store::job_with_id(connection, id));
    if (!asked) continue;
    const JobOrder order{.job = asked->uuid, .company = asked->company};
    const auto job = act(connection, order, [&](const JobRecord& found) -> Result<void> {
      // It may have ended meanwhile, and a rejected one ends by itself.
      if (!found.cancel_requested || !model::next(found.standing, JobEvent::cancelled)) return {};
      LADE_ASSIGN(const bool finished, pursue_cancel(connection, found, order));
      if (finished) ++ended;
      return {};
    });
    if (!job) return fail(job.error());
  }
  return ended;
}

Result<JobRecord> retry_job(db::Connection& connection, const JobOrder& order, const Retry& retry) {
  return act(connection, order, [&](const JobRecord& job) -> Result<void> {
    // A job that has loaded what it could goes on with the pages that failed, or whose rows have.
    if (job.standing.outcome == model::JobOutcome::succeeded && job.undoes_id == 0) {
      LADE_ASSIGN(const store::PageCounts pages, store::count_pages(connection, job.id));
      const bool has_failed = pages.total() > 0 && job.rows[Outcome::failed] > 0;
      if (pages.failed + pages.blocked + pages.cancelled > 0 || has_failed) {
        LADE_TRY(retry_pages(connection, order));
        return {};
      }
    }
    LADE_ASSIGN(const model::JobStanding now, store::retry_job(connection, job.id, order.actor, event_data(retry)));
    LADE_TRY(store::reset_pages(connection, job.id,
                                {.statuses = {std::string(store::page_status::kCancelled)}, .limit = 0}));
    LADE_TRY(check_file(connection, job));
    LADE_TRY(prepare_retry(connection, job, now.state, retry));
    store::JobAdvance again;
    again.rows[Outcome::unprocessed] = -job.rows[Outcome::unprocessed];
    LADE_TRY(store::advance_job(connection, job.id, again));
    return arm_again(connection, job, now.state);
  });
}

Result<JobRecord> approve_job(db::Connection& connection, const JobOrder& order, std::optional<std::int64_t> revision) {
  return act(connection, order, [&](const JobRecord& job) -> Result<void> {
    if (order.four_eyes && order.actor_id != 0 && job.created_by_id == order.actor_id)
      return fail("not_allowed", "nobody approves what they have uploaded themselves", "somebody else must look at it",
                  ErrorKind::usage);
    LADE_TRY(store::change_job(connection, job.id,
                               {.event = JobEvent::approved, .actor = order.actor, .revision = revision}));
    LADE_ASSIGN(const JobGroup group, group_of(connection, job));
    return arm_judging(connection, group);
  });
}

Result<JobRecord> reject_job(db::Connection& connection, const JobOrder& order,
                             const std::optional<std::string>& reason) {
  boost::json::object data;
  if (reason) {
    LADE_TRY(check_reason(*reason));
    data["reason"] = *reason;
  }
  return act(connection, order, [&](const JobRecord& job) -> Result<void> {
    LADE_TRY(store::change_job(
        connection, job.id, {.event = JobEvent::rejected, .actor = order.actor, .data = boost::json::serialize(data)}));
    LADE_ASSIGN(const JobGroup group, group_of(connection, job));
    return arm_ending(connection, group);
  });
}

Result<std::string> rejection_reason(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const auto event, store::last_event(connection, job.id, to_string(JobEvent::rejected)));
  if (!event) return std::string();
  boost::system::error_code error;
  const boost::json::value data = boost::json::parse(event->data, error);
  const boost::json::value* const reason =
      error || !data.is_object() ? nullptr : data.get_object().if_contains("reason");
  return reason != nullptr && reason->is_string() ? std::string(reason->get_string()) : std::string();
}

Result<JobRecord> clone_job(db::Connection& connection, const JobOrder& order, bool force, const std::string& review,
                            bool may_relax_review) {
  return db::in_transaction(connection, [&]() -> Result<JobRecord> {
    LADE_ASSIGN(const JobRecord job, require_job(connection, order.job, order.company));
    LADE_TRY(check_is_import(job));
    LADE_TRY(check_file(connection, job));
    store::NewJob copy = copy_of(job, order, force);
    LADE_ASSIGN(copy.snapshot, reviewed_snapshot(connection, job, review, may_relax_review));
    LADE_ASSIGN(const std::int64_t id, admit_job(connection, copy));
    LADE_ASSIGN(JobRecord clone, require_job(connection, std::to_string(id), order.company));
    LADE_ASSIGN(std::string storage, storage_of(connection, job));
    LADE_ASSIGN(std::string queue, queue_of(connection, clone));
    LADE_TRY(arm_planning(connection, {clone.id, clone.uuid, std::move(storage), clone.company, std::move(queue)}));
    return clone;
  });
}

Result<DeletedJob> delete_job(db::Connection& connection, const JobOrder& order) {
  return db::in_transaction(connection, [&]() -> Result<DeletedJob> {
    LADE_ASSIGN(JobRecord job, require_job(connection, order.job, order.company));
    LADE_ASSIGN(const std::string storage, storage_of(connection, job));
    LADE_ASSIGN(auto files, store::remove_job(connection, job.id));
    for (store::UnwantedFile& file : files)
      if (file.storage.empty()) file.storage = storage;
    LADE_TRY(queue::delete_group(connection, job.uuid));
    return DeletedJob{std::move(job), std::move(files)};
  });
}

}  // namespace lade::jobs
