#include "accounts/users.h"

#include <fmt/format.h>

#include <algorithm>

#include "accounts/companies.h"
#include "accounts/email.h"
#include "accounts/sessions.h"
#include "accounts/sql.h"
#include "base/id.h"

namespace lade::accounts {
namespace {

std::string select_users(const db::Connection& connection) {
  return fmt::format(
      "SELECT id, CAST(uuid AS text), company_id, email, name, role, sight, project_id, instance_admin, active, "
      "CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END, {}, {} FROM lade_user ",
      time_sql(connection, "created_at"), time_sql(connection, "last_login_at"));
}

User user_of(const db::Row& row) {
  User user;
  user.id = integer_of(row[0]);
  user.uuid = text_of(row[1]);
  user.company = integer_of(row[2]);
  user.email = text_of(row[3]);
  user.name = text_of(row[4]);
  user.role = role_of(text_of(row[5])).value();
  user.sight = sight_of(text_of(row[6])).value();
  user.project = integer_of(row[7]);
  user.instance_admin = integer_of(row[8]) != 0;
  user.active = integer_of(row[9]) != 0;
  user.has_password = integer_of(row[10]) != 0;
  user.created_at = text_of(row[11]);
  user.last_login_at = text_of(row[12]);
  return user;
}

tl::unexpected<Error> user_not_found(std::string_view reference) {
  return fail("user_not_found", fmt::format("there is no user '{}'", reference), "see lade users list",
              ErrorKind::invalid);
}

// The person must prove anew who they are.
Result<void> end_sessions_and_links(db::Connection& connection, std::int64_t user) {
  LADE_TRY(end_sessions(connection, user));
  const Value values[] = {user};
  LADE_TRY(connection.execute("DELETE FROM lade_link WHERE user_id = $1", values));
  return {};
}

}  // namespace

Result<User> create_user(db::Connection& connection, const NewUser& user) {
  LADE_ASSIGN(const std::string email, normal_email(user.email));
  LADE_TRY(require_company(connection, std::to_string(user.company)));
  if (user.project != 0) LADE_TRY(require_project(connection, user.company, std::to_string(user.project)));
  const Value values[] = {new_uuid(),
                          user.company,
                          email,
                          user.name.empty() ? email : user.name,
                          std::string(to_string(user.role)),
                          std::string(to_string(user.sight)),
                          id_or_null(user.project),
                          std::int64_t{user.instance_admin}};
  LADE_ASSIGN(const std::int64_t made,
              connection.execute(fmt::format("INSERT INTO lade_user (uuid, company_id, email, name, role, sight, "
                                             "project_id, instance_admin, created_at) "
                                             "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, {}) "
                                             "ON CONFLICT (email) DO NOTHING",
                                             now_sql(connection)),
                                 values));
  if (made == 0)
    return fail("user_exists", fmt::format("there is a user '{}' already", email),
                "an address belongs to one user of one company", ErrorKind::duplicate);
  return require_user(connection, user.company, email);
}

Result<std::optional<User>> find_user(db::Connection& connection, std::int64_t company, std::string_view reference) {
  const Value values[] = {company, lower_case(reference), id_of(reference)};
  LADE_ASSIGN(const auto rows,
              connection.query(select_users(connection) + "WHERE company_id = $1 AND (email = $2 OR "
                                                          "CAST(uuid AS text) = $2 OR id = CAST($3 AS bigint))",
                               values));
  return rows.empty() ? std::nullopt : std::optional(user_of(rows.front()));
}

Result<User> require_user(db::Connection& connection, std::int64_t company, std::string_view reference) {
  LADE_ASSIGN(auto user, find_user(connection, company, reference));
  if (!user) return user_not_found(reference);
  return std::move(*user);
}

Result<User> require_user_of_any_company(db::Connection& connection, std::string_view email) {
  const Value values[] = {lower_case(email)};
  LADE_ASSIGN(const auto rows, connection.query(select_users(connection) + "WHERE email = $1", values));
  if (rows.empty()) return user_not_found(email);
  return user_of(rows.front());
}

Result<std::vector<User>> list_users(db::Connection& connection, std::int64_t company) {
  const Value values[] = {company};
  LADE_ASSIGN(const auto rows,
              connection.query(select_users(connection) + "WHERE company_id = $1 ORDER BY email", values));
  std::vector<User> users;
  for (const db::Row& row : rows) users.push_back(user_of(row));
  return users;
}

Result<bool> has_users(db::Connection& connection) {
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT count(*) FROM lade_user WHERE active AND password_hash IS NOT NULL"));
  return integer_of(rows[0][0]) > 0;
}

Result<User> change_user(db::Connection& connection, std::int64_t company, std::int64_t id, const UserChange& change) {
  const auto name_or_null = [](const auto& value) { return value ? Value(std::string(to_string(*value))) : Value(); };
  const auto flag_or_null = [](const auto& value) { return value ? Value(std::int64_t{*value}) : Value(); };
  return in_transaction(connection, [&]() -> Result<User> {
    if (change.project.value_or(0) != 0)
      LADE_TRY(require_project(connection, company, std::to_string(*change.project)));
    const Value values[] = {change.name ? Value(*change.name) : Value(),
                            name_or_null(change.role),
                            name_or_null(change.sight),
                            change.project ? Value(*change.project) : Value(),
                            flag_or_null(change.active),
                            flag_or_null(change.instance_admin),
                            id,
                            company};
    LADE_TRY(
        connection.execute("UPDATE lade_user SET name = coalesce(CAST($1 AS text), name), "
                           "role = coalesce(CAST($2 AS text), role), sight = coalesce(CAST($3 AS text), sight), "
                           "project_id = nullif(coalesce(CAST($4 AS bigint), project_id), 0), "
                           "active = coalesce(CAST($5 AS boolean), active), "
                           "instance_admin = coalesce(CAST($6 AS boolean), instance_admin) "
                           "WHERE id = $7 AND company_id = $8",
                           values));
    LADE_ASSIGN(User user, require_user(connection, company, std::to_string(id)));
    if (!user.active) LADE_TRY(end_sessions_and_links(connection, id));
    return user;
  });
}

Result<void> require_active(const User& user) {
  if (user.active) return {};
  return fail("user_inactive", fmt::format("the user '{}' is not active", user.email),
              "lade users set EMAIL --active lets them in again", ErrorKind::invalid);
}

Result<void> set_password(db::Connection& connection, PasswordHasher& hasher, const User& user,
                          std::string_view password) {
  LADE_ASSIGN(std::string hash, hasher.hash(password));
  return in_transaction(connection, [&]() -> Result<void> {
    const Value values[] = {std::move(hash), user.id, user.company};
    LADE_ASSIGN(
        const std::int64_t changed,
        connection.execute("UPDATE lade_user SET password_hash = $1 WHERE id = $2 AND company_id = $3", values));
    if (changed == 0) return user_not_found(user.email);
    const Value login[] = {login_hash(user.email)};
    LADE_TRY(connection.execute("DELETE FROM lade_login_failure WHERE login_hash = $1", login));
    return end_sessions_and_links(connection, user.id);
  });
}

}  // namespace lade::accounts
