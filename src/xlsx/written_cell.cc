#include "xlsx/written_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace lade::xlsx {
namespace {

constexpr std::size_t kMaxDigits = 15;
constexpr std::size_t kMaxText = 32'767;
constexpr std::string_view kCut = "…";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the text begins like the escape of a character: _x0041_.
bool begins_with_escape(std::string_view text) {
  if (text.size() < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_') return false;
  return std::all_of(text.begin() + 2, text.begin() + 6,
                     [](char c) { return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'); });
}

// Bytes of the character at the front; 0 when it is no UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xC2 && first < 0xE0   ? 2
                            : first >= 0xE0 && first < 0xF0 ? 3
                            : first >= 0xF0 && first < 0xF5 ? 4
                                                            : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : bytes;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\n' && c != '\t';
}

}  // namespace

std::optional<double> written_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.size() > kMaxDigits + 1) return std::nullopt;
  const std::size_t point = digits.find('.');
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "" : digits.substr(point + 1);
  if (whole.empty() || !std::ranges::all_of(whole, is_digit) || !std::ranges::all_of(fraction, is_digit))
    return std::nullopt;
  if (whole.size() > 1 && whole.front() == '0') return std::nullopt;
  if (point != std::string_view::npos && (fraction.empty() || fraction.back() == '0')) return std::nullopt;
  if (whole.size() + fraction.size() > kMaxDigits || text == "-0") return std::nullopt;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<double> written_date(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != 10 && text.size() != 19) return std::nullopt;
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kForm[i] == '0' ? !is_digit(text[i]) : text[i] != kForm[i]) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + digits, value);
    return value;
  };
  const year_month_day day{year(static_cast<int>(number(0, 4))), month(number(5, 2)), std::chrono::day(number(8, 2))};
  if (!day.ok() || sys_days(day) < sys_days(1900y / March / 1)) return std::nullopt;
  const double days = static_cast<double>((sys_days(day) - sys_days(1899y / December / 30)).count());
  if (text.size() == 10) return days;
  const unsigned hours = number(11, 2), minutes = number(14, 2), seconds = number(17, 2);
  if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  return days + (hours * 3600 + minutes * 60 + seconds) / 86400.0;
}

std::string sheet_name(std::string_view wanted) {
  constexpr std::size_t kMaxName = 31;
  std::string name;
  for (std::size_t characters = 0; !wanted.empty() && characters < kMaxName; ++characters) {
    const std::size_t bytes = character_bytes(wanted);
    const bool allowed = bytes > 0 && !is_control(wanted.front()) &&
                         std::string_view("[]:*?/\\\n\t").find(wanted.front()) == std::string_view::npos;
    name.append(allowed ? wanted.substr(0, bytes) : "_");
    wanted.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  if (name.starts_with('\'')) name.front() = '_';
  if (name.ends_with('\'')) name.back() = '_';
  return name.empty() ? "Sheet1" : name;
}

const std::string& written_text(std::string_view text, std::string& scratch) {
  scratch.clear();
  std::size_t characters = 0;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    std::string piece(bytes == 0 ? kReplacement : text.substr(0, bytes));
    std::size_t length = bytes == 4 ? 2 : 1;  // Excel counts UTF-16
    if (is_control(text.front()) || begins_with_escape(text)) {
      piece = fmt::format("_x{:04X}_", static_cast<unsigned char>(text.front()));
      length = piece.size();
    }
    const bool is_last = text.size() <= std::max<std::size_t>(bytes, 1);
    if (characters + length + (is_last ? 0 : 1) > kMaxText) {
      scratch += kCut;
      break;
    }
    scratch += piece;
    characters += length;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return scratch;
}

}  // namespace lade::xlsx
