#include "base/redact.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lade {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::array<std::string_view, 13> kSecrets = {"token",      "secret",  "password", "passwd",     "pwd",
                                                       "apikey",     "api_key", "api-key",  "access_key", "signature",
                                                       "credential", "session", "auth"};
// Names that would be found inside harmless words, so only as they are.
constexpr std::array<std::string_view, 3> kShortSecrets = {"key", "sig", "pass"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return result;
}

bool is_secret(std::string_view name) {
  const std::string small = lower(name);
  return std::ranges::find(kShortSecrets, small) != kShortSecrets.end() ||
         std::ranges::any_of(kSecrets, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

bool ends_url(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '\'' || c == '<' || c == '>';
}

// user:password@ of a URL whose "://" ends at `at`.
std::size_t end_of_user(std::string_view text, std::size_t at) {
  std::size_t user = at;
  for (std::size_t i = at; i < text.size() && text[i] != '/' && text[i] != '?' && text[i] != '#' && !ends_url(text[i]);
       ++i)
    if (text[i] == '@') user = i + 1;
  return user;
}

// The end of the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '&' && text[at] != ';' && text[at] != '#' && !ends_url(text[at])) ++at;
  return at;
}

// name=value behind `?`, `&` or `;`: where the value begins when the name is that of a secret; 0: it is not.
std::size_t secret_value(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] != '=' && text[end] != '&' && !ends_url(text[end])) ++end;
  return end < text.size() && text[end] == '=' && is_secret(text.substr(at, end - at)) ? end + 1 : 0;
}

bool is_scheme_word(std::string_view rest) {
  const std::string word = lower(rest.substr(0, 7));
  return word.starts_with("bearer ") || word.starts_with("basic ");
}

}  // namespace

std::string redacted(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const bool word_begins = i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0;
    if (text.substr(i).starts_with("://")) {
      result += "://";
      const std::size_t host = end_of_user(text, i + 3);
      if (host > i + 3) result += std::string(kHidden) + "@";
      i = host;
    } else if (const char c = text[i]; c == '?' || c == '&' || c == ';') {
      result += c;
      const std::size_t value = secret_value(text, ++i);
      if (value == 0) continue;
      result.append(text.substr(i, value - i)).append(kHidden);
      i = end_of_value(text, value);
    } else if (word_begins && is_scheme_word(text.substr(i))) {
      const std::size_t value = text.find(' ', i) + 1;
      result.append(text.substr(i, value - i)).append(kHidden);
      i = end_of_value(text, value);
    } else {
      result += text[i++];
    }
  }
  return result;
}

}  // namespace lade
