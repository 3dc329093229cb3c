#include "accounts/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "accounts/secret.h"
#include "accounts/sql.h"
#include "base/id.h"
#include "base/sha256.h"

namespace lade::accounts {
namespace {

constexpr std::string_view kPrefix = "lade_";

Result<void> check_scopes(const std::vector<std::string>& wanted) {
  const std::string known = fmt::format("{}, or {} for all that the user may", fmt::join(scopes(), ", "), kEveryScope);
  if (wanted.empty()) return fail("token_scope_unknown", "a token needs at least one scope", known, ErrorKind::usage);
  for (const std::string& scope : wanted)
    if (scope != kEveryScope && std::find(scopes().begin(), scopes().end(), scope) == scopes().end())
      return fail("token_scope_unknown", fmt::format("there is no scope '{}'", scope), known, ErrorKind::usage);
  return {};
}

Result<void> check_life(const User& user, const std::optional<std::chrono::days>& life) {
  if (!life && user.instance_admin) return {};
  if (life && *life >= std::chrono::days(1) && *life <= kLongestTokenLife) return {};
  return fail("token_life_invalid",
              life ? fmt::format("a token cannot be valid for {} days", life->count())
                   : "a token of this user cannot be valid for ever",
              fmt::format("1 to {} days; only instance admins have tokens for ever", kLongestTokenLife.count()),
              ErrorKind::usage);
}

std::string select_tokens(const db::Connection& connection) {
  const auto time = [&](std::string_view column) { return time_sql(connection, column); };
  return fmt::format(
      "SELECT t.id, CAST(t.uuid AS text), t.user_id, u.email, t.name, t.scopes, {}, {}, {}, {} "
      "FROM lade_token t JOIN lade_user u ON u.id = t.user_id WHERE t.company_id = $1 ",
      time("t.created_at"), time("t.expires_at"), time("t.last_used_at"), time("t.revoked_at"));
}

Token token_of(const db::Row& row) {
  return {integer_of(row[0]),        text_of(row[1]), integer_of(row[2]), text_of(row[3]), text_of(row[4]),
          words_of(text_of(row[5])), text_of(row[6]), text_of(row[7]),    text_of(row[8]), text_of(row[9])};
}

}  // namespace

Result<CreatedToken> create_token(db::Connection& connection, const User& user, const NewToken& token) {
  if (token.name.empty())
    return fail("token_name_missing", "a token needs a name", "name the program that will use it", ErrorKind::usage);
  LADE_TRY(require_active(user));
  LADE_TRY(check_scopes(token.scopes));
  LADE_TRY(check_life(user, token.valid_for));
  std::string text = std::string(kPrefix) + new_secret();
  const std::string uuid = new_uuid();
  const Value values[] = {uuid, user.company, user.id, token.name, sha256_of(text), text_of_words(token.scopes)};
  const std::string expires = token.valid_for ? moment_sql(connection, *token.valid_for) : "NULL";
  LADE_TRY(connection.execute(
      fmt::format(
          "INSERT INTO lade_token (uuid, company_id, user_id, name, token_hash, scopes, created_at, expires_at) "
          "VALUES ($1, $2, $3, $4, $5, $6, {}, {})",
          now_sql(connection), expires),
      values));
  LADE_ASSIGN(Token made, require_token(connection, user.company, uuid));
  return CreatedToken{std::move(made), std::move(text)};
}

Result<std::optional<Principal>> find_token(db::Connection& connection, std::string_view text) {
  if (!text.starts_with(kPrefix) || text.size() != kPrefix.size() + kSecretCharacters) return std::nullopt;
  const Value values[] = {sha256_of(text)};
  LADE_ASSIGN(const auto rows,
              connection.query(
                  fmt::format("SELECT {}, t.id, CASE WHEN t.last_used_at > {} THEN 0 ELSE 1 END, t.scopes "
                              "FROM lade_token t JOIN lade_user u ON u.id = t.user_id "
                              "JOIN lade_company c ON c.id = u.company_id WHERE t.token_hash = $1 "
                              "AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > {}) AND u.active",
                              kPrincipalColumns, moment_sql(connection, -kRecordedEvery), now_sql(connection)),
                  values));
  if (rows.empty()) return std::nullopt;
  const db::Row& row = rows.front();
  Principal principal = principal_of(row);
  principal.via = "token";
  principal.credential = integer_of(row[kPrincipalColumnCount]);
  principal.use_unrecorded = integer_of(row[kPrincipalColumnCount + 1]) != 0;
  principal.scopes = words_of(text_of(row[kPrincipalColumnCount + 2]));
  return principal;
}

Result<std::vector<Token>> list_tokens(db::Connection& connection, std::int64_t company, std::int64_t user) {
  const Value values[] = {company, id_or_null(user)};
  LADE_ASSIGN(const auto rows,
              connection.query(select_tokens(connection) + "AND (CAST($2 AS bigint) IS NULL OR t.user_id = "
                                                           "CAST($2 AS bigint)) ORDER BY t.id DESC",
                               values));
  std::vector<Token> tokens;
  for (const db::Row& row : rows) tokens.push_back(token_of(row));
  return tokens;
}

Result<Token> require_token(db::Connection& connection, std::int64_t company, std::string_view reference) {
  const Value values[] = {company, std::string(reference), id_of(reference)};
  LADE_ASSIGN(const auto rows, connection.query(select_tokens(connection) + "AND (CAST(t.uuid AS text) = $2 OR t.id = "
                                                                            "CAST($3 AS bigint))",
                                                values));
  if (rows.empty())
    return fail("token_not_found", fmt::format("there is no token '{}'", reference),
                "give its id or UUID; see lade tokens list", ErrorKind::invalid);
  return token_of(rows.front());
}

Result<Token> revoke_token(db::Connection& connection, std::int64_t company, std::string_view reference) {
  LADE_ASSIGN(const Token token, require_token(connection, company, reference));
  const Value values[] = {token.id, company};
  LADE_TRY(connection.execute(fmt::format("UPDATE lade_token SET revoked_at = {} "
                                          "WHERE id = $1 AND company_id = $2 AND revoked_at IS NULL",
                                          now_sql(connection)),
                              values));
  return require_token(connection, company, token.uuid);
}

}  // namespace lade::accounts
