#include "analysis/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace lade::analysis {
namespace {

constexpr std::size_t kMaxTextBytes = 64;
constexpr int kPrecision = 38;
constexpr int kScale = 12;

// One way to read a cell, and what it would be.
struct Reading {
  std::string_view name;
  std::string value;
};

std::optional<std::string> read_number(const NumberFormat& format, std::string_view text) {
  Int128 value = 0;
  if (format.decimal(text, kPrecision, kScale, value)) return std::nullopt;
  std::string shown;
  append_decimal(shown, value, kScale);
  shown.erase(shown.find_last_not_of('0') + 1);
  if (shown.ends_with('.')) shown.pop_back();
  return shown;
}

// "1234 (en-US), 1.234 (de-DE)", each value with the first that reads it so.
std::string listed(const std::vector<Reading>& readings) {
  std::string text;
  for (auto at = readings.begin(); at != readings.end(); ++at) {
    const bool repeated = std::any_of(readings.begin(), at, [&](const Reading& r) { return r.value == at->value; });
    if (!repeated) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", at->value, at->name);
  }
  return text;
}

// The formats that would allow what stands around the number; empty when that is not the fault.
std::string missing_signs(const ColumnProgram& column, std::string_view text) {
  static const std::vector<std::string> kSets[] = {
      {"accounting"}, {"currency"}, {"percent"}, {"currency", "accounting"}, {"percent", "accounting"}};
  for (const std::vector<std::string>& set : kSets) {
    std::vector<std::string> formats = column.column.formats;
    for (const std::string& format : set)
      if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    const auto format = NumberFormat::for_locale(column.column.locale, formats);
    if (format && read_number(*format, text))
      return formats.size() == 1 ? formats.front() : fmt::format("[{}]", fmt::join(formats, ", "));
  }
  return {};
}

std::vector<Reading> readings_elsewhere(std::string_view text) {
  struct Elsewhere {
    std::string_view locale;
    NumberFormat format;
  };
  static const std::vector<Elsewhere> kElsewhere = [] {
    std::vector<Elsewhere> all;
    for (const std::string_view locale : {"en-US", "de-DE", "fr-FR", "de-CH", "en-IN"})
      all.push_back({locale, *NumberFormat::for_locale(locale)});
    return all;
  }();
  std::vector<Reading> readings;
  for (const auto& [locale, format] : kElsewhere)
    if (auto value = read_number(format, text)) readings.push_back({locale, std::move(*value)});
  return readings;
}

std::vector<Reading> date_readings(std::string_view text) {
  struct Known {
    std::string_view name;
    DateFormat format;
  };
  static const std::vector<Known> kKnown = [] {
    std::vector<Known> all;
    for (const std::string_view name : {"D.M.YYYY", "D/M/YYYY", "M/D/YYYY", "D-M-YYYY", "M-D-YYYY", "YYYY/M/D",
                                        "YYYY.M.D", "D.M.YY", "D/M/YY", "M/D/YY", "iso", "D MMM YYYY", "D-MMM-YYYY"})
      all.push_back({name, *DateFormat::parse(name)});
    // Days of 1954 to 2064: other numbers are hardly meant as days.
    if (auto excel = DateFormat::parse("excel")) all.push_back({"excel", *excel});
    return all;
  }();
  const bool may_be_serial =
      text.size() >= 5 && text[0] >= '2' && text[0] <= '5' && (text.size() == 5 || text[5] == '.');
  std::vector<Reading> readings;
  for (const auto& [name, format] : kKnown) {
    std::int32_t days = 0;
    if ((name == "excel" && !may_be_serial) || format.date(text, days)) continue;
    readings.push_back({name, {}});
    append_date(readings.back().value, days);
  }
  return readings;
}

}  // namespace

std::string explain_number(const ColumnProgram& column, std::string_view text) {
  if (column.column.sensitive || text.size() > kMaxTextBytes) return {};
  if (const std::string formats = missing_signs(column, text); !formats.empty())
    return fmt::format("; for such cells say format: {} in the definition", formats);
  const std::vector<Reading> readings = readings_elsewhere(text);
  if (readings.empty()) return {};
  return fmt::format("; it could be {}: say which in the definition's locale", listed(readings));
}

std::string explain_date(const ColumnProgram& column, std::string_view text) {
  if (column.column.sensitive || text.size() > kMaxTextBytes) return {};
  const std::vector<Reading> readings = date_readings(text);
  if (readings.empty()) return {};
  return fmt::format("; it could be {}: say which in the definition's format", listed(readings));
}

}  // namespace lade::analysis
