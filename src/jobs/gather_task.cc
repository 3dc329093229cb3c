#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "base/failpoint.h"
#include "base/log.h"
#include "db/in_transaction.h"
#include "jobs/cancel.h"
#include "jobs/fix.h"
#include "jobs/manifest.h"
#include "jobs/pages.h"
#include "queue/groups.h"
#include "queue/stage.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using store::JobRecord;
using store::PageRecord;

constexpr std::string_view kNoFile[] = {"file_gone", "file_not_found", "stored_file_missing"};

// The groups of pages that these rows are in.
std::vector<std::size_t> groups_of(const std::vector<std::int64_t>& rows) {
  std::set<std::size_t> groups;
  for (const std::int64_t row : rows) groups.insert(static_cast<std::size_t>((row - 1) / kPagesOfTask));
  return {groups.begin(), groups.end()};
}

Result<std::vector<std::size_t>> open_groups(db::Connection& connection, std::int64_t job, std::int64_t rows) {
  LADE_ASSIGN(const auto pages, store::open_pages(connection, job, 1, rows));
  std::vector<std::int64_t> open;
  for (const store::OpenPage& page : pages) open.push_back(page.row_id);
  return groups_of(open);
}

std::string event_data(std::string_view name, std::int64_t count) {
  return boost::json::serialize(boost::json::object{{name, count}});
}

// Pages of tasks that were given up.
Result<void> fail_given_up(queue::TaskContext& context, db::Connection& connection, std::int64_t job) {
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
  LADE_TRY(context.save_progress(connection, ""));
  LADE_TRY(store::fail_open_pages(
      connection, job,
      {.code = "scrape_failed", .message = "the task that fetched it was given up", .reason = "task_given_up"}));
  return transaction.commit();
}

// Rows whose pages have failed or come, now that they were tried once more, are corrected: what was fetched stands in
// the place of what was missing.
Result<void> mend(queue::TaskContext& context, Desk& desk, db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const definition::Definition definition, definition_of(connection, job));
  const steps::PageRules rules = steps::page_rules(definition);
  LADE_ASSIGN(const auto pages, store::list_pages(connection, job.id, {.not_gathered = true, .limit = 0}));
  std::vector<Fix> fixes;
  std::vector<std::int64_t> rows;
  for (const PageRecord& page : pages) {
    fixes.push_back({page.row_id, page_cells(page, rules)});
    rows.push_back(page.row_id);
  }
  LADE_ASSIGN(queue::Publication publication, context.publish(connection));
  const ReviewPlace place{desk.storage(), desk.here()};
  const JobOrder order{.job = job.uuid, .company = job.company};
  std::vector<RefusedFix> refused;
  auto mended = try_fixes(connection, place, order, fixes, refused);
  // Rows that somebody has corrected by hand stay as they are; without any other the job goes on all the same.
  if (!mended && !refused.empty())
    mended = try_fixes(connection, place, order, without_refused(std::move(fixes), refused), refused);
  if (!mended) return fail(std::move(mended).error());
  LADE_TRY(store::mark_gathered(connection, job.id, rows));
  LADE_FAILPOINT("gathered");
  LADE_TRY(publication.commit());
  desk.close(job.id);
  return {};
}

// Records, plan and all analyse tasks in one transaction.
Result<void> gather_first(queue::TaskContext& context, Desk& desk, db::Connection& connection, std::int64_t id) {
  LADE_ASSIGN(StoredJob stored, load_job(connection, id, desk.here(), desk.storage()));
  LADE_TRY(verify_file(connection, stored, desk.storage()));
  Job& job = *stored.job;
  {
    LADE_ASSIGN(const Manifest manifest, read_manifest(job.input, stored.definition));
    LADE_ASSIGN(source::Input records, gather_records(connection, id, manifest, steps::page_rules(stored.definition),
                                                      desk.here(), context.stop()));
    job.input = std::move(records);
  }
  const source::Overrides overrides = record_overrides(stored.definition);
  auto session = plan_job(job, stored.definition, context.stop(), {}, &overrides);
  if (!session) return fail(std::move(session).error().within(stored.record.file_name));
  FileRange all(job.input.file, 0, job.input.bytes);
  LADE_ASSIGN(const storage::StoredFile kept, desk.storage().store(all));
  LADE_ASSIGN(job.input.file, desk.storage().read(kept.id, kept.bytes));
  LADE_ASSIGN(queue::Publication publication, context.publish(connection));
  LADE_TRY(record_records(connection, id, kept));
  LADE_TRY(store::mark_gathered(connection, id));
  LADE_TRY(arm_analysis(connection, stored.group, job.plan));
  LADE_FAILPOINT("gathered");
  LADE_TRY(publication.commit());
  desk.progress().rows_total = job.plan.split.rows;
  desk.progress().phase = Phase::analysing;
  desk.put(std::move(stored.job));
  return {};
}

// Whether all that was staged of the job is there, as its fixes need it.
Result<void> check_staged(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  if (static_cast<std::int64_t>(segments.size()) == job.chunks) return {};
  if (job.chunks_done < job.chunks)
    return fail("transition_refused", fmt::format("job {} ended before all its rows were analysed", job.slug),
                "retry it first", ErrorKind::invalid);
  return fail("staging_gone", fmt::format("what was staged of job {} is not kept any more", job.slug),
              "import the failed rows as a job of its own", ErrorKind::invalid);
}

}  // namespace

