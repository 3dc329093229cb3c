#include "jobs/row_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "db/values.h"
#include "load/diff.h"
#include "store/comparisons.h"
#include "store/outcome_blob.h"
#include "store/outcomes.h"

namespace lade::jobs {
namespace {

using db::integer_of;
using db::text_of;
using db::Value;
using model::Outcome;

constexpr std::pair<std::string_view, RowFate> kStates[] = {
    {"failed", RowFate::failed},       {"inserted", RowFate::inserted}, {"updated", RowFate::updated},
    {"unchanged", RowFate::unchanged}, {"skipped", RowFate::skipped},   {"unprocessed", RowFate::unprocessed},
    {"deleted", RowFate::deleted}};

RowFate state_of(Outcome outcome) {
  for (const auto& [name, state] : kStates)
    if (name == model::to_string(outcome)) return state;
  return RowFate::unprocessed;
}

// A finding about several columns names them all, with commas between.
bool names_column(std::string_view columns, std::string_view wanted) {
  return fmt::format(", {}, ", columns).find(fmt::format(", {}, ", wanted)) != std::string::npos;
}

}  // namespace

std::string_view to_string(RowFate state) {
  for (const auto& [name, one] : kStates)
    if (one == state) return name;
  return "unprocessed";
}

Result<RowWish> row_wish(std::string_view word) {
  if (word == "all") return RowWish{};
  if (word == "warning") return RowWish{.what = RowWish::What::warning};
  if (word == "edited") return RowWish{.what = RowWish::What::edited};
  for (const auto& [name, state] : kStates)
    if (name == word) return RowWish{.what = RowWish::What::state, .state = state};
  return fail("request_invalid", fmt::format("no row is '{}'", word),
              "all, failed, warning, inserted, updated, unchanged, skipped, unprocessed or edited", ErrorKind::usage);
}

std::string RowIndex::stamp(const store::JobRecord& job) {
  return fmt::format("{}/{}/{}/{}/{}/{}/{}", job.id, job.review_revision, job.events, job.chunks_done,
                     job.buckets_settled, job.buckets_processed, job.rows.accounted());
}

Result<std::shared_ptr<const RowIndex>> RowIndex::of(db::Connection& connection, const store::JobRecord& job) {
  auto index = std::make_shared<RowIndex>();
  index->marks_.resize(static_cast<std::size_t>(job.rows_total.value_or(0)));
  LADE_TRY(index->read_outcomes(connection, job));
  if (job.standing.state == model::JobState::waiting_for_review) LADE_TRY(index->read_diff(connection, job));
  LADE_TRY(index->read_issues(connection, job));
  LADE_TRY(index->read_edits(connection, job));
  return index;
}

Result<void> RowIndex::read_outcomes(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const auto buckets, store::outcomes_of(connection, job.id, 0, std::numeric_limits<std::int32_t>::max()));
  for (const store::BucketOutcomes& bucket : buckets)
    LADE_TRY(store::for_each_outcome(bucket.packed, [&](const store::RowOutcome& row) -> Result<void> {
      if (row.row_id >= 1 && row.row_id <= marks_.size())
        marks_[row.row_id - 1] = static_cast<std::uint8_t>(state_of(row.outcome));
      return {};
    }));
  return {};
}

// Rows that were compared and are in no record of the diff stay as they are.
Result<void> RowIndex::read_diff(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const auto compared, store::compared_rows(connection, job.id));
  if (!compared) return {};
  for (std::uint8_t& mark : marks_)
    if (static_cast<RowFate>(mark) == RowFate::unprocessed) mark = static_cast<std::uint8_t>(RowFate::unchanged);
  LADE_ASSIGN(const auto blocks, store::diff_places(connection, job.id));
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    LADE_ASSIGN(const std::string packed, store::diff_block(connection, job.id, blocks[block]));
    LADE_ASSIGN(const std::string lines, load::unpack_diff(packed));
    for (std::string_view rest = lines; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      take_change(rest.substr(0, end), static_cast<std::uint32_t>(block));
      rest.remove_prefix(end + 1);
    }
  }
  std::ranges::stable_sort(changes_, {}, &Change::row);
  return {};
}

void RowIndex::take_change(std::string_view record, std::uint32_t block) {
  constexpr std::string_view kRow = ",\"row\":";
  const std::size_t at_row = record.find(kRow);
  std::uint32_t row = 0;
  if (at_row == std::string_view::npos) return;
  std::from_chars(record.data() + at_row + kRow.size(), record.data() + record.size(), row);
  if (row < 1 || row > marks_.size()) return;
  changes_.push_back({row, block});
  std::uint8_t& mark = marks_[row - 1];
  const auto state = static_cast<RowFate>(mark);
  if (state == RowFate::failed || state == RowFate::skipped) return;
  const bool insert = record.starts_with("{\"kind\":\"insert\"");
  // A row that goes into several tables is new only where nothing of it is there yet.
  mark = static_cast<std::uint8_t>(insert && state != RowFate::updated ? RowFate::inserted : RowFate::updated);
}

