#include "harvest/robots.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>

namespace lade::harvest {
namespace {

constexpr std::size_t kBytesRead = 500 << 10;
constexpr std::uint64_t kMostWork = 200'000'000;  // bytes compared at worst

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool same_letters(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

// Of "ExampleBot/2.1" the letters that name it.
std::string_view product_of(std::string_view value) {
  if (value.starts_with('*')) return "*";
  const auto end = std::ranges::find_if_not(value, [](char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
  });
  return value.substr(0, static_cast<std::size_t>(end - value.begin()));
}

std::optional<unsigned char> hex_pair(std::string_view text) {
  unsigned value = 0;
  for (const char letter : text.substr(0, 2)) {
    if (std::isxdigit(static_cast<unsigned char>(letter)) == 0) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(letter <= '9' ? letter - '0' : (letter | 0x20) - 'a' + 10);
  }
  if (text.size() < 2) return std::nullopt;
  return static_cast<unsigned char>(value);
}

// One spelling for each octet: unreserved ones plain, all others that were encoded or are not ASCII as %XX.
std::string one_spelling(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  const auto encode = [&](unsigned char byte) {
    result += '%';
    result += kDigits[byte >> 4];
    result += kDigits[byte & 15];
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto decoded = byte == '%' ? hex_pair(text.substr(at + 1)) : std::nullopt;
    if (decoded) {
      const bool is_unreserved = std::isalnum(*decoded) != 0 ||
                                 std::string_view("-._~").find(static_cast<char>(*decoded)) != std::string_view::npos;
      if (is_unreserved && *decoded < 128)
        result += static_cast<char>(*decoded);
      else
        encode(*decoded);
      at += 2;
    } else if (byte >= 128) {
      encode(byte);
    } else {
      result += text[at];
    }
  }
  return result;
}

// '*' stands for any text, '$' at the end for the end. Taking the first place for each piece is always right.
bool matches(std::string_view pattern, std::string_view target) {
  const bool to_the_end = pattern.ends_with('$');
  if (to_the_end) pattern.remove_suffix(1);
  std::size_t at = 0;
  bool is_first = true;
  for (;;) {
    const std::size_t star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    const bool is_last = star == std::string_view::npos;
    if (is_first) {
      if (!target.starts_with(piece)) return false;
      at = piece.size();
    } else if (is_last && to_the_end) {
      return target.size() - at >= piece.size() && target.ends_with(piece);
    } else {
      const std::size_t found = target.find(piece, at);
      if (found == std::string_view::npos) return false;
      at = found + piece.size();
    }
    if (is_last) return !to_the_end || at == target.size();
    pattern.remove_prefix(star + 1);
    is_first = false;
  }
}

}  // namespace

RobotsRules RobotsRules::parse(std::string_view text, std::string_view product) {
  text = text.substr(0, kBytesRead);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  RobotsRules own, general;
  bool is_own = false, is_general = false, has_own = false, in_names = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (same_letters(key, "user-agent")) {
      if (!in_names) is_own = is_general = false;  // a new group
      in_names = true;
      const std::string_view name = product_of(value);
      is_general = is_general || name == "*";
      is_own = is_own || same_letters(name, product);
      has_own = has_own || is_own;
      continue;
    }
    const bool is_allow = same_letters(key, "allow");
    if (!is_allow && !same_letters(key, "disallow")) continue;  // others do not end a group's names
    in_names = false;
    if (value.empty()) continue;
    if (is_own) own.rules_.push_back({one_spelling(value), is_allow});
    if (is_general) general.rules_.push_back({one_spelling(value), is_allow});
  }
  return has_own ? own : general;
}

bool RobotsRules::allows(std::string_view target) const {
  if (target == "/robots.txt") return true;
  const std::string path = one_spelling(target);
  std::uint64_t work = 0;
  std::size_t longest = 0;
  bool is_allowed = true;
  for (const Rule& rule : rules_) {
    if (rule.pattern.find('*') != std::string::npos) work += rule.pattern.size() * path.size();
    if (work > kMostWork) return false;
    if (rule.pattern.size() < longest || !matches(rule.pattern, path)) continue;
    is_allowed = rule.is_allow || (rule.pattern.size() == longest && is_allowed && longest > 0);
    longest = rule.pattern.size();
  }
  return is_allowed;
}

}  // namespace lade::harvest