Error manifest_error(db::Connection& connection, std::int64_t job, Error error) {
  if (std::ranges::find(kNoFile, error.code) == std::end(kNoFile)) return error;
  const auto record = store::job_with_id(connection, job);
  if (!record || !*record) return error;
  const auto definition = definition_of(connection, **record);
  if (!definition || !steps::fetches_pages(*definition)) return error;
  error.code = "manifest_missing";
  return error;
}

Result<void> plan_pages(queue::TaskContext& context, db::Connection& connection, const StoredJob& stored,
                        Progress& progress) {
  LADE_ASSIGN(const store::PageCounts counts, store::count_pages(connection, stored.record.id));
  const bool is_new = counts.total() == 0;
  std::optional<Manifest> manifest;
  if (is_new) {
    auto read = read_manifest(stored.job->input, stored.definition);
    if (!read) return fail(std::move(read).error().within(stored.record.file_name));
    manifest.emplace(std::move(*read));
    // What does not fit is refused before anything is fetched.
    LADE_TRY(check_binding(*stored.job, stored.definition,
                           record_header(*manifest, steps::page_rules(stored.definition)), connection));
  }
  LADE_ASSIGN(queue::Publication publication, context.publish(connection));
  std::int64_t rows = counts.total();
  if (is_new) {
    auto read = read_pages(*manifest, stored.job->uuid, context.stop(), [&](std::vector<store::NewPage> pages) {
      return store::insert_pages(connection, stored.record.id, pages);
    });
    if (!read) return fail(std::move(read).error().within(stored.record.file_name));
    rows = *read;
    LADE_TRY(store::save_plan(connection, stored.record.id, {.rows_total = rows}));
    LADE_TRY(store::append_event(connection, {stored.record.id, "pages_planned", "", event_data("pages", rows)}));
  }
  LADE_ASSIGN(const auto groups, open_groups(connection, stored.record.id, rows));
  LADE_TRY(arm_fetching(connection, stored.group, groups));
  LADE_TRY(publication.commit());
  progress.pages_total = rows;
  progress.pages_done = counts.ended();
  log(LogLevel::info, "pages_planned",
      {{"job", stored.job->uuid}, {"company", std::to_string(stored.record.company)}, {"pages", std::to_string(rows)}});
  return {};
}

Result<void> gather_pages(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  LADE_TRY(desk.fetching().close(target.job, context.sessions(), context.task().lease.node));
  LADE_ASSIGN(const auto connection, db::connect(context.sessions().url()));
  LADE_ASSIGN(const auto record, store::job_with_id(*connection, target.job));
  if (!record) return fail("job_not_found", "the job was deleted");
  LADE_ASSIGN(const bool current, queue::is_finaliser(*connection, context.task().lease.task));
  if (!current) return {};
  if (record->cancel_requested) {
    LADE_ASSIGN(queue::Publication publication, context.publish(*connection));
    LADE_TRY(end_as_cancelled(*connection, target.job, {.job = record->uuid, .company = record->company}));
    return publication.commit();
  }
  LADE_TRY(fail_given_up(context, *connection, target.job));
  LADE_ASSIGN(const store::JobPlan plan, store::read_plan(*connection, target.job));
  return plan.plan.empty() ? gather_first(context, desk, *connection, target.job)
                           : mend(context, desk, *connection, *record);
}

Result<source::Input> gather_again(db::Connection& connection, const JobRecord& job, source::Input manifest,
                                   const definition::Definition& definition, const ImportOptions& here) {
  LADE_ASSIGN(const Manifest read, read_manifest(manifest, definition));
  return gather_records(connection, job.id, read, steps::page_rules(definition), here, {});
}

Result<std::int64_t> requeue_stuck_pages(db::Connection& connection, std::chrono::milliseconds threshold,
                                         std::int64_t job) {
  return db::in_transaction(connection, [&]() -> Result<std::int64_t> {
    LADE_ASSIGN(const auto stuck, store::release_stuck_pages(connection, threshold, job));
    std::map<std::int64_t, std::int64_t> jobs;
    for (const store::StuckPage& page : stuck) ++jobs[page.job];
    for (const auto& [id, pages] : jobs)
      LADE_TRY(store::append_event(connection, {id, "page_marked_retryable", "", event_data("pages", pages)}));
    return static_cast<std::int64_t>(stuck.size());
  });
}

Result<JobRecord> retry_pages(db::Connection& connection, const JobOrder& order, const store::PageFilter& filter) {
  return db::in_transaction(connection, [&]() -> Result<JobRecord> {
    LADE_ASSIGN(const JobRecord job, require_job(connection, order.job, order.company));
    LADE_ASSIGN(const definition::Definition definition, definition_of(connection, job));
    if (!steps::fetches_pages(definition))
      return fail("transition_refused", fmt::format("job {} has no pages", job.slug), "retry the job itself",
                  ErrorKind::invalid);
    LADE_ASSIGN(const store::JobPlan plan, store::read_plan(connection, job.id));
    LADE_TRY(store::change_job(connection, job.id, {.event = JobEvent::pages_retried, .actor = order.actor}));
    if (!plan.plan.empty()) LADE_TRY(check_staged(connection, job));
    LADE_ASSIGN(const auto rows, store::reset_pages(connection, job.id, filter));
    if (rows.empty())
      return fail("pages_not_found", fmt::format("no page of job {} that could be fetched again is meant", job.slug),
                  "only failed, blocked and cancelled pages are", ErrorKind::invalid);
    LADE_TRY(queue::clear_group(connection, job.uuid));
    LADE_ASSIGN(const JobGroup group, group_of(connection, job));
    LADE_TRY(arm_fetching(connection, group, groups_of(rows)));
    return require_job(connection, std::to_string(job.id), order.company);
  });
}

}  // namespace lade::jobs
