#include "queue/sql.h"

#include <fmt/format.h>

#include <array>

namespace lade::queue {
namespace {

struct Word {
  std::string_view word;
  std::string_view sqlite;
  std::string_view postgresql;
};

// Subqueries, so that the clock is read once per statement and not once per row.
constexpr std::array kWords = {
    Word{"@now", "(SELECT coalesce($1, CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)))",
         "(SELECT coalesce(CAST($1 AS bigint), CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)))"},
    Word{"@for_update", "", "FOR UPDATE"},
    Word{"@skip_locked", "", "FOR UPDATE OF t SKIP LOCKED"},
    Word{"@greatest(", "max(", "greatest("},
    Word{"@least(", "min(", "least("},
    Word{"@list[", "(SELECT value FROM json_each(", "(SELECT unnest(CAST("},
    Word{"]", "))", " AS bigint[])))"},
    Word{"@notify", "", ", pg_notify('lade_task', '')"},
};

std::string replaced(std::string text, std::string_view word, std::string_view by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

}  // namespace

Sql::Sql(std::string_view text) : sqlite_(text), postgresql_(text) {
  for (const Word& word : kWords) {
    sqlite_ = replaced(std::move(sqlite_), word.word, word.sqlite);
    postgresql_ = replaced(std::move(postgresql_), word.word, word.postgresql);
  }
}

std::string list_of(const db::Connection& connection, std::span<const std::int64_t> values) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  return fmt::format("{}{}{}", sqlite ? '[' : '{', fmt::join(values, ","), sqlite ? ']' : '}');
}

Result<std::int64_t> time_of(db::Connection& connection, Now now) {
  if (now) return *now;
  static const Sql sql("SELECT @now");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector{value_of(now)}));
  return integer_of(rows.front().front());
}

}  // namespace lade::queue