Result<void> RowIndex::read_issues(db::Connection& connection, const store::JobRecord& job) {
  constexpr std::int64_t kRowsAtOnce = 50'000;
  std::map<std::tuple<std::string, std::string, bool>, IssueGroup> groups;
  const std::int64_t last = rows();
  for (std::int64_t after = 0; after < last; after += kRowsAtOnce) {
    const Value values[] = {job.id, after, after + kRowsAtOnce};
    LADE_ASSIGN(const auto found,
                connection.query("SELECT row_id, severity, code, column_name FROM lade_issue WHERE job_id = $1 AND "
                                 "row_id > $2 AND row_id <= $3 ORDER BY row_id",
                                 values));
    for (const db::Row& line : found) {
      const auto row = static_cast<std::uint32_t>(integer_of(line[0]));
      const bool error = text_of(line[1]) == "error";
      IssueGroup& group = groups[{text_of(line[2]), text_of(line[3]), error}];
      group.error = error;
      ++group.count;
      if (group.rows.empty() || group.rows.back() != row) group.rows.push_back(row);
      if (row < 1 || row > marks_.size()) continue;
      std::uint8_t& mark = marks_[row - 1];
      if (error)
        mark = static_cast<std::uint8_t>((mark & ~kState) | static_cast<std::uint8_t>(RowFate::failed));
      else
        mark |= kWarning;
    }
  }
  for (auto& [key, group] : groups) {
    group.code = std::get<0>(key);
    group.column = std::get<1>(key);
    groups_.push_back(std::move(group));
  }
  return {};
}

Result<void> RowIndex::read_edits(db::Connection& connection, const store::JobRecord& job) {
  const Value values[] = {job.id};
  LADE_ASSIGN(const auto found, connection.query("SELECT DISTINCT row_id FROM lade_row_version WHERE job_id = $1 AND "
                                                 "version > 0",
                                                 values));
  for (const db::Row& line : found)
    if (const std::int64_t row = integer_of(line[0]); row >= 1 && row <= rows()) marks_[at(row)] |= kEdited;
  return {};
}

bool RowIndex::fits(const RowWish& wish, std::int64_t row) const {
  switch (wish.what) {
    case RowWish::What::all: return true;
    case RowWish::What::state: return state(row) == wish.state;
    case RowWish::What::warning: return has_warning(row);
    case RowWish::What::edited: return is_edited(row);
  }
  return false;
}

template <class Take>
void RowIndex::walk(const RowWish& wish, Take&& take) const {
  if (wish.code.empty() && wish.column.empty()) {
    for (std::int64_t row = 1; row <= rows(); ++row)
      if (fits(wish, row) && !take(row)) return;
    return;
  }
  std::set<std::uint32_t> wanted;
  for (const IssueGroup& group : groups_)
    if ((wish.code.empty() || group.code == wish.code) &&
        (wish.column.empty() || names_column(group.column, wish.column)))
      wanted.insert(group.rows.begin(), group.rows.end());
  for (const std::uint32_t row : wanted)
    if (fits(wish, row) && !take(static_cast<std::int64_t>(row))) return;
}

std::int64_t RowIndex::count(const RowWish& wish) const {
  if (wish.what == RowWish::What::all && wish.code.empty() && wish.column.empty()) return rows();
  std::int64_t found = 0;
  walk(wish, [&](std::int64_t) { return ++found, true; });
  return found;
}

std::vector<std::int64_t> RowIndex::page(const RowWish& wish, std::int64_t from, std::int64_t limit) const {
  std::vector<std::int64_t> found;
  std::int64_t passed = 0;
  walk(wish, [&](std::int64_t row) {
    if (passed++ >= from) found.push_back(row);
    return static_cast<std::int64_t>(found.size()) < limit;
  });
  return found;
}

std::int64_t RowIndex::place(const RowWish& wish, std::int64_t row) const {
  std::int64_t before = 0;
  walk(wish, [&](std::int64_t one) { return one < row ? (++before, true) : false; });
  return before;
}

std::span<const RowIndex::Change> RowIndex::changes(std::int64_t row) const {
  const auto [first, last] = std::ranges::equal_range(changes_, static_cast<std::uint32_t>(row), {}, &Change::row);
  return {first, last};
}

}  // namespace lade::jobs
