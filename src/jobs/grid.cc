#include "jobs/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "db/values.h"
#include "jobs/row_search.h"
#include "load/diff.h"
#include "store/comparisons.h"

namespace lade::jobs {
namespace {

using db::integer_of;
using db::text_of;
using db::Value;

constexpr std::int64_t kMarkEvery = 1024;  // rows
constexpr std::string_view kMask = "***";

// The number of the row that a record of the diff is about; 0: none.
std::int64_t row_of(std::string_view record) {
  constexpr std::string_view kRow = ",\"row\":";
  const std::size_t at = record.find(kRow);
  std::int64_t row = 0;
  if (at != std::string_view::npos)
    std::from_chars(record.data() + at + kRow.size(), record.data() + record.size(), row);
  return row;
}

}  // namespace

Result<std::shared_ptr<GridFile>> GridFile::open(db::Connection& connection, const ReviewPlace& place,
                                                 const store::JobRecord& record) {
  if (!record.rows_total)
    return fail("results_not_ready",
                fmt::format("job {} is {}: its rows are not known yet", record.slug, record.status()),
                "wait until it is planned", ErrorKind::invalid);
  auto file = std::make_shared<GridFile>();
  LADE_ASSIGN(file->stored_, load_job(connection, record.id, place.here, place.storage));
  file->find_columns();
  return file;
}

void GridFile::find_columns() {
  const Plan& plan = stored_.job->plan;
  for (const std::string& name : plan.layout.header) columns_.push_back({.source = name});
  const definition::Definition definition = definition::with_matches(stored_.definition, plan.matches);
  std::vector<std::string> key;
  if (!definition.load.empty()) {
    const definition::LoadEntry& root = definition.load.front();
    for (const std::string& target : root.key) {
      const auto found = std::ranges::find(root.columns, target, &definition::TargetColumn::target);
      key.push_back(found == root.columns.end() ? target : found->data_column);
    }
  }
  for (const definition::DataColumn& column : definition.columns) {
    for (const std::string& from : column.from) {
      const int at = definition::find_name(plan.layout.header, from);
      if (at < 0) continue;
      GridColumn& found = columns_[static_cast<std::size_t>(at)];
      found.data.push_back(column.name);
      found.sensitive = found.sensitive || column.sensitive;
      found.key = found.key || std::ranges::find(key, column.name) != key.end();
      break;
    }
  }
}

Result<const std::vector<csv::ChunkStart>*> GridFile::marks_of(std::size_t chunk) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = marks_.find(chunk); found != marks_.end()) return &found->second;
  }
  const csv::ChunkStart& start = job().plan.split.chunks[chunk];
  std::vector<csv::ChunkStart> marks{start};
  FileRange range(job().input.file, start.offset, job().plan.chunk_end(chunk));
  csv::Reader reader(range, job().reader_options(start));
  csv::Batch batch;
  while (true) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    for (std::size_t i = 0; i < batch.rows(); ++i)
      if (batch.row_id(i) - marks.back().row >= kMarkEvery) {
        csv::ChunkStart mark = start;
        mark.row = batch.row_id(i);
        mark.line = batch.line(i);
        mark.offset = batch.offset(i);
        marks.push_back(mark);
      }
  }
  const std::lock_guard lock(mutex_);
  return &marks_.emplace(chunk, std::move(marks)).first->second;
}

