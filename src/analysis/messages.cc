#include <fmt/format.h>

#include "analysis/convert.h"
#include "analysis/explain.h"

namespace lade::analysis {
namespace {

constexpr std::size_t kMaxShownBytes = 120;

// Cuts at a character, never inside one.
std::string shortened(std::string_view text) {
  if (text.size() <= kMaxShownBytes) return std::string(text);
  std::size_t end = kMaxShownBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string allowed_values(const ColumnProgram& column) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [cell, value] : column.column.values) {
    if (++count > 12) return text + ", …";
    text += (text.empty() ? "" : ", ") + cell;
  }
  return text;
}

std::string number_hint(const ColumnProgram& column, std::string_view example, std::string_view value) {
  const std::string& locale = column.column.locale;
  return (locale.empty() ? fmt::format("write it like {}", example) : fmt::format("write it as in {}", locale)) +
         explain_number(column, value);
}

std::string date_hint(const ColumnProgram& column, std::string_view example, std::string_view value) {
  const auto& c = column.column;
  const std::string how = !c.formats.empty() ? fmt::format("write it like {}", fmt::join(c.formats, " or "))
                          : c.locale.empty() ? fmt::format("write it like {}", example)
                                             : fmt::format("write {}", column.dates.accepted());
  return how + (c.infinity ? " or infinity" : "") + explain_date(column, value);
}

struct Text {
  std::string message;
  std::string hint;
};

Text describe(const ColumnProgram& column, std::string_view code, std::string_view value) {
  const auto& c = column.column;
  if (code == "required") return {"a value is required", "fill in the cell"};
  if (code == "blank") return {"the cell is blank", "fill in the cell"};
  if (code == "not_an_integer") return {"not a whole number", number_hint(column, "1234", value)};
  if (code == "not_a_number") return {"not a number", number_hint(column, "1234.5", value)};
  if (code == "out_of_range")
    return {fmt::format("too large for {}", definition::to_string(column.type)), "give a smaller number"};
  if (code == "too_many_decimals")
    return {fmt::format("more than {} decimals", column.type.scale),
            fmt::format("give at most {} decimals", column.type.scale)};
  if (code == "wrong_currency")
    return {"another currency", fmt::format("this column takes {}", fmt::join(c.formats, " and "))};
  if (code == "not_a_boolean") return {"not a yes or no", "write " + column.booleans.accepted()};
  if (code == "not_a_date") return {"not a date", date_hint(column, "2024-12-31", value)};
  if (code == "not_a_timestamp") return {"not a date and time", date_hint(column, "2024-12-31T23:59:59Z", value)};
  if (code == "ambiguous_date")
    return {c.sensitive ? "the formats read it as different dates"
                        : "the formats read it as different dates: " + column.dates.readings(value),
            "write it with the name of the month, or name one format only"};
  if (code == "cell_error") return {"the cell shows an error", "correct the formula in the workbook"};
  if (code == "ambiguous_time")
    return {fmt::format("this local time does not exist or occurs twice in {}", c.timezone),
            "write it with its offset from UTC"};
  if (code == "not_a_uuid") return {"not a UUID", "write it like 123e4567-e89b-12d3-a456-426614174000"};
  if (code == "not_json") return {"not valid JSON", "check brackets, commas and quotes"};
  if (code == "below_min") return {fmt::format("below the minimum {}", *c.min), fmt::format("give {} or more", *c.min)};
  if (code == "above_max") return {fmt::format("above the maximum {}", *c.max), fmt::format("give {} or less", *c.max)};
  if (code == "too_long")
    return {fmt::format("longer than {} characters", column.max_length),
            fmt::format("shorten it to {} characters", column.max_length)};
  if (code == "too_short")
    return {fmt::format("shorter than {} characters", *c.min_length),
            fmt::format("give at least {} characters", *c.min_length)};
  if (code == "pattern_mismatch") return {fmt::format("does not have the form {}", c.pattern), "correct the cell"};
  if (code == "value_not_allowed") return {"not one of the allowed values", "use one of: " + allowed_values(column)};
  if (code == "cell_too_long") return {"longer than 1 MiB", "shorten the cell"};
  return {std::string(code), {}};
}

}  // namespace

model::Issue cell_issue(const ColumnProgram& column, std::string_view code, std::string_view value) {
  Text text = describe(column, code, value);
  model::Issue issue;
  issue.severity = column.column.severity;
  issue.code = code;
  issue.column = column.column.name;
  issue.value = column.column.sensitive ? "***" : shortened(value);
  issue.message = std::move(text.message);
  issue.hint = std::move(text.hint);
  return issue;
}

}  // namespace lade::analysis
