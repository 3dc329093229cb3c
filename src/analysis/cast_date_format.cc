#include <fmt/format.h>

#include "analysis/cast_date.h"
#include "analysis/cast_number.h"
#include "analysis/locale_dates.h"
#include "analysis/month_names.h"

namespace lade::analysis {
namespace {

bool read_pattern(const DateReading& reading, std::string_view text, bool with_time, const MonthNames* months,
                  WrittenDate& written) {
  if (!read_by_pattern(text, reading.elements, months, written)) return false;
  return text.empty() || (with_time && reading.time_may_follow && read_time_of_day(text, written));
}

bool read_by(const DateReading& reading, std::string_view text, bool with_time, const MonthNames* months,
             WrittenDate& written) {
  switch (reading.kind) {
    case DateReading::Kind::pattern: return read_pattern(reading, text, with_time, months, written);
    case DateReading::Kind::iso: return with_time ? read_iso_timestamp(text, written) : read_iso_date(text, written);
    case DateReading::Kind::excel: return read_excel_serial(text, false, written);
    case DateReading::Kind::excel1904: return read_excel_serial(text, true, written);
  }
  return false;
}

std::string text_of(const WrittenDate& written) {
  std::string text = fmt::format("{:04}-{:02}-{:02}", written.year, written.month, written.day);
  if (written.hour != 0 || written.minute != 0 || written.second != 0)
    text += fmt::format("T{:02}:{:02}:{:02}", written.hour, written.minute, written.second);
  return text;
}

Error unknown_locale(std::string_view locale) {
  return {"locale_unknown", fmt::format("locale \"{}\" is not known", locale),
          "a language and region such as de-DE, en-US or fr-FR", ErrorKind::invalid};
}

}  // namespace

DateFormat::DateFormat() = default;
DateFormat::DateFormat(const DateFormat&) = default;
DateFormat::DateFormat(DateFormat&&) noexcept = default;
DateFormat& DateFormat::operator=(const DateFormat&) = default;
DateFormat& DateFormat::operator=(DateFormat&&) noexcept = default;
DateFormat::~DateFormat() = default;

Result<DateFormat> DateFormat::parse(std::string_view format, std::string_view timezone) {
  if (format.empty()) return parse(std::span<const std::string>(), {}, timezone);
  const std::string formats[] = {std::string(format)};
  return parse(formats, {}, timezone);
}

Result<DateFormat> DateFormat::parse(std::span<const std::string> formats, std::string_view locale,
                                     std::string_view timezone) {
  DateFormat result;
  for (const std::string& format : formats) LADE_TRY(result.add_format(format));
  if (!locale.empty()) LADE_TRY(result.add_locale(locale));
  if (!timezone.empty()) {
    LADE_ASSIGN(result.zone_, find_zone(timezone));
  }
  return result;
}

Result<void> DateFormat::add_format(std::string_view format) {
  DateReading reading;
  reading.name = format;
  if (format == "iso") {
    reading.kind = DateReading::Kind::iso;
  } else if (format == "excel") {
    reading.kind = DateReading::Kind::excel;
  } else if (format == "excel1904") {
    reading.kind = DateReading::Kind::excel1904;
  } else {
    LADE_ASSIGN(reading.elements, parse_date_pattern(format));
  }
  readings_.push_back(std::move(reading));
  return {};
}

Result<void> DateFormat::add_locale(std::string_view locale) {
  const auto tag = parse_locale_tag(locale);
  if (!tag || number_style(locale) == nullptr) return fail(unknown_locale(locale));
  months_ = MonthNames::of(*tag);
  if (!readings_.empty()) return {};
  const DateStyle* style = date_style(*tag);
  if (style == nullptr)
    return fail("locale_ambiguous",
                fmt::format("locale \"{}\" does not say whether the day or the month comes first", locale),
                "a region with one usage such as en-US or en-GB, or a format such as DD/MM/YYYY", ErrorKind::invalid);
  for (const std::string_view pattern : style->patterns) {
    LADE_TRY(add_format(pattern));
    readings_.back().time_may_follow = true;
  }
  LADE_TRY(add_format("iso"));
  exclusive_ = true;
  example_ = style->example;
  return {};
}

CastFault DateFormat::read(std::string_view text, bool with_time, WrittenDate& written, bool& found) const {
  if (readings_.size() == 1) {
    found = read_by(readings_.front(), text, with_time, months_.get(), written) && is_day(written);
    return {};
  }
  found = false;
  for (const DateReading& reading : readings_) {
    WrittenDate candidate;
    if (!read_by(reading, text, with_time, months_.get(), candidate) || !is_day(candidate)) continue;
    if (!with_time) candidate = {.year = candidate.year, .month = candidate.month, .day = candidate.day};
    if (found && !(candidate == written)) return {"ambiguous_date"};
    written = candidate;
    found = true;
    if (exclusive_) break;
  }
  return {};
}

std::string DateFormat::readings(std::string_view text) const {
  std::string all;
  for (const DateReading& reading : readings_) {
    WrittenDate written;
    if (!read_by(reading, text, true, months_.get(), written) || !is_day(written)) continue;
    all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", text_of(written), reading.name);
  }
  return all;
}

std::string DateFormat::accepted() const {
  if (!example_.empty()) return fmt::format("a date such as {} or 2024-12-31", example_);
  if (readings_.empty()) return "ISO 8601 such as 2024-03-31 or, with a time of day, 2024-03-31T14:30:00Z";
  std::string names;
  for (const DateReading& reading : readings_) names += (names.empty() ? "" : " or ") + reading.name;
  return fmt::format("the format {}", names);
}

}  // namespace lade::analysis
