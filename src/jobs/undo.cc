#include "jobs/undo.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include <algorithm>

#include "base/id.h"
#include "db/in_transaction.h"
#include "jobs/arm.h"
#include "jobs/stored_job.h"
#include "queue/groups.h"
#include "store/job_changes.h"
#include "store/jobs.h"
#include "store/undo.h"

namespace lade::jobs {
namespace {

using load::UndoAction;
using model::JobEvent;
using model::Outcome;
using store::JobRecord;

constexpr std::size_t kMostExamples = 20;

// Whether the job has changed anything in the target.
bool has_written(const JobRecord& job) {
  const model::RowCounts& rows = job.rows;
  return rows[Outcome::inserted] + rows[Outcome::updated] + rows[Outcome::deleted] + rows.removed > 0;
}

Error journal_gone(const JobRecord& job) {
  return {"journal_gone", fmt::format("what job {} has changed is not known any more", job.slug),
          "journals are kept for 30 days; correct the rows by hand", ErrorKind::invalid};
}

Result<std::vector<db::Table>> tables_of(db::Connection& connection, const definition::Definition& definition) {
  std::vector<db::Table> tables;
  for (const definition::LoadEntry& entry : definition.load) {
    LADE_ASSIGN(auto table, connection.describe(entry.table));
    if (table && std::ranges::find(tables, table->quoted, &db::Table::quoted) == tables.end())
      tables.push_back(std::move(*table));
  }
  return tables;
}

// What a plan needs to know of the definition.
Result<UndoPlan> outline(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const definition::Definition definition, definition_of(connection, job));
  if (const definition::HandlerTarget* handler = definition.handler())
    return fail("cannot_undo", fmt::format("the rows of job {} went to the handler '{}'", job.slug, handler->name),
                "only the handler knows what it has done with them", ErrorKind::invalid);
  UndoPlan plan;
  plan.of = job.id;
  plan.at_once = definition.commit == definition::Commit::all_or_nothing;
  plan.locks_target = definition.lock == definition::Lock::target;
  plan.shows_keys = std::ranges::none_of(definition.columns, &definition::DataColumn::sensitive);
  LADE_ASSIGN(plan.tables, tables_of(connection, definition));
  return plan;
}

Result<void> check_table(const UndoPlan& plan, const store::JournalHead& head) {
  const auto table = std::ranges::find(plan.tables, head.table, &db::Table::quoted);
  if (table == plan.tables.end())
    return fail("cannot_undo", fmt::format("table {} is not there any more", head.table),
                "correct the other tables by hand", ErrorKind::invalid);
  if (!head.is_marker) return {};
  return fail("cannot_undo",
              fmt::format("{} rows were appended to {}, which has no key by which they could be found again", head.rows,
                          table->name),
              "give the table a primary key before the next import; these rows must be removed by hand",
              ErrorKind::invalid);
}

Result<void> check_not_undone(const JobRecord& job, const std::optional<JobRecord>& undo) {
  LADE_TRY(model::next(job.standing, JobEvent::undone));
  if (!undo || !store::is_open_undo(*undo)) return {};
  return fail(store::being_undone(job.slug, *undo));
}

store::NewJob new_undo(const JobRecord& job, const JobOrder& order) {
  store::NewJob undo{.uuid = new_uuid(),
                     .definition_id = job.definition_id,
                     .file_name = job.file_name,
                     .file_bytes = job.file_bytes,
                     .state = model::JobState::approved};
  undo.batch_id = 0;
  undo.dedupe_hash = "undo of " + job.uuid;
  undo.created_by = order.actor;
  undo.company = order.company;
  undo.project = job.project;
  undo.created_by_id = order.actor_id;
  undo.undoes = job.id;
  return undo;
}

Result<void> preview_buckets(db::Connection& connection, const UndoPlan& plan, const std::stop_token& stop,
                             UndoPreview& preview) {
  load::Undoer undoer(connection, plan.tables, plan.shows_keys);
  for (const auto& [bucket, blocks] : plan.buckets) {
    const auto read = journal_reader(connection, plan.of, bucket);
    LADE_ASSIGN(const load::UndoResult result, undoer.undo({blocks, read, {}}, stop));
    for (const auto& [number, action] : result.done) {
      preview.restored += action == UndoAction::restore;
      preview.removed += action == UndoAction::remove;
      preview.put_back += action == UndoAction::put_back;
    }
    preview.left += static_cast<std::int64_t>(result.left.size());
    for (const auto& [number, left] : result.left)
      if (preview.examples.size() < kMostExamples && !left.repeated) preview.examples.push_back(left);
  }
  return {};
}

// How the job had ended before it was undone.
JobEvent redoing(const JobRecord& job) {
  if (!job.error.empty()) return JobEvent::redone_failed;
  const bool broken_off = job.cancel_requested && job.rows[Outcome::unprocessed] > 0;
  return broken_off ? JobEvent::redone_cancelled : JobEvent::redone;
}

}  // namespace

