#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cast.h"
#include "base/assert.h"
#include "definition/parse.h"
#include "source/column_tally.h"

// The lines are the cells of a column. Whatever the evidence says that they are, an import by a definition that says so
// must read every one of them.
namespace {

using lade::source::ColumnEvidence;
using lade::source::TypeReading;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

lade::definition::Type type_of(const TypeReading& reading) {
  const std::string yaml =
      "lade: 1\ndefinition: x\ncolumns: {a: {type: \"" + reading.type + "\"}}\nload: [{table: t, strategy: append}]\n";
  const lade::definition::Parsed parsed = lade::definition::parse_definition(yaml);
  LADE_ASSERT(parsed.valid());
  return parsed.definition.columns.front().type;
}

bool reads_number(std::string_view cell, const TypeReading& reading, const lade::definition::Type& type) {
  const auto format = lade::analysis::NumberFormat::for_locale(reading.locale);
  LADE_ASSERT(format.has_value());
  std::int64_t integer = 0;
  lade::analysis::Int128 decimal = 0;
  return type.kind == lade::definition::TypeKind::integer ? !format->integer(cell, integer)
                                                          : !format->decimal(cell, type.precision, type.scale, decimal);
}

bool reads_date(std::string_view cell, const TypeReading& reading, const lade::definition::Type& type) {
  const auto format = lade::analysis::DateFormat::parse(reading.format);
  LADE_ASSERT(format.has_value());
  std::int32_t days = 0;
  std::int64_t microseconds = 0;
  if (type.kind == lade::definition::TypeKind::date) return !format->date(cell, days);
  const lade::analysis::CastFault fault = format->timestamp(cell, microseconds);
  return !fault || std::string_view(fault.code) == "out_of_range";  // beyond the years 1 to 9999, in UTC
}

bool reads(std::string_view cell, const TypeReading& reading) {
  using lade::definition::TypeKind;
  const lade::definition::Type type = type_of(reading);
  switch (type.kind) {
    case TypeKind::integer:
    case TypeKind::decimal: return !reading.format.empty() || reads_number(cell, reading, type);
    case TypeKind::date:
    case TypeKind::timestamp: return reads_date(cell, reading, type);
    case TypeKind::boolean: {
      bool truth = false;
      const auto format = lade::analysis::BooleanFormat::parse(reading.format);
      return format.has_value() && !format->boolean(cell, truth);
    }
    default: {
      unsigned char bytes[16];
      return type.kind == TypeKind::uuid && !lade::analysis::uuid(cell, bytes);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    cells.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  lade::source::ColumnTally tally(100);
  std::int64_t line = 1;
  for (const std::string_view cell : cells) tally.take(cell, ++line);
  const ColumnEvidence found = tally.evidence("Date");
  LADE_ASSERT(found.cells == static_cast<std::int64_t>(cells.size()) && found.blank <= found.cells);
  for (const TypeReading& reading : found.readings)
    for (const std::string_view cell : cells) {
      const std::string_view value = trimmed(cell);
      if (value.empty() || std::ranges::find(found.null_words, value) != found.null_words.end()) continue;
      LADE_ASSERT(reads(value, reading));
    }
  return 0;
}
