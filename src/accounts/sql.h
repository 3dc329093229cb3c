#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/sql.h"

// How this module writes its statements for both databases.
namespace lade::accounts {

using db::Value;
using store::id_or_null;
using store::in_transaction;
using store::integer_of;
using store::now_sql;
using store::text_of;
using store::time_sql;

// The database's clock so much later, or earlier, as columns of time take it.
std::string moment_sql(const db::Connection& connection, std::chrono::seconds from_now);

// The id that a reference is; 0: it is none.
std::int64_t id_of(std::string_view reference);

}  // namespace lade::accounts
