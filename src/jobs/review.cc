#include "jobs/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "db/in_transaction.h"
#include "jobs/analyse.h"
#include "jobs/bucket.h"
#include "jobs/resettle.h"
#include "jobs/store_issues.h"
#include "jobs/stored_job.h"
#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using model::Outcome;
using store::JobRecord;
using store::RowVersion;

constexpr std::string_view kMask = "***";

// Columns of the source from which sensitive values come.
std::set<std::size_t> sensitive_columns(const Job& job) {
  std::set<std::size_t> columns;
  for (const analysis::ColumnProgram& column : job.program->columns)
    if (column.column.sensitive && column.source >= 0) columns.insert(static_cast<std::size_t>(column.source));
  return columns;
}

Result<ReviewedRow> view_of(db::Connection& connection, const Job& job, JobRecord record, const SourceRecord& source,
                            std::int64_t version, const Cells& changes) {
  ReviewedRow row{.job = std::move(record), .row = source.row, .line = source.line, .version = version};
  LADE_ASSIGN(const std::vector<std::string> cells, cells_of(job, source));
  const std::set<std::size_t> sensitive = sensitive_columns(job);
  for (std::size_t i = 0; i < cells.size(); ++i)
    row.cells.emplace_back(job.plan.layout.header[i],
                           sensitive.contains(i) && !cells[i].empty() ? std::string(kMask) : readable(cells[i]));
  for (const auto& [column, text] : changes) row.changed.push_back(column);
  LADE_ASSIGN(row.issues, store::issues_of_row(connection, job.id, source.row));
  return row;
}

Error not_in_review(const JobRecord& job) {
  return {"transition_refused", fmt::format("job {} is {}: its rows cannot be corrected", job.slug, job.status()),
          "rows are corrected while their job waits for review", ErrorKind::invalid};
}

std::string event_data(const Correction& correction) {
  boost::json::array columns;
  for (const auto& [column, text] : correction.cells) columns.push_back(boost::json::string(column));
  return boost::json::serialize(boost::json::object{{"row", correction.row}, {"columns", std::move(columns)}});
}

// What the row was before: its chunk's findings tell of the source's own.
Result<std::vector<model::Issue>> issues_before(const Job& job, const StagedRows& staged,
                                                const std::optional<RowVersion>& version, std::size_t chunk,
                                                std::int64_t row) {
  if (version) return read_issues(version->issues);
  std::vector<model::Issue> issues;
  staging::IssueLog findings(*job.area);
  LADE_ASSIGN(const staging::Range range, staged.findings(chunk));
  findings.add_range(range);
  staging::IssueReader reader(findings);
  staging::Finding finding;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more || finding.place.row_id > row) return issues;
    if (finding.place.row_id == row) issues.push_back(finding.issue);
  }
}

// Counts the row's chunk as if it had been analysed with the row as it is now.
Result<void> recount(db::Connection& connection, const Job& job, std::size_t chunk,
                     const std::vector<model::Issue>& before, const std::vector<model::Issue>& now) {
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  store::SegmentRecord segment = segments.at(chunk);
  staging::IssueCounts counts;
  add_counts(counts, segment.issues);
  for (const model::Issue& issue : before) --counts[{issue.code, issue.column}];
  for (const model::Issue& issue : now) ++counts[{issue.code, issue.column}];
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  segment.issues = to_text(counts);
  const std::int64_t failures = std::int64_t{has_error(now)} - std::int64_t{has_error(before)};
  segment.failed_rows += failures;
  segment.rows -= failures;
  LADE_TRY(store::record_segment(connection, job.id, segment));
  model::RowCounts failed;
  failed[Outcome::failed] = failures;
  return store::advance_job(connection, job.id, {.rows = failed});
}

Result<void> replace_issues(db::Connection& connection, const Job& job, const staging::RowPlace& place,
                            const std::vector<model::Issue>& issues) {
  LADE_TRY(store::forget_issues(connection, job.id, place.row_id));
  staging::IssueLog findings(*job.area);
  staging::IssueWriter writer(findings);
  for (const model::Issue& issue : issues)
    LADE_TRY(
        writer.add({place, issue.severity == model::Severity::error ? Outcome::failed : Outcome::unchanged, issue}));
  staging::IssueCounts counted;
  LADE_TRY(writer.publish(counted));
  return store_issues(connection, job, findings);
}

