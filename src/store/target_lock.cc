#include "store/target_lock.h"

#include <fmt/format.h>

#include <set>

#include "store/events.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

// Who has the table now that nobody else can change it; the row is there.
Result<std::int64_t> locked_holder(db::Connection& connection, std::int64_t job, const std::string& table) {
  const Value values[] = {job, table};
  LADE_TRY(
      connection.execute("INSERT INTO lade_target_lock (company_id, table_name, job_id) "
                         "VALUES ((SELECT company_id FROM lade_job WHERE id = $1), $2, $1) ON CONFLICT DO NOTHING",
                         values));
  const bool postgresql = connection.backend() == db::Backend::postgresql;
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT job_id FROM lade_target_lock WHERE table_name = $2 AND company_id = "
                                           "(SELECT company_id FROM lade_job WHERE id = $1){}",
                                           postgresql ? " FOR UPDATE" : ""),
                               values));
  return integer_of(rows.front().front());
}

Result<bool> is_live(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows, connection.query("SELECT 1 FROM lade_job WHERE id = $1 AND outcome IS NULL", values));
  return !rows.empty();
}

}  // namespace

Result<std::optional<std::int64_t>> take_targets(db::Connection& connection, std::int64_t job,
                                                 std::span<const std::string> tables) {
  // In one order for everybody. The holder is asked about only when the row is locked: it may just be coming back by a
  // retry, which takes the row first.
  for (const std::string& table : std::set<std::string>(tables.begin(), tables.end())) {
    LADE_ASSIGN(const std::int64_t holder, locked_holder(connection, job, table));
    if (holder == job) continue;
    LADE_ASSIGN(const bool held, is_live(connection, holder));
    if (held) return holder;
    const Value values[] = {job, table};
    LADE_TRY(
        connection.execute("UPDATE lade_target_lock SET job_id = $1 WHERE table_name = $2 AND company_id = "
                           "(SELECT company_id FROM lade_job WHERE id = $1)",
                           values));
  }
  return std::nullopt;
}

Result<void> set_waits_for(db::Connection& connection, std::int64_t job, std::int64_t holder) {
  return in_transaction(connection, [&]() -> Result<void> {
    const Value values[] = {holder, job};
    LADE_ASSIGN(const std::int64_t changed,
                connection.execute("UPDATE lade_job SET waits_for = $1 WHERE id = $2 AND waits_for <> $1", values));
    if (changed == 0 || holder == 0) return {};
    LADE_TRY(append_event(connection, {job, "waits_for_target", "", fmt::format("{{\"job\":{}}}", holder)}));
    return {};
  });
}

}  // namespace lade::store
