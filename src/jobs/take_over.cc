#include "jobs/take_over.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "db/in_transaction.h"
#include "jobs/apply_corrections.h"
#include "jobs/replace.h"
#include "jobs/stored_job.h"
#include "store/job_changes.h"
#include "store/row_versions.h"

namespace lade::jobs {
namespace {

// What was changed in each row, as it stands now.
Result<RowCells> corrections_of(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const auto versions, store::row_versions(connection, job.id));
  RowCells cells;
  for (const store::RowVersion& version : versions) cells[version.row_id] = read_cells(version.changes);
  std::erase_if(cells, [](const auto& row) { return row.second.empty(); });
  return cells;
}

// Whether a row's number means the same row in both.
bool same_rows(const Plan& one, const Plan& other) {
  return one.layout.header == other.layout.header && one.split.rows == other.split.rows && !one.split.chunks.empty() &&
         !other.split.chunks.empty() && one.split.chunks.front().offset == other.split.chunks.front().offset;
}

}  // namespace

Result<std::int64_t> corrected_rows(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const RowCells cells, corrections_of(connection, job));
  return static_cast<std::int64_t>(cells.size());
}

Result<TakenOver> take_over_corrections(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                                        const store::JobRecord& from) {
  return db::in_transaction(connection, [&]() -> Result<TakenOver> {
    LADE_ASSIGN(const store::JobRecord record, require_job(connection, order.job, order.company));
    LADE_ASSIGN(const RowCells cells, corrections_of(connection, from));
    if (cells.empty()) return TakenOver{0, record.review_revision};
    if (cells.size() > kMostReplacedRows)
      return fail("replace_too_large", fmt::format("more than {} rows would be changed", kMostReplacedRows),
                  "correct the file and import that", ErrorKind::invalid);
    LADE_ASSIGN(const StoredJob before, load_job(connection, from.id, place.here, place.storage));
    LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
    if (from.file_id != record.file_id || !same_rows(before.job->plan, job->plan))
      return fail("corrections_misfit",
                  fmt::format("job {} reads the file in another way than {}", record.slug, from.slug),
                  "correct its rows again", ErrorKind::invalid);
    const std::string data = boost::json::serialize(boost::json::object{{"rows", cells.size()}, {"from", from.uuid}});
    LADE_ASSIGN(
        const model::JobStanding standing,
        store::change_job(
            connection, record.id,
            {.event = model::JobEvent::fixed, .actor = order.actor, .data = data, .revision = record.review_revision}));
    if (standing.state != model::JobState::waiting_for_review)
      return fail("transition_refused",
                  fmt::format("job {} is {}: its rows cannot be corrected", record.slug, record.status()),
                  "while it waits for review they can", ErrorKind::invalid);
    LADE_TRY(apply_corrections(connection, *job, place.storage, cells, {order.actor, record.review_revision + 1}));
    return TakenOver{static_cast<std::int64_t>(cells.size()), record.review_revision + 1};
  });
}

}  // namespace lade::jobs
