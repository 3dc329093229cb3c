#include "jobs/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "db/in_transaction.h"
#include "jobs/apply_corrections.h"
#include "jobs/source_record.h"
#include "jobs/stored_job.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using store::JobRecord;

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
          "while it waits for review they can; failed rows of a job that has ended are sent as fixes (lade fix)",
          ErrorKind::invalid};
}

std::string event_data(const Correction& correction) {
  boost::json::array columns;
  for (const auto& [column, text] : correction.cells) columns.push_back(boost::json::string(column));
  return boost::json::serialize(boost::json::object{{"row", correction.row}, {"columns", std::move(columns)}});
}

Result<ReviewedRow> show(db::Connection& connection, const Job& job, JobRecord record, std::int64_t row) {
  LADE_ASSIGN(SourceRecord source, read_record(job, row));
  LADE_ASSIGN(const auto version, store::find_row_version(connection, job.id, row));
  const Cells changes = version ? read_cells(version->changes) : Cells();
  LADE_ASSIGN(source, with_cells(job, source, changes));
  return view_of(connection, job, std::move(record), source, version ? version->version : 0, changes);
}

}  // namespace

Result<ReviewedRow> show_row(db::Connection& connection, const ReviewPlace& place, const JobRecord& record,
                             std::int64_t row) {
  LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
  return show(connection, *job, record, row);
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
    LADE_TRY(apply_corrections(connection, *job, place.storage, {{correction.row, correction.cells}},
                               {order.actor, record.review_revision + 1}));
    LADE_ASSIGN(JobRecord now, require_job(connection, std::to_string(record.id), order.company));
    return show(connection, *job, std::move(now), correction.row);
  });
}

}  // namespace lade::jobs
