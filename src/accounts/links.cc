#include "accounts/links.h"

#include <fmt/format.h>

#include "accounts/secret.h"
#include "accounts/sql.h"
#include "base/sha256.h"
#include "store/definitions.h"

namespace lade::accounts {
namespace {

// The account of the first admin, ready to be used.
Result<User> first_admin(db::Connection& connection) {
  auto user = create_user(connection, {.email = std::string(kFirstAdmin),
                                       .name = "Administrator",
                                       .role = Role::admin,
                                       .company = store::kDefaultCompany,
                                       .instance_admin = true});
  if (user || user.error().code != "user_exists") return user;
  LADE_ASSIGN(const User old, require_user_of_any_company(connection, kFirstAdmin));
  return change_user(connection, old.company, old.id, {.role = Role::admin, .active = true, .instance_admin = true});
}

}  // namespace

std::string_view to_string(LinkPurpose purpose) {
  return purpose == LinkPurpose::invitation ? "invitation" : "password_reset";
}

Result<std::string> create_link(db::Connection& connection, const User& user, LinkPurpose purpose,
                                std::chrono::seconds valid_for) {
  LADE_TRY(require_active(user));
  std::string token = new_secret();
  const Value values[] = {user.company, user.id, std::string(to_string(purpose)), sha256_of(token)};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_link (company_id, user_id, purpose, token_hash, created_at, expires_at) "
                  "VALUES ($1, $2, $3, $4, {}, {})",
                  now_sql(connection), moment_sql(connection, valid_for)),
      values));
  return token;
}

Result<UsedLink> use_link(db::Connection& connection, std::string_view token) {
  const Value values[] = {sha256_of(token)};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("UPDATE lade_link SET used_at = {0} "
                                           "WHERE token_hash = $1 AND used_at IS NULL AND expires_at > {0} AND EXISTS "
                                           "(SELECT 1 FROM lade_user u WHERE u.id = user_id AND u.active) "
                                           "RETURNING company_id, user_id, purpose",
                                           now_sql(connection)),
                               values));
  if (rows.empty())
    return fail("link_invalid", "the link is wrong, was used before or has expired",
                "ask an admin for a new one (lade users link EMAIL)", ErrorKind::invalid);
  const db::Row& row = rows.front();
  LADE_ASSIGN(User user, require_user(connection, integer_of(row[0]), std::to_string(integer_of(row[1]))));
  const bool invitation = text_of(row[2]) == to_string(LinkPurpose::invitation);
  return UsedLink{std::move(user), invitation ? LinkPurpose::invitation : LinkPurpose::password_reset};
}

Result<std::optional<std::string>> invite_first_admin(db::Connection& connection, std::chrono::seconds valid_for) {
  return in_transaction(connection, [&]() -> Result<std::optional<std::string>> {
    LADE_ASSIGN(const bool used, has_users(connection));
    if (used) return std::nullopt;
    LADE_ASSIGN(const User admin, first_admin(connection));
    const Value values[] = {admin.id};
    LADE_TRY(connection.execute("DELETE FROM lade_link WHERE user_id = $1", values));
    LADE_ASSIGN(std::string token, create_link(connection, admin, LinkPurpose::invitation, valid_for));
    return std::optional(std::move(token));
  });
}

}  // namespace lade::accounts
