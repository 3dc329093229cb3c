#include "source/sniff_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace lade::source {
namespace {

// What a cell looks like. Numbers, dates and times are all `typed`; a year is kept apart, because it also names
// columns.
enum class Look { blank, text, typed, year };

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

Look look_of(std::string_view cell) {
  const auto begin = cell.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return Look::blank;
  cell = cell.substr(begin, cell.find_last_not_of(" \t") + 1 - begin);
  const bool digits_only = std::ranges::all_of(cell, is_digit);
  if (digits_only && cell.size() == 4 && (cell.starts_with("19") || cell.starts_with("20"))) return Look::year;
  constexpr std::string_view kAround = "+-.,:/%' eETZ$()";
  const bool typed = std::ranges::any_of(cell, is_digit) && std::ranges::all_of(cell, [&](char byte) {
                       return is_digit(byte) || kAround.find(byte) != std::string_view::npos;
                     });
  return typed ? Look::typed : Look::text;
}

using Records = std::vector<SampleRecord>;

// The records that are judged.
constexpr std::size_t kJudgedRecords = 100;
// Lines above a header are few.
constexpr std::size_t kMostTitles = 30;

// The first record and those below it.
struct Table {
  const Records& records;
  std::size_t first;

  const std::vector<std::string>& top() const { return records[first].fields; }
  std::size_t end() const { return std::min(records.size(), first + kJudgedRecords); }
};

// The look of four fifths of the cells below the first that are not blank; `blank` when no look has so many.
Look look_below(const Table& table, std::size_t column) {
  std::array<std::size_t, 4> counts{};
  std::size_t total = 0;
  for (std::size_t row = table.first + 1; row < table.end(); ++row) {
    const std::vector<std::string>& fields = table.records[row].fields;
    if (column >= fields.size()) continue;
    const Look look = look_of(fields[column]);
    if (look == Look::blank) continue;
    ++counts[static_cast<std::size_t>(look)];
    ++total;
  }
  for (const Look look : {Look::text, Look::typed, Look::year}) {
    if (total > 0 && counts[static_cast<std::size_t>(look)] * 5 >= total * 4) return look;
  }
  return Look::blank;
}

bool repeated_below(const Table& table, std::size_t column) {
  for (std::size_t row = table.first + 1; row < table.end(); ++row) {
    const std::vector<std::string>& fields = table.records[row].fields;
    if (column < fields.size() && fields[column] == table.top()[column]) return true;
  }
  return false;
}

struct Votes {
  std::size_t header = 0;
  std::size_t data = 0;
  std::size_t repeated = 0;  // texts that occur below again: weak, a name may well be a value too
  std::string header_example;
  std::string data_example;
  std::string repeated_example;
};

void vote(const Table& table, std::size_t column, Votes& votes) {
  const std::string& name = table.top()[column];
  const Look first = look_of(name);
  const Look below = look_below(table, column);
  if (first == Look::blank || below == Look::blank) return;
  const bool names_values =
      (first == Look::text && below != Look::text) || (first == Look::year && below == Look::typed);
  if (names_values) {
    if (votes.header++ == 0) votes.header_example = name;
  } else if (first != Look::text && below != Look::text) {
    if (votes.data++ == 0) votes.data_example = name;
  } else if (first == Look::text && repeated_below(table, column)) {
    if (votes.repeated++ == 0) votes.repeated_example = name;
  }
}

HeaderFinding judge_single(const Table& table) {
  const bool has_text =
      std::ranges::any_of(table.top(), [](const std::string& cell) { return look_of(cell) == Look::text; });
  if (has_text) return {table.first, true, "header: yes, the only record holds names"};
  return {table.first, false, "header: no, the only record holds no names"};
}

std::size_t filled(const SampleRecord& record) {
  return static_cast<std::size_t>(
      std::ranges::count_if(record.fields, [](const std::string& cell) { return look_of(cell) != Look::blank; }));
}

// How many records at the front are titles above a table of `fields` columns; 0 when what follows is no such table.
std::size_t count_titles(const Records& records, std::size_t fields) {
  if (fields < 2) return 0;
  // The first has a cell or two; then others may follow that have fewer fields than the table.
  const std::size_t most_cells = std::max<std::size_t>(1, fields / 3);
  const auto is_title = [&](const SampleRecord& record, bool first) {
    return filled(record) <= most_cells || (!first && record.fields.size() < fields);
  };
  std::size_t titles = 0;
  while (titles < records.size() && is_title(records[titles], titles == 0)) ++titles;
  if (titles == 0 || titles > kMostTitles || titles + 2 > records.size()) return 0;
  const auto first = records.begin() + static_cast<std::ptrdiff_t>(titles);
  const auto fitting =
      std::count_if(first, records.end(), [&](const SampleRecord& record) { return record.fields.size() == fields; });
  const bool names_all = first->fields.size() == fields && filled(*first) * 3 >= fields * 2;
  return names_all && fitting * 3 >= (records.end() - first) * 2 ? titles : 0;
}

HeaderFinding by_names(const Records& records, const std::vector<std::string>& expected) {
  HeaderFinding best;
  std::size_t most = 0;
  for (std::size_t at = 0; at < std::min(records.size(), kMostTitles + 1); ++at) {
    const std::size_t names = names_shown(records[at], expected);
    if (names <= most) continue;
    most = names;
    best.record = at;
  }
  // One name may stand in a title, too.
  if (most == 0 || (best.record > 0 && most < 2 && expected.size() > 1)) return {};
  best.evidence = fmt::format("header: in line {}, it has {} of the {} names that the definition expects",
                              records[best.record].line, most, expected.size());
  return best;
}

}  // namespace

std::size_t names_shown(const SampleRecord& record, const std::vector<std::string>& expected) {
  return static_cast<std::size_t>(std::ranges::count_if(expected, [&](const std::string& name) {
    return std::ranges::find(record.fields, name) != record.fields.end();
  }));
}

HeaderFinding sniff_header(const Records& records, std::size_t first) {
  if (records.size() <= first) return {first, true, {}};
  const Table table{records, first};
  if (records.size() == first + 1) return judge_single(table);
  Votes votes;
  const std::size_t fields = table.top().size();
  for (std::size_t column = 0; column < fields; ++column) vote(table, column, votes);
  if (votes.data > votes.header) {
    return {first, false,
            fmt::format("header: no, {} of {} fields of the first record look like the values below (\"{}\")",
                        votes.data, fields, votes.data_example)};
  }
  if (votes.header == 0 && votes.repeated > 0) {
    return {first, false,
            fmt::format("header: no, {} of {} fields of the first record occur again below (\"{}\")", votes.repeated,
                        fields, votes.repeated_example)};
  }
  if (votes.header > 0) {
    return {first, true,
            fmt::format("header: yes, {} of {} fields of the first record are names above values (\"{}\")",
                        votes.header, fields, votes.header_example)};
  }
  return {first, true, "header: yes, nothing speaks against it"};
}

HeaderFinding find_header(const Records& records, std::size_t fields, const std::vector<std::string>& expected) {
  HeaderFinding named = by_names(records, expected);
  if (!named.evidence.empty()) return named;
  const std::size_t titles = count_titles(records, fields);
  HeaderFinding found = sniff_header(records, titles);
  if (titles == 0) return found;
  // Below titles that are none a first record of data would be lost.
  if (!found.has_header) return sniff_header(records);
  found.evidence += fmt::format("; it is in line {}, below {} record{} of titles (\"{}\")", records[titles].line,
                                titles, titles == 1 ? "" : "s", records.front().fields.front());
  return found;
}

}  // namespace lade::source
