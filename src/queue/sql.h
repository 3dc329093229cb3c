#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "queue/task.h"

// How the queue writes its statements once for both databases.
namespace lade::queue {

// One statement in both dialects. The text may hold:
//   @now           the time: parameter $1 when it is given, otherwise the database's clock
//   @for_update    locks the rows found; @skip_locked also leaves out rows that others have locked (alias t)
//   @greatest(…)   the larger of two values
//   @list[$n]      the members of a list made by list_of()
//   @notify        as last item of RETURNING: tells listening nodes, when the transaction commits, that there is work
class Sql {
 public:
  explicit Sql(std::string_view text);
  const std::string& of(const db::Connection& connection) const {
    return connection.backend() == db::Backend::sqlite ? sqlite_ : postgresql_;
  }

 private:
  std::string sqlite_;
  std::string postgresql_;
};

// Integers as one parameter, for @list.
std::string list_of(const db::Connection& connection, std::span<const std::int64_t> values);

// The time so much later than @now, for available_at; 0 without a delay. `parameter` is e.g. "$3", in microseconds.
inline std::string after(std::string_view parameter) {
  const std::string delay = "CAST(" + std::string(parameter) + " AS bigint)";
  return "(CASE " + delay + " WHEN 0 THEN 0 ELSE @now + " + delay + " END)";
}

inline db::Value value_of(Now now) {
  return now ? db::Value(*now) : db::Value();
}
inline db::Value text_or_null(const std::string& text) {
  return text.empty() ? db::Value() : db::Value(text);
}
// What a query gave; NULL is 0 or empty.
inline std::int64_t integer_of(const db::Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? 0 : *integer;
}
inline std::string text_of(const db::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

// The time of @now as a number, for what is computed here.
Result<std::int64_t> time_of(db::Connection& connection, Now now);

// Runs `work` in the caller's transaction, or in one of its own when there is none.
template <class Work>
Result<void> in_transaction(db::Connection& connection, Work&& work) {
  if (connection.in_transaction()) return work();
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
  LADE_TRY(work());
  return transaction.commit();
}

}  // namespace lade::queue