Result<std::vector<SourceRecord>> GridFile::records(const std::vector<std::int64_t>& rows) {
  std::vector<SourceRecord> records;
  for (std::size_t at = 0; at < rows.size();) {
    if (rows[at] < 1 || rows[at] > job().plan.split.rows)
      return fail("row_not_found", fmt::format("the file has no row {}", rows[at]), "", ErrorKind::invalid);
    const std::size_t chunk = chunk_of(job().plan, rows[at]);
    LADE_ASSIGN(const auto* const marks, marks_of(chunk));
    const auto next = std::ranges::upper_bound(*marks, rows[at], {}, &csv::ChunkStart::row);
    const csv::ChunkStart& start = *(next - 1);
    const std::int64_t end = next == marks->end() ? job().plan.split.rows + 1 : next->row;
    const std::uint64_t end_offset = next == marks->end() ? job().plan.chunk_end(chunk) : next->offset;
    FileRange range(job().input.file, start.offset, end_offset);
    csv::Reader reader(range, job().reader_options(start));
    csv::Batch batch;
    while (at < rows.size() && rows[at] < end) {
      LADE_ASSIGN(const bool more, reader.next(batch));
      if (!more) break;
      for (; at < rows.size() && rows[at] < batch.row_id(0) + static_cast<std::int64_t>(batch.rows()); ++at) {
        const auto i = static_cast<std::size_t>(rows[at] - batch.row_id(0));
        records.push_back({rows[at], batch.line(i), batch.offset(i), std::string(batch.record(i))});
      }
    }
    // Rows of the next chunk begin behind the last mark of this one.
    if (at < rows.size() && rows[at] < end && chunk_of(job().plan, rows[at]) == chunk)
      return fail("row_not_found", fmt::format("the file ends before row {}", rows[at]), "", ErrorKind::invalid);
  }
  return records;
}

Result<std::vector<GridRow>> Grid::cells(db::Connection& connection, const std::vector<std::int64_t>& ids) const {
  std::vector<GridRow> rows;
  for (const std::int64_t id : ids) rows.push_back({.row = id, .state = index_->state(id)});
  LADE_TRY(add_cells(connection, rows));
  return rows;
}

Result<std::vector<GridRow>> Grid::rows(db::Connection& connection, const std::vector<std::int64_t>& ids) const {
  LADE_ASSIGN(std::vector<GridRow> rows, cells(connection, ids));
  LADE_TRY(add_issues(connection, rows));
  LADE_TRY(add_changes(connection, rows));
  return rows;
}

Result<GridPage> Grid::page(db::Connection& connection, const RowWish& wish, std::int64_t from,
                            std::int64_t limit) const {
  GridPage page{.matching = index_->count(wish), .from = from};
  LADE_ASSIGN(page.rows, rows(connection, index_->page(wish, from, limit)));
  for (GridRow& row : page.rows) row.index = from++;
  return page;
}

Result<void> Grid::add_cells(db::Connection& connection, std::vector<GridRow>& rows) const {
  std::vector<std::int64_t> ids;
  for (const GridRow& row : rows) ids.push_back(row.row);
  LADE_ASSIGN(auto records, file_->records(ids));
  const std::vector<GridColumn>& columns = file_->columns();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (index_->is_edited(rows[i].row)) {
      LADE_ASSIGN(const auto version, store::find_row_version(connection, file_->job().id, rows[i].row));
      const Cells changes = version ? read_cells(version->changes) : Cells();
      LADE_ASSIGN(records[i], with_cells(file_->job(), records[i], changes));
      for (std::size_t column = 0; column < columns.size(); ++column)
        if (changes.contains(columns[column].source)) rows[i].edited.push_back(column);
    }
    rows[i].line = records[i].line;
    LADE_ASSIGN(rows[i].cells, cells_of(file_->job(), records[i]));
    for (std::size_t column = 0; column < rows[i].cells.size(); ++column) {
      std::string& cell = rows[i].cells[column];
      const bool masked = column < columns.size() && columns[column].sensitive && !cell.empty();
      cell = masked ? std::string(kMask) : readable(cell);
    }
  }
  return {};
}