RowVersion version_of(const SourceRecord& record, const AnalysedRecord& analysed, const Cells& cells,
                      const std::optional<RowVersion>& last) {
  return {.row_id = record.row,
          .version = last ? last->version + 1 : 1,
          .records = analysed.records,
          .line = record.line,
          .position = record.offset,
          .changes = to_text(cells),
          .issues = to_text(analysed.issues)};
}

// The row's chunk, by which its issues are counted.
std::size_t chunk_of(const Plan& plan, std::int64_t row) {
  const auto next = std::ranges::upper_bound(plan.split.chunks, row, {}, &csv::ChunkStart::row);
  return static_cast<std::size_t>(next - plan.split.chunks.begin() - 1);
}

// Stores the row's next version and everything that follows from it.
Result<void> store_version(db::Connection& connection, const Job& job, const storage::Folder& storage,
                           const RowVersion& version, const std::optional<RowVersion>& last, const std::string& actor) {
  LADE_TRY(store::save_row_version(connection, job.id, version, actor));
  StagedRows staged(job, storage);
  LADE_TRY(staged.open(connection));
  const std::size_t chunk = chunk_of(job.plan, version.row_id);
  LADE_ASSIGN(const auto before, issues_before(job, staged, last, chunk, version.row_id));
  const std::vector<model::Issue> now = read_issues(version.issues);
  const auto row = static_cast<std::uint32_t>(version.row_id);
  std::string records;
  if (last) {
    records = last->records;
  } else {
    LADE_ASSIGN(records, staged.records_of(chunk, row));
  }
  LADE_TRY(recount(connection, job, chunk, before, now));
  LADE_TRY(replace_issues(connection, job, {row, static_cast<std::uint32_t>(version.line), version.position}, now));
  return resettle(connection, job, staged, {row, records, version.records});
}

}  // namespace

Result<ReviewedRow> show_row(db::Connection& connection, const ReviewPlace& place, const JobRecord& record,
                             std::int64_t row) {
  LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
  LADE_ASSIGN(SourceRecord source, read_record(*job, row));
  LADE_ASSIGN(const auto version, store::find_row_version(connection, record.id, row));
  const Cells changes = version ? read_cells(version->changes) : Cells();
  LADE_ASSIGN(source, with_cells(*job, source, changes));
  return view_of(connection, *job, record, source, version ? version->version : 0, changes);
}

Result<ReviewedRow> correct_row(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                                const Correction& correction) {
  return db::in_transaction(connection, [&]() -> Result<ReviewedRow> {
    LADE_ASSIGN(const JobRecord record, require_job(connection, order.job, order.company));
    // Whoever corrects another row of the job waits from here on.
    LADE_ASSIGN(const model::JobStanding standing, store::change_job(connection, record.id,
                                                                     {.event = JobEvent::fixed,
                                                                      .actor = order.actor,
                                                                      .data = event_data(correction),
                                                                      .revision = correction.revision}));
    if (standing.state != model::JobState::waiting_for_review) return fail(not_in_review(record));
    LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
    LADE_ASSIGN(const SourceRecord source, read_record(*job, correction.row));
    LADE_ASSIGN(const auto last, store::find_row_version(connection, record.id, correction.row));
    Cells cells = last ? read_cells(last->changes) : Cells();
    for (const auto& [column, text] : correction.cells) cells[column] = text;
    LADE_ASSIGN(const SourceRecord corrected, with_cells(*job, source, cells));
    LADE_ASSIGN(const AnalysedRecord analysed, analyse_record(*job, connection, corrected));
    const RowVersion version = version_of(corrected, analysed, cells, last);
    LADE_TRY(store_version(connection, *job, place.storage, version, last, order.actor));
    LADE_ASSIGN(JobRecord now, require_job(connection, std::to_string(record.id), order.company));
    return view_of(connection, *job, std::move(now), corrected, version.version, cells);
  });
}

}  // namespace lade::jobs
