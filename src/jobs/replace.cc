#include "jobs/replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "db/in_transaction.h"
#include "jobs/apply_corrections.h"
#include "jobs/row_search.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

constexpr std::int64_t kRowsAtOnce = 2000;

Error too_many() {
  return {"replace_too_large", fmt::format("more than {} rows would be changed", kMostReplacedRows),
          "narrow it down by state or issue, or correct the file and import that", ErrorKind::invalid};
}

Result<std::size_t> column_of(const GridFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.columns(), name, &GridColumn::source);
  if (found == file.columns().end())
    return fail("source_column_unknown", fmt::format("the file has no column '{}'", name), "name one of its columns",
                ErrorKind::invalid);
  if (found->sensitive)
    return fail("sensitive_column", fmt::format("the values of column '{}' are not shown to anybody", name),
                "correct its rows one by one", ErrorKind::invalid);
  return static_cast<std::size_t>(found - file.columns().begin());
}

// What a cell reads afterwards; nullopt: it stays.
std::optional<std::string> replaced(const std::string& cell, const Replacement& wanted) {
  if (!wanted.part) return cell == wanted.from ? std::optional(wanted.to) : std::nullopt;
  if (wanted.from.empty() || cell.find(wanted.from) == std::string::npos) return std::nullopt;
  std::string text;
  std::size_t at = 0;
  for (std::size_t found = cell.find(wanted.from); found != std::string::npos; found = cell.find(wanted.from, at)) {
    text.append(cell, at, found - at).append(wanted.to);
    at = found + wanted.from.size();
  }
  return text.append(cell, at, std::string::npos);
}

Result<RowCells> find_cells(db::Connection& connection, const Grid& grid, const Replacement& wanted,
                            Replaced& account) {
  LADE_ASSIGN(const std::size_t column, column_of(*grid.file(), wanted.column));
  RowCells found;
  std::optional<TextFinder> finder;
  if (!wanted.rows.text.empty())
    finder.emplace(wanted.rows.text, grid.file()->columns(), grid.file()->job().plan.layout.dialect);
  const std::vector<std::int64_t> all = grid.index().page(wanted.rows, 0, grid.index().rows());
  for (std::size_t at = 0; at < all.size(); at += kRowsAtOnce) {
    const std::vector<std::int64_t> ids(
        all.begin() + static_cast<std::ptrdiff_t>(at),
        all.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRowsAtOnce, all.size())));
    LADE_ASSIGN(const auto rows, grid.cells(connection, ids));
    for (const GridRow& row : rows) {
      if (column >= row.cells.size() || (finder && !finder->is_in(row.cells))) continue;
      auto text = replaced(row.cells[column], wanted);
      if (!text || *text == row.cells[column]) continue;
      if (found.size() >= kMostReplacedRows) return fail(too_many());
      if (account.examples.size() < kMostReplacedExamples)
        account.examples.push_back({row.row, row.cells[column], *text});
      found[row.row] = {{wanted.column, CellText(std::move(*text))}};
    }
  }
  account.rows = static_cast<std::int64_t>(found.size());
  return found;
}

std::string event_data(const Replacement& wanted, const Replaced& account) {
  return boost::json::serialize(
      boost::json::object{{"rows", account.rows}, {"columns", boost::json::array{wanted.column}}});
}

}  // namespace

Result<Replaced> count_replaced(db::Connection& connection, const ReviewPlace& place, Grids& grids,
                                const store::JobRecord& job, const Replacement& replacement) {
  LADE_ASSIGN(const auto grid, grids.of(connection, place, job));
  Replaced account{.revision = job.review_revision};
  LADE_TRY(find_cells(connection, *grid, replacement, account));
  return account;
}

Result<Replaced> replace_cells(db::Connection& connection, const ReviewPlace& place, Grids& grids,
                               const JobOrder& order, const Replacement& replacement) {
  return db::in_transaction(connection, [&]() -> Result<Replaced> {
    LADE_ASSIGN(const store::JobRecord record, require_job(connection, order.job, order.company));
    LADE_ASSIGN(const auto grid, grids.of(connection, place, record));
    Replaced account{.revision = record.review_revision};
    LADE_ASSIGN(const RowCells cells, find_cells(connection, *grid, replacement, account));
    if (cells.empty()) return account;
    // Whoever corrects another row of the job waits from here on; what was found is of the revision that it names.
    LADE_ASSIGN(const model::JobStanding standing,
                store::change_job(connection, record.id,
                                  {.event = model::JobEvent::fixed,
                                   .actor = order.actor,
                                   .data = event_data(replacement, account),
                                   .revision = replacement.revision.value_or(record.review_revision)}));
    if (standing.state != model::JobState::waiting_for_review)
      return fail("transition_refused",
                  fmt::format("job {} is {}: its rows cannot be corrected", record.slug, record.status()),
                  "while it waits for review they can", ErrorKind::invalid);
    LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
    LADE_TRY(apply_corrections(connection, *job, place.storage, cells, {order.actor, record.review_revision + 1}));
    account.revision = record.review_revision + 1;
    return account;
  });
}

}  // namespace lade::jobs
