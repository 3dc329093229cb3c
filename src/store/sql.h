#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/connection.h"

// How the store writes its statements for both databases.
namespace lade::store {

// The database's clock, as columns of time take it.
std::string_view now_sql(const db::Connection& connection);
// A column of time as text, 2024-12-31T23:59:59.999Z in both databases.
std::string time_sql(const db::Connection& connection, std::string_view column);

// A column of bytes as a query gives it.
std::string bytes_of(const db::Connection& connection, const db::Value& value);

// What a query gave; NULL is 0 or empty.
inline std::int64_t integer_of(const db::Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? 0 : *integer;
}
inline std::string text_of(const db::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}
inline db::Value text_or_null(std::string text) {
  return text.empty() ? db::Value() : db::Value(std::move(text));
}
inline db::Value id_or_null(std::int64_t id) {
  return id == 0 ? db::Value() : db::Value(id);
}

// Runs `work`, which gives a Result, in the caller's transaction, or in one of its own when there is none.
template <class Work>
auto in_transaction(db::Connection& connection, Work&& work) -> decltype(work()) {
  if (connection.in_transaction()) return work();
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
  auto result = work();
  if (!result) return result;
  LADE_TRY(transaction.commit());
  return result;
}

}  // namespace lade::store
