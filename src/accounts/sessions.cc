#include "accounts/sessions.h"

#include <fmt/format.h>

#include "accounts/secret.h"
#include "accounts/sql.h"
#include "base/sha256.h"

namespace lade::accounts {
namespace {

// The condition of a session that is not over.
std::string alive_sql(const db::Connection& connection, const SessionLimits& limits) {
  return fmt::format("(last_seen_at > {} AND created_at > {})", moment_sql(connection, -limits.idle),
                     moment_sql(connection, -limits.absolute));
}

}  // namespace

Result<std::string> begin_session(db::Connection& connection, const User& user) {
  std::string token = new_secret();
  const Value values[] = {user.company, user.id, sha256_of(token)};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_session (company_id, user_id, token_hash, created_at, last_seen_at) "
                  "VALUES ($1, $2, $3, {0}, {0})",
                  now_sql(connection)),
      values));
  return token;
}

Result<std::optional<Principal>> find_session(db::Connection& connection, std::string_view token,
                                              const SessionLimits& limits) {
  if (token.size() != kSecretCharacters) return std::nullopt;
  const Value values[] = {sha256_of(token)};
  LADE_ASSIGN(
      const auto rows,
      connection.query(
          fmt::format("SELECT {}, s.id, CASE WHEN s.last_seen_at <= {} THEN 1 ELSE 0 END "
                      "FROM (SELECT * FROM lade_session WHERE token_hash = $1 AND {}) s "
                      "JOIN lade_user u ON u.id = s.user_id JOIN lade_company c ON c.id = u.company_id "
                      "WHERE u.active",
                      kPrincipalColumns, moment_sql(connection, -kRecordedEvery), alive_sql(connection, limits)),
          values));
  if (rows.empty()) return std::nullopt;
  Principal principal = principal_of(rows.front());
  principal.via = "session";
  principal.credential = integer_of(rows[0][kPrincipalColumnCount]);
  principal.use_unrecorded = integer_of(rows[0][kPrincipalColumnCount + 1]) != 0;
  return principal;
}

Result<void> record_use(db::Connection& connection, const Principal& principal) {
  const bool session = principal.via == "session";
  const std::string_view column = session ? "last_seen_at" : "last_used_at";
  const Value values[] = {principal.credential, principal.company};
  LADE_TRY(connection.execute(
      fmt::format("UPDATE {0} SET {1} = {2} WHERE id = $1 AND company_id = $2 AND ({1} IS NULL OR {1} <= {3})",
                  session ? "lade_session" : "lade_token", column, now_sql(connection),
                  moment_sql(connection, -kRecordedEvery)),
      values));
  return {};
}

Result<std::optional<std::string>> rotate_session(db::Connection& connection, std::string_view token,
                                                  const SessionLimits& limits) {
  std::string fresh = new_secret();
  const Value values[] = {sha256_of(fresh), sha256_of(token)};
  LADE_ASSIGN(const std::int64_t changed,
              connection.execute(fmt::format("UPDATE lade_session SET token_hash = $1, last_seen_at = {} "
                                             "WHERE token_hash = $2 AND {} AND EXISTS "
                                             "(SELECT 1 FROM lade_user u WHERE u.id = user_id AND u.active)",
                                             now_sql(connection), alive_sql(connection, limits)),
                                 values));
  return changed == 0 ? std::nullopt : std::optional(std::move(fresh));
}

Result<void> end_session(db::Connection& connection, std::string_view token) {
  const Value values[] = {sha256_of(token)};
  LADE_TRY(connection.execute("DELETE FROM lade_session WHERE token_hash = $1", values));
  return {};
}

Result<std::int64_t> end_sessions(db::Connection& connection, std::int64_t user) {
  const Value values[] = {user};
  return connection.execute("DELETE FROM lade_session WHERE user_id = $1", values);
}

Result<std::int64_t> remove_ended_sessions(db::Connection& connection, const SessionLimits& limits) {
  return connection.execute("DELETE FROM lade_session WHERE NOT " + alive_sql(connection, limits));
}

}  // namespace lade::accounts
