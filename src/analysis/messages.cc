#include <fmt/format.h>

#include "analysis/convert.h"

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

std::string number_hint(const ColumnProgram& column, std::string_view example) {
  if (column.column.locale.empty()) return fmt::format("write it like {}", example);
  return fmt::format("write it as in {}", column.column.locale);
}

struct Text {
  std::string message;
  std::string hint;
};

Text describe(const ColumnProgram& column, std::string_view code) {
  const auto& c = column.column;
  const std::string format = c.format.empty() ? "" : c.format;
  if (code == "required") return {"a value is required", "fill in the cell"};
  if (code == "blank") return {"the cell is blank", "fill in the cell"};
  if (code == "not_an_integer") return {"not a whole number", number_hint(column, "1234")};
  if (code == "not_a_number") return {"not a number", number_hint(column, "1234.5")};
  if (code == "out_of_range")
    return {fmt::format("too large for {}", definition::to_string(column.type)), "give a smaller number"};
  if (code == "too_many_decimals")
    return {fmt::format("more than {} decimals", column.type.scale),
            fmt::format("give at most {} decimals", column.type.scale)};
  if (code == "not_a_boolean")
    return {"not a yes or no", format.empty() ? "write true/false, yes/no or 1/0" : "write " + format};
  if (code == "not_a_date") return {"not a date", "write it like " + (format.empty() ? "2024-12-31" : format)};
  if (code == "not_a_timestamp")
    return {"not a date and time", "write it like " + (format.empty() ? "2024-12-31T23:59:59Z" : format)};
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
  Text text = describe(column, code);
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
