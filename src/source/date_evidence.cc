#include "source/date_evidence.h"

#include <fmt/format.h>

#include <algorithm>

namespace lade::source {
namespace {

// Where day, month and year stand.
struct Order {
  std::size_t day, month, year;
};
constexpr std::array<Order, 3> kPlaces = {{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}};

// Eight digits outside these years are rather a number.
constexpr int kFirstCompactYear = 1900;
constexpr int kLastCompactYear = 2100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int number_at(std::string_view text, std::size_t at, std::size_t count) {
  int number = 0;
  for (const char c : text.substr(at, count)) number = number * 10 + (c - '0');
  return number;
}

bool is_compact_date(std::string_view text) {
  if (text.size() != 8 || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  const int year = number_at(text, 0, 4);
  return year >= kFirstCompactYear && year <= kLastCompactYear &&
         is_day(year, number_at(text, 4, 2), number_at(text, 6, 2));
}

// YYYY-MM-DD; the part behind it is the time.
bool starts_with_iso_date(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t at : {0, 1, 2, 3, 5, 6, 8, 9})
    if (!is_digit(text[at])) return false;
  return is_day(number_at(text, 0, 4), number_at(text, 5, 2), number_at(text, 8, 2));
}

bool is_iso_time(std::string_view text) {
  const auto cell = read_date_cell(text);
  return cell && cell->shape.has_time && cell->hour_digits == 2 && !cell->shape.has_meridiem &&
         !cell->shape.space_before_zone;
}

int full_year(int year, int digits) {
  return digits == 4 ? year : year + (year < 69 ? 2000 : 1900);
}

// The month names of a column must be all short or all long; May is both.
bool agree(MonthName& known, MonthName found) {
  if (found == MonthName::either || found == known) return true;
  if (known != MonthName::either) return false;
  known = found;
  return true;
}

}  // namespace

void DateEvidence::take(std::string_view cell, std::int64_t line) {
  if (!alive()) return;
  ++cells_;
  if (cells_ == 1) first_ = fmt::format("{} in line {}", cell, line);
  if (compact_ && !is_compact_date(cell)) compact_ = false;
  if (iso_) {
    const bool is_date = starts_with_iso_date(cell);
    iso_ = is_date && (cell.size() == 10 || is_iso_time(cell));
    iso_time_ = iso_time_ || cell.size() > 10;
    if (iso_ && cells_ == 1) orders_ = 0;  // what is ISO 8601 from the first cell on is nothing else
  }
  if (orders_ != 0) take_pattern(cell, line);
}

void DateEvidence::take_pattern(std::string_view text, std::int64_t line) {
  const auto cell = read_date_cell(text);
  if (!cell || (shape_ && *shape_ != cell->shape)) {
    orders_ = 0;
    return;
  }
  if (!shape_) {
    shape_ = cell->shape;
    month_name_ = cell->name;
  }
  if (!agree(month_name_, cell->name)) {
    orders_ = 0;
    return;
  }
  for (std::size_t order = 0; order < kOrders; ++order) {
    if ((orders_ & 1U << order) == 0 || fits(*cell, order)) continue;
    orders_ &= ~(1U << order);
    ended_by_[order] = fmt::format("{} in line {}", text, line);
  }
  for (std::size_t place = 0; place < 3; ++place) single_digit_[place] |= cell->digits[place] == 1;
  single_digit_hour_ |= cell->hour_digits == 1;
}

bool DateEvidence::fits(const DateCell& cell, std::size_t at) const {
  const Order& order = kPlaces.at(at);
  const DateShape& shape = cell.shape;
  if (shape.year_place >= 0 && static_cast<std::size_t>(shape.year_place) != order.year) return false;
  if (shape.name_place >= 0 && static_cast<std::size_t>(shape.name_place) != order.month) return false;
  const int digits = cell.digits[order.year];
  if (digits != 2 && digits != 4) return false;
  return is_day(full_year(cell.parts[order.year], digits), cell.parts[order.month], cell.parts[order.day]);
}

std::string DateEvidence::time_format() const {
  const DateShape& shape = *shape_;
  if (!shape.has_time) return {};
  const char* hour = shape.has_meridiem ? (single_digit_hour_ ? "h" : "hh") : (single_digit_hour_ ? "H" : "HH");
  return fmt::format("{}{}:mm{}{}{}{}", shape.has_t ? "T" : " ", hour, shape.has_seconds ? ":ss" : "",
                     shape.fraction > 0 ? "." + std::string(static_cast<std::size_t>(shape.fraction), 'S') : "",
                     shape.has_meridiem ? (shape.space_before_meridiem ? " a" : "a") : "",
                     shape.has_zone ? (shape.space_before_zone ? " Z" : "Z") : "");
}

std::string DateEvidence::format_of(std::size_t at) const {
  const Order& order = kPlaces.at(at);
  std::array<std::string, 3> parts;
  parts[order.day] = single_digit_[order.day] ? "D" : "DD";
  parts[order.month] = single_digit_[order.month] ? "M" : "MM";
  if (shape_->name_place >= 0) parts[order.month] = month_name_ == MonthName::full ? "MMMM" : "MMM";
  parts[order.year] = shape_->year_place >= 0 ? "YYYY" : "YY";
  return fmt::format("{}{}{}{}{}{}", parts[0], shape_->separators[0], parts[1], shape_->separators[1], parts[2],
                     time_format());
}

// What ended the other order of day and month speaks for this one.
std::string DateEvidence::evidence_for(std::size_t order) const {
  const std::size_t other = order == 0 ? 1 : 0;
  if (order == 2 || shape_->name_place >= 0 || ended_by_[other].empty()) return first_;
  return fmt::format("{}: the {} number is the day", ended_by_[other], order == 0 ? "first" : "second");
}

std::vector<TypeReading> DateEvidence::readings() const {
  if (cells_ == 0) return {};
  if (iso_ || compact_) return {{iso_time_ ? "timestamp" : "date", "", "", first_}};
  std::vector<TypeReading> found;
  for (std::size_t order = 0; order < kOrders; ++order)
    if ((orders_ & 1U << order) != 0)
      found.push_back({shape_->has_time ? "timestamp" : "date", "", format_of(order), evidence_for(order)});
  return found;
}

std::string DateEvidence::note() const {
  const std::vector<TypeReading> found = readings();
  if (found.size() < 2) return {};
  std::vector<std::string> formats;
  for (const TypeReading& reading : found) formats.push_back(reading.format);
  return fmt::format("no cell tells day from month ({}): decide between the formats {}", first_,
                     fmt::join(formats, " and "));
}

}  // namespace lade::source
