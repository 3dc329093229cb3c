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

using Records = std::vector<std::vector<std::string>>;

// The look of four fifths of the cells below the first that are not blank; `blank` when no look has so many.
Look look_below(const Records& records, std::size_t column) {
  std::array<std::size_t, 4> counts{};
  std::size_t total = 0;
  for (std::size_t row = 1; row < records.size(); ++row) {
    if (column >= records[row].size()) continue;
    const Look look = look_of(records[row][column]);
    if (look == Look::blank) continue;
    ++counts[static_cast<std::size_t>(look)];
    ++total;
  }
  for (const Look look : {Look::text, Look::typed, Look::year}) {
    if (total > 0 && counts[static_cast<std::size_t>(look)] * 5 >= total * 4) return look;
  }
  return Look::blank;
}

bool repeated_below(const Records& records, std::size_t column) {
  return std::any_of(records.begin() + 1, records.end(), [&](const std::vector<std::string>& record) {
    return column < record.size() && record[column] == records[0][column];
  });
}

struct Votes {
  std::size_t header = 0;
  std::size_t data = 0;
  std::size_t repeated = 0;  // texts that occur below again: weak, a name may well be a value too
  std::string header_example;
  std::string data_example;
  std::string repeated_example;
};

void vote(const Records& records, std::size_t column, Votes& votes) {
  const std::string& name = records[0][column];
  const Look first = look_of(name);
  const Look below = look_below(records, column);
  if (first == Look::blank || below == Look::blank) return;
  const bool names_values =
      (first == Look::text && below != Look::text) || (first == Look::year && below == Look::typed);
  if (names_values) {
    if (votes.header++ == 0) votes.header_example = name;
  } else if (first != Look::text && below != Look::text) {
    if (votes.data++ == 0) votes.data_example = name;
  } else if (first == Look::text && repeated_below(records, column)) {
    if (votes.repeated++ == 0) votes.repeated_example = name;
  }
}

HeaderFinding judge_single(const std::vector<std::string>& record) {
  const bool has_text =
      std::ranges::any_of(record, [](const std::string& cell) { return look_of(cell) == Look::text; });
  if (has_text) return {true, "header: yes, the only record holds names"};
  return {false, "header: no, the only record holds no names"};
}

}  // namespace

HeaderFinding sniff_header(const Records& records) {
  if (records.empty()) return {};
  if (records.size() == 1) return judge_single(records[0]);
  Votes votes;
  for (std::size_t column = 0; column < records[0].size(); ++column) vote(records, column, votes);
  if (votes.data > votes.header) {
    return {false, fmt::format("header: no, {} of {} fields of the first record look like the values below (\"{}\")",
                               votes.data, records[0].size(), votes.data_example)};
  }
  if (votes.header == 0 && votes.repeated > 0) {
    return {false, fmt::format("header: no, {} of {} fields of the first record occur again below (\"{}\")",
                               votes.repeated, records[0].size(), votes.repeated_example)};
  }
  if (votes.header > 0) {
    return {true, fmt::format("header: yes, {} of {} fields of the first record are names above values (\"{}\")",
                              votes.header, records[0].size(), votes.header_example)};
  }
  return {true, "header: yes, nothing speaks against it"};
}

}  // namespace lade::source
