#include "store/sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"

namespace lade::store {
namespace {

bool is_sqlite(const db::Connection& connection) {
  return connection.backend() == db::Backend::sqlite;
}

unsigned digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  LADE_ASSERT(letter >= 'a' && letter <= 'f');
  return static_cast<unsigned>(letter - 'a' + 10);
}

}  // namespace

std::string_view now_sql(const db::Connection& connection) {
  return is_sqlite(connection) ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" : "now()";
}

std::string time_sql(const db::Connection& connection, std::string_view column) {
  if (is_sqlite(connection)) return std::string(column);
  return fmt::format("to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')", column);
}

std::int64_t id_of(std::string_view reference) {
  std::int64_t id = 0;
  const char* end = reference.data() + reference.size();
  const auto parsed = std::from_chars(reference.data(), end, id);
  return parsed.ptr == end && parsed.ec == std::errc() ? id : 0;
}

std::string text_of_words(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// PostgreSQL's text form of bytes is \x and hexadecimal digits.
std::string bytes_of(const db::Connection& connection, const db::Value& value) {
  std::string text = text_of(value);
  if (is_sqlite(connection) || text.empty()) return text;
  LADE_ASSERT(text.starts_with("\\x") && text.size() % 2 == 0);
  for (std::size_t i = 2; i < text.size(); i += 2)
    text[i / 2 - 1] = static_cast<char>(digit_of(text[i]) << 4 | digit_of(text[i + 1]));
  text.resize(text.size() / 2 - 1);
  return text;
}

}  // namespace lade::store