Result<UndoPlan> plan_undo(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(UndoPlan plan, outline(connection, job));
  LADE_ASSIGN(auto heads, store::journal_heads(connection, job.id));
  // What the journal has of a version of a set is for its lineage only: the version before is still there.
  LADE_ASSIGN(const auto built, store::set_version_of(connection, job.id));
  if (built) heads.clear();
  LADE_ASSIGN(const auto change, version_change(connection, job));
  if (heads.empty() && has_written(job) && !change) return fail(journal_gone(job));
  for (const store::JournalHead& head : heads) {
    LADE_TRY(check_table(plan, head));
    plan.buckets[head.bucket].push_back({head.table, head.block, static_cast<std::uint32_t>(plan.rows) + 1, head.rows});
    plan.rows += head.rows;
  }
  return plan;
}

load::Undoer::ReadBlock journal_reader(db::Connection& connection, std::int64_t job, std::int64_t bucket) {
  return [&connection, job, bucket](const load::JournalPlace& place) {
    return store::journal_block(connection, job, bucket, place.table, place.block);
  };
}

Result<UndoPreview> preview_undo(db::Connection& connection, const JobRecord& job, const std::stop_token& stop) {
  LADE_ASSIGN(const auto undo, store::undo_of(connection, job));
  LADE_TRY(check_not_undone(job, undo));
  LADE_ASSIGN(const UndoPlan plan, plan_undo(connection, job));
  // Keys travel through temporary tables, which PostgreSQL does not make in a transaction that only reads.
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  LADE_ASSIGN(db::Transaction transaction,
              sqlite ? db::Transaction::begin_snapshot(connection) : db::Transaction::begin(connection));
  UndoPreview preview;
  LADE_TRY(preview_buckets(connection, plan, stop, preview));
  LADE_ASSIGN(preview.version, version_change(connection, job));
  LADE_TRY(transaction.rollback());
  return preview;
}

Result<JobRecord> undo_job(db::Connection& connection, const JobOrder& order, const std::string& reserved_by) {
  return db::in_transaction(connection, [&]() -> Result<JobRecord> {
    LADE_ASSIGN(const JobRecord job, require_job(connection, order.job, order.company));
    LADE_ASSIGN(const auto before, store::undo_of(connection, job));
    LADE_TRY(check_not_undone(job, before));
    LADE_ASSIGN(const UndoPlan plan, plan_undo(connection, job));
    store::NewJob undo = new_undo(job, order);
    LADE_ASSIGN(undo.snapshot, store::job_snapshot(connection, job.id));
    LADE_ASSIGN(const std::int64_t id, store::create_job(connection, undo));
    LADE_TRY(store::set_undone_by(connection, job, id));
    LADE_TRY(store::save_plan(connection, id, {plan.rows, 0, static_cast<std::int64_t>(plan.buckets.size()), ""}));
    LADE_TRY(store::advance_job(connection, id, {.rows_analysed = plan.rows}));
    LADE_TRY(queue::put_group(connection, {.id = undo.uuid, .reserved_by = reserved_by, .company = order.company}));
    LADE_ASSIGN(std::string queue, queue_of(connection, job));
    LADE_TRY(arm_undo(connection, {id, undo.uuid, "", order.company, std::move(queue)}));
    return require_job(connection, std::to_string(id), order.company);
  });
}

Result<void> note_undone(db::Connection& connection, const JobRecord& undo) {
  LADE_ASSIGN(const auto change, version_change_by(connection, undo));
  if (change) LADE_TRY(change_version(connection, *change));
  bool undone = true;  // or there again
  for (std::int64_t id = undo.undoes_id; id != 0; undone = !undone) {
    LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
    if (!job) return {};  // forgotten meanwhile
    const boost::json::object data{{"undo", undo.uuid}};
    LADE_TRY(store::change_job(connection, id,
                               {.event = undone ? JobEvent::undone : redoing(*job),
                                .actor = undo.created_by,
                                .data = boost::json::serialize(data)}));
    id = job->undoes_id;
  }
  return {};
}

}  // namespace lade::jobs
