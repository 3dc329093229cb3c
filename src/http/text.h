#pragma once

#include <algorithm>
#include <string_view>

// The small grammar that all of HTTP's fields share. ASCII only, whatever the locale.
namespace lade::http {

inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Equal without regard to case.
inline bool same_name(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline bool is_letter_or_digit(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

// Its value; -1 when it is none.
inline int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

inline bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Without spaces and tabs at both ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes what stands before the next separator (or all), trimmed, and removes both from the text.
inline std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = trimmed(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

}  // namespace lade::http
