#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

// A column of bytes as a query gives it.
std::string bytes_of(const db::Connection& connection, const db::Value& value);

inline db::Value id_or_null(std::int64_t id) {
  return id == 0 ? db::Value() : db::Value(id);
}

}  // namespace lade::store
