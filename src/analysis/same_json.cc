#include "analysis/same_json.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <charconv>
#include <optional>

namespace lade::analysis {
namespace {

constexpr std::size_t kMostLevels = 1024;          // what the cast of JSON cells accepts
constexpr std::int64_t kMostExponent = 1'000'000;  // far beyond what PostgreSQL takes

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// -0.0120e3 → -12e0: sign, digits without zeros at both ends, power of ten. nullopt when it is no number.
std::optional<std::string> canonical_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::int64_t exponent = 0;
  if (const auto at = text.find_first_of("eE"); at != std::string_view::npos) {
    std::string_view written = text.substr(at + 1);
    if (written.starts_with('+')) written.remove_prefix(1);
    const auto [end, fault] = std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (fault != std::errc() || end != written.data() + written.size()) return std::nullopt;
    if (exponent > kMostExponent || exponent < -kMostExponent) return std::nullopt;
    text = text.substr(0, at);
  }
  std::string digits;
  bool fraction = false;
  for (const char c : text) {
    if (!is_digit(c) && (c != '.' || fraction)) return std::nullopt;
    if (fraction) --exponent;
    if (c == '.') fraction = true;
    if (c != '.' && (c != '0' || !digits.empty())) digits.push_back(c);
  }
  const std::size_t length = digits.find_last_not_of('0') + 1;
  if (length == 0) return "0";
  exponent += static_cast<std::int64_t>(digits.size() - length);
  return fmt::format("{}{}e{}", negative ? "-" : "", std::string_view(digits).substr(0, length), exponent);
}

// The end of the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// The text with its numbers as strings, which a parser keeps whole. They begin with a NUL, which no text of the
// database has.
std::optional<std::string> with_quoted_numbers(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() * 2);
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"') end = string_end(text, at);
    if (c != '-' && !is_digit(c)) {
      quoted += text.substr(at, end - at);
    } else {
      end = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
      const auto number = canonical_number(text.substr(at, end - at));
      if (!number) return std::nullopt;
      quoted += fmt::format("\"\\u0000{}\"", *number);
    }
    at = end;
  }
  return quoted;
}

std::optional<boost::json::value> parse(std::string_view text) {
  const auto quoted = with_quoted_numbers(text);
  if (!quoted) return std::nullopt;
  boost::json::parse_options options;
  options.max_depth = kMostLevels;
  boost::system::error_code error;
  auto value = boost::json::parse(*quoted, error, {}, options);
  return error ? std::nullopt : std::optional(std::move(value));
}

}  // namespace

bool same_json(std::string_view left, std::string_view right) {
  const auto a = parse(left), b = parse(right);
  return a && b && *a == *b;
}

}  // namespace lade::analysis
