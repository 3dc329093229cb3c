#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "db/in_transaction.h"
#include "db/values.h"

// How the store writes its statements for both databases.
namespace lade::store {

using db::in_transaction;
using db::integer_of;
using db::text_of;
using db::text_or_null;

// The database's clock, as columns of time take it.
std::string_view now_sql(const db::Connection& connection);
// A column of time as text, 2024-12-31T23:59:59.999Z in both databases.
std::string time_sql(const db::Connection& connection, std::string_view column);

// The id that a reference is; 0: it is none.
std::int64_t id_of(std::string_view reference);

// A short list of words in one column, with spaces between them.
std::string text_of_words(const std::vector<std::string>& words);
std::vector<std::string> words_of(std::string_view text);

// A column of bytes as a query gives it.
std::string bytes_of(const db::Connection& connection, const db::Value& value);

inline db::Value id_or_null(std::int64_t id) {
  return id == 0 ? db::Value() : db::Value(id);
}

}  // namespace lade::store
