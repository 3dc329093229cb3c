#include "jobs/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "db/in_transaction.h"
#include "jobs/arm.h"
#include "jobs/source_record.h"
#include "jobs/staged_rows.h"
#include "jobs/stored_job.h"
#include "queue/groups.h"
#include "queue/stage.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/journal.h"
#include "store/outcomes.h"
#include "store/pages.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using model::JobState;
using model::Outcome;
using store::JobRecord;

constexpr std::size_t kShown = 20;
constexpr std::int64_t kBucketsAtOnce = 16;

std::string event_data(const std::vector<Fix>& fixes) {
  boost::json::array rows;
  for (std::size_t i = 0; i < std::min(fixes.size(), kShown); ++i) rows.emplace_back(fixes[i].row);
  return boost::json::serialize(boost::json::object{{"rows", fixes.size()}, {"first", std::move(rows)}});
}

Error fixes_invalid(const std::vector<RefusedFix>& refused) {
  std::string shown;
  for (std::size_t i = 0; i < std::min(refused.size(), kShown); ++i)
    shown += fmt::format("{}row {}: {}", shown.empty() ? "" : "; ", refused[i].row, refused[i].message);
  if (refused.size() > kShown) shown += fmt::format("; and {} more", refused.size() - kShown);
  return {"fixes_invalid", fmt::format("{} of the rows cannot be fixed: {}", refused.size(), shown),
          "nothing was changed; leave these rows out and send the others again", ErrorKind::invalid};
}

// Whether all that was staged of the job is there.
Result<void> check_staging(db::Connection& connection, const JobRecord& job) {
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  if (job.chunks > 0 && static_cast<std::int64_t>(segments.size()) == job.chunks) return {};
  if (job.chunks_done < job.chunks || (job.chunks == 0 && job.rows_total.value_or(1) > 0))
    return fail("transition_refused", fmt::format("job {} ended before all its rows were analysed", job.slug),
                "retry it first", ErrorKind::invalid);
  return fail("staging_gone", fmt::format("what was staged of job {} is not kept any more", job.slug),
              "import the corrected failed file as a job of its own", ErrorKind::invalid);
}

// A job that fetches pages again corrects their rows itself, when all have ended.
Result<void> check_pages(db::Connection& connection, const JobRecord& job) {
  if (job.standing.state != JobState::preparing_data) return {};
  LADE_ASSIGN(const store::PageCounts pages, store::count_pages(connection, job.id));
  if (pages.total() > 0 && pages.open() == 0) return {};
  return fail("transition_refused", fmt::format("job {} has not ended", job.slug), "fix its rows when it has",
              ErrorKind::invalid);
}

// A whole set becomes visible at once: rows are not added to one that was, nor is what a later job has made of it
// replaced. Where somebody was asked because too many rows would go, what they have seen would not be so any more.
Result<void> check_set(db::Connection& connection, const JobRecord& job, const definition::Definition& definition) {
  if (definition.set() == nullptr) return {};
  const std::string& table = definition.load.front().table;
  const auto refuse = [&](std::string_view why) {
    return fail("fix_not_possible", fmt::format("{} is replaced as a whole, and {}", table, why),
                "correct the whole file and import it again", ErrorKind::invalid);
  };
  LADE_ASSIGN(const auto loaded, store::loaded_buckets(connection, job.id));
  if (!loaded.empty()) return refuse(fmt::format("rows of job {} are in it already", job.slug));
  LADE_ASSIGN(const auto described, connection.describe(table));
  LADE_ASSIGN(const bool is_older, store::is_written_later(connection, job.id, described ? described->quoted : table));
  if (is_older) return refuse("a later import has done so");
  if (!compares_before(definition) && queue::find_stage(connection, job.uuid, std::string(kCompareTask)))
    return refuse("somebody was asked whether so many rows may go");
  return {};
}

// Which of the rows have failed.
class FailedRows {
 public:
  FailedRows(const Job& job, const storage::Storage& storage, std::set<std::uint32_t> wanted)
      : job_(job), staged_(job, storage), wanted_(std::move(wanted)) {}

  Result<std::set<std::uint32_t>> find(db::Connection& connection) {
    LADE_TRY(staged_.open(connection));
    LADE_TRY(ask_corrections(connection));
    LADE_TRY(ask_chunks());
    const auto parts = static_cast<std::int64_t>(job_.plan.parts());
    for (std::int64_t first = 0; first < parts; first += kBucketsAtOnce) {
      LADE_ASSIGN(const auto outcomes, store::outcomes_of(connection, job_.id, first, first + kBucketsAtOnce - 1));
      for (const store::BucketOutcomes& bucket : outcomes)
        LADE_TRY(store::for_each_outcome(bucket.packed, [&](const store::RowOutcome& row) -> Result<void> {
          if (row.outcome == Outcome::failed && wanted_.contains(row.row_id)) failed_.insert(row.row_id);
          return {};
        }));
    }
    return std::move(failed_);
  }