Result<void> Grid::add_issues(db::Connection& connection, std::vector<GridRow>& rows) const {
  std::vector<Value> values{file_->job().id};
  std::string places;
  for (const GridRow& row : rows)
    if (row.state == RowFate::failed || index_->has_warning(row.row)) {
      values.emplace_back(row.row);
      places += fmt::format("{}${}", places.empty() ? "" : ", ", values.size());
    }
  if (places.empty()) return {};
  LADE_ASSIGN(const auto found,
              connection.query("SELECT row_id, severity, code, column_name, value, message, hint FROM lade_issue "
                               "WHERE job_id = $1 AND row_id IN (" +
                                   places + ") ORDER BY row_id, severity, code, column_name",
                               values));
  for (const db::Row& line : found) {
    const auto row = std::ranges::lower_bound(rows, integer_of(line[0]), {}, &GridRow::row);
    if (row == rows.end() || row->issues.size() >= kMostRowIssues) continue;
    row->issues.push_back({text_of(line[1]) == "error" ? model::Severity::error : model::Severity::warning,
                           text_of(line[2]), text_of(line[3]), text_of(line[4]), text_of(line[5]), text_of(line[6])});
  }
  return {};
}

Result<void> Grid::add_changes(db::Connection& connection, std::vector<GridRow>& rows) const {
  std::map<std::uint32_t, bool> wanted;
  for (const GridRow& row : rows)
    for (const RowIndex::Change& change : index_->changes(row.row)) wanted[change.block] = true;
  if (wanted.empty()) return {};
  LADE_ASSIGN(const auto blocks, store::diff_places(connection, file_->job().id));
  for (const auto& [block, yes] : wanted) {
    if (block >= blocks.size()) continue;  // compared again meanwhile: the next look has another index
    LADE_ASSIGN(const std::string packed, store::diff_block(connection, file_->job().id, blocks[block]));
    LADE_ASSIGN(const std::string lines, load::unpack_diff(packed));
    for (std::string_view rest = lines; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      const std::string_view record = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      const std::int64_t id = row_of(record);
      const auto row = std::ranges::lower_bound(rows, id, {}, &GridRow::row);
      if (row != rows.end() && row->row == id) row->changes.emplace_back(record);
    }
  }
  return {};
}

Grids::Kept Grids::find(std::int64_t job) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, job, &Kept::job);
  if (found == kept_.end()) return {.job = job};
  std::rotate(found, found + 1, kept_.end());
  return kept_.back();
}

void Grids::keep(Kept kept) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Kept& one) { return one.job == kept.job; });
  kept_.push_back(std::move(kept));
  if (kept_.size() > kKept) kept_.erase(kept_.begin());
}

Result<std::shared_ptr<const RowIndex>> Grids::index_of(db::Connection& connection, const store::JobRecord& job) {
  Kept kept = find(job.id);
  std::string stamp = RowIndex::stamp(job);
  if (kept.index && kept.stamp == stamp) return kept.index;
  LADE_ASSIGN(kept.index, RowIndex::of(connection, job));
  kept.stamp = std::move(stamp);
  std::shared_ptr<const RowIndex> index = kept.index;
  keep(std::move(kept));
  return index;
}

std::shared_ptr<RowSearch> Grids::search(const Grid& grid, const store::JobRecord& job, const RowWish& wish) {
  const std::string name = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", RowIndex::stamp(job), static_cast<int>(wish.what),
                                       static_cast<int>(wish.state), wish.code, wish.column, wish.text);
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(searches_, name, [](const auto& kept) -> const std::string& { return kept.first; });
  if (found != searches_.end()) {
    std::rotate(found, found + 1, searches_.end());
    return searches_.back().second;
  }
  if (searches_.size() >= kKept) searches_.erase(searches_.begin());
  searches_.emplace_back(name, std::make_shared<RowSearch>(grid.file(), grid.shared_index(), wish));
  return searches_.back().second;
}

Result<std::shared_ptr<const Grid>> Grids::of(db::Connection& connection, const ReviewPlace& place,
                                              const store::JobRecord& job) {
  LADE_ASSIGN(auto index, index_of(connection, job));
  Kept kept = find(job.id);
  if (!kept.file) {
    LADE_ASSIGN(kept.file, GridFile::open(connection, place, job));
    keep(kept);
  }
  return std::make_shared<const Grid>(kept.file, std::move(index));
}

}  // namespace lade::jobs
