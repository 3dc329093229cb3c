#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/sql.h"

// How this module writes its statements for both databases.
namespace lade::accounts {

using db::Value;
using store::id_of;
using store::id_or_null;
using store::in_transaction;
using store::integer_of;
using store::now_sql;
using store::text_of;
using store::text_of_words;
using store::time_sql;
using store::words_of;

// The database's clock so much later, or earlier, as columns of time take it.
std::string moment_sql(const db::Connection& connection, std::chrono::seconds from_now);

}  // namespace lade::accounts
