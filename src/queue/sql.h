#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "db/in_transaction.h"
#include "db/values.h"
#include "queue/task.h"

// How the queue writes its statements once for both databases.
namespace lade::queue {

using db::in_transaction;
using db::integer_of;
using db::text_of;
using db::text_or_null;

// One statement in both dialects. The text may hold:
//   @now           the time: parameter $1 when it is given, otherwise the database's clock
//   @for_update    locks the rows found; @skip_locked also leaves out rows that others have locked (alias t)
//   @greatest(…)   the larger of two values; @least(…) the smaller
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

// The time of @now as a number, for what is computed here.
Result<std::int64_t> time_of(db::Connection& connection, Now now);

}  // namespace lade::queue