 private:
  Result<void> ask_corrections(db::Connection& connection) {
    LADE_ASSIGN(const auto corrections, Corrections::read(connection, job_.id, job_.plan.splitters));
    if (!corrections) return {};
    corrected_ = corrections->rows();
    staging::IssueLog findings(*job_.area);
    staging::IssueWriter writer(findings);
    LADE_TRY(corrections->write_findings(writer));
    staging::IssueCounts counted;
    LADE_TRY(writer.publish(counted));
    return ask(findings);
  }

  Result<void> ask_chunks() {
    std::set<std::size_t> chunks;
    for (const std::uint32_t row : wanted_) chunks.insert(chunk_of(job_.plan, row));
    for (const std::size_t chunk : chunks) {
      staging::IssueLog findings(*job_.area);
      LADE_ASSIGN(staging::Range range, staged_.findings(chunk));
      range.left_out = &corrected_;
      findings.add_range(range);
      LADE_TRY(ask(findings));
    }
    return {};
  }

  Result<void> ask(const staging::IssueLog& findings) {
    staging::IssueReader reader(findings);
    for (staging::Finding finding;;) {
      LADE_ASSIGN(const bool more, reader.next(finding));
      if (!more) return {};
      if (finding.verdict == Outcome::failed && wanted_.contains(finding.place.row_id))
        failed_.insert(finding.place.row_id);
    }
  }

  const Job& job_;
  StagedRows staged_;
  const std::set<std::uint32_t> wanted_;
  std::set<std::uint32_t> corrected_, failed_;
};

// The fixes by row; what cannot be fixed is told.
Result<RowCells> check_rows(db::Connection& connection, const Job& job, const storage::Storage& storage,
                            const std::vector<Fix>& fixes, std::vector<RefusedFix>& refused) {
  RowCells cells;
  std::set<std::uint32_t> wanted;
  for (const Fix& fix : fixes) {
    if (fix.row < 1 || fix.row > job.plan.split.rows) {
      refused.push_back({fix.row, "row_not_found", "the file has no such row"});
    } else if (!cells.emplace(fix.row, fix.cells).second) {
      refused.push_back({fix.row, "row_repeated", "it is given twice"});
    } else {
      wanted.insert(static_cast<std::uint32_t>(fix.row));
    }
  }
  LADE_ASSIGN(const auto failed, FailedRows(job, storage, wanted).find(connection));
  for (const std::uint32_t row : wanted)
    if (!failed.contains(row)) refused.push_back({row, "row_not_failed", "it has not failed"});
  std::ranges::stable_sort(refused, {}, &RefusedFix::row);
  if (!refused.empty()) return fail(fixes_invalid(refused));
  return cells;
}

// What ended of the job's tasks without success is forgotten, and what follows its analysis follows once more.
Result<void> arm_again(db::Connection& connection, const JobRecord& job) {
  LADE_TRY(queue::clear_group(connection, job.uuid));
  LADE_ASSIGN(const queue::Stage analysed, queue::find_stage(connection, job.uuid, std::string(kAnalyseTask)));
  return queue::seal_stage(connection, analysed.id);
}

}  // namespace

Result<JobRecord> fix_rows(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                           const std::vector<Fix>& fixes, std::vector<RefusedFix>& refused) {
  return db::in_transaction(connection, [&]() -> Result<JobRecord> {
    LADE_ASSIGN(const JobRecord record, require_job(connection, order.job, order.company));
    LADE_TRY(check_pages(connection, record));
    // Whoever fixes other rows of the job waits from here on, and is refused then.
    LADE_ASSIGN(const model::JobStanding standing,
                store::change_job(connection, record.id,
                                  {.event = JobEvent::fixed, .actor = order.actor, .data = event_data(fixes)}));
    LADE_ASSIGN(const definition::Definition definition, definition_of(connection, record));
    LADE_TRY(check_set(connection, record, definition));
    LADE_TRY(check_staging(connection, record));
    LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
    LADE_ASSIGN(const RowCells cells, check_rows(connection, *job, place.storage, fixes, refused));
    store::JobAdvance again;
    again.rows[Outcome::unprocessed] = -record.rows[Outcome::unprocessed];
    LADE_TRY(store::advance_job(connection, record.id, again));
    LADE_TRY(apply_corrections(connection, *job, place.storage, cells, {order.actor, record.review_revision + 1}));
    if (standing.state != JobState::waiting_for_review) LADE_TRY(arm_again(connection, record));
    return require_job(connection, std::to_string(record.id), order.company);
  });
}

Result<JobRecord> try_fixes(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                            const std::vector<Fix>& fixes, std::vector<RefusedFix>& refused) {
  refused.clear();
  LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection));
  auto fixed = fix_rows(connection, place, order, fixes, refused);
  if (fixed)
    LADE_TRY(savepoint.release());
  else
    LADE_TRY(savepoint.rollback());
  return fixed;
}

std::vector<Fix> without_refused(std::vector<Fix> fixes, const std::vector<RefusedFix>& refused) {
  std::set<std::int64_t> out;
  for (const RefusedFix& one : refused) out.insert(one.row);
  std::erase_if(fixes, [&](const Fix& fix) { return out.contains(fix.row); });
  return fixes;
}

}  // namespace lade::jobs
