#include "jobs/diff_summary.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

namespace lade::jobs {
namespace {

namespace json = boost::json;

struct Tally {
  ColumnChange column;
  std::vector<double> percents;
};
using Tallies = std::map<std::pair<std::string, std::string>, Tally>;

std::optional<double> number_of(const json::value& value) {
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.get_string();
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::int64_t integer_in(const json::object& record, std::string_view name) {
  const json::value* const found = record.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

void take_numbers(const json::object& record, const json::array& cell, double before, double now, Tally& tally) {
  (now > before ? tally.column.rises : tally.column.falls) += 1;
  if (before == 0) return;
  const double percent = (now - before) / std::abs(before) * 100;
  tally.percents.push_back(percent);
  if (tally.column.largest && std::abs(tally.column.largest->percent) >= std::abs(percent)) return;
  tally.column.largest = {integer_in(record, "row"), integer_in(record, "line"), std::string(cell[0].get_string()),
                          std::string(cell[1].get_string()), percent};
}

void take(const json::object& record, Tallies& tallies) {
  const std::string table(record.at("table").as_string());
  for (const auto& [name, value] : record.at("cells").as_object()) {
    const json::array* const cell = value.if_array();
    if (cell == nullptr || cell->size() != 2) continue;
    Tally& tally = tallies[{table, name}];
    ++tally.column.changes;
    const auto before = number_of((*cell)[0]), now = number_of((*cell)[1]);
    const bool blank = (*cell)[0].is_null() || (*cell)[1].is_null();
    if (before && now)
      take_numbers(record, *cell, *before, *now, tally);
    else if (!blank)
      tally.column.numbers = false;
  }
}

ColumnChange finish(const std::pair<std::string, std::string>& name, Tally tally) {
  tally.column.table = name.first;
  tally.column.column = name.second;
  if (tally.column.rises + tally.column.falls == 0) tally.column.numbers = false;
  if (!tally.percents.empty()) {
    const auto middle = tally.percents.begin() + static_cast<std::ptrdiff_t>(tally.percents.size() / 2);
    std::ranges::nth_element(tally.percents, middle);
    tally.column.median_percent = *middle;
  }
  return std::move(tally.column);
}

}  // namespace

Result<DiffSummary> summarise_diff(db::Connection& connection, const store::JobRecord& job) {
  constexpr std::int64_t kAtOnce = 1000;
  DiffSummary summary;
  Tallies tallies;
  std::int64_t after = 0;
  do {
    LADE_ASSIGN(const DiffPage page, diff_page(connection, job, {"update", ""}, after, kAtOnce));
    summary.counts = page.counts.records;
    for (const std::string& line : page.records) {
      boost::system::error_code error;
      const json::value record = json::parse(line, error);
      if (!error && record.is_object()) take(record.get_object(), tallies);
    }
    summary.looked_at += static_cast<std::int64_t>(page.records.size());
    after = page.next;
  } while (after != 0 && summary.looked_at < kMostSummarised);
  summary.complete = after == 0;
  for (auto& [name, tally] : tallies) summary.columns.push_back(finish(name, std::move(tally)));
  std::ranges::stable_sort(summary.columns, std::greater(), &ColumnChange::changes);
  return summary;
}

}  // namespace lade::jobs
