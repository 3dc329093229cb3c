#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/passwords.h"
#include "accounts/principal.h"
#include "base/result.h"
#include "db/connection.h"

// People with an account. Nobody is ever deleted, since events and the audit log name them: they become inactive.
namespace lade::accounts {

struct User {
  std::int64_t id = 0;
  std::string uuid;
  std::int64_t company = 0;
  std::string email;  // lower case; the login, unique in the instance
  std::string name;
  Role role = Role::viewer;
  Sight sight = Sight::company;
  std::int64_t project = 0;  // 0: none
  bool instance_admin = false;
  bool active = true;
  bool has_password = false;
  std::string created_at;
  std::string last_login_at;  // empty: never
};

struct NewUser {
  std::string email;
  std::string name = {};
  Role role = Role::viewer;
  std::int64_t company = 0;
  std::int64_t project = 0;
  Sight sight = Sight::company;
  bool instance_admin = false;
};
// Without a password: set_password() or a one-time link follow. Fails with email_invalid, user_exists,
// company_not_found or project_not_found.
Result<User> create_user(db::Connection& connection, const NewUser& user);

// By e-mail address (in any case), UUID or id, of this company; nullopt when there is none.
Result<std::optional<User>> find_user(db::Connection& connection, std::int64_t company, std::string_view reference);
// The same; fails with user_not_found.
Result<User> require_user(db::Connection& connection, std::int64_t company, std::string_view reference);
// In whatever company; for those above companies. Fails with user_not_found.
Result<User> require_user_of_any_company(db::Connection& connection, std::string_view email);
// By e-mail address, inactive ones too.
Result<std::vector<User>> list_users(db::Connection& connection, std::int64_t company);
// Whether any active user of the instance has a password; until then the first admin is to be invited.
Result<bool> has_users(db::Connection& connection);

// What is set is changed.
struct UserChange {
  std::optional<std::string> name = {};
  std::optional<Role> role = {};
  std::optional<Sight> sight = {};
  std::optional<std::int64_t> project = {};  // 0: none
  std::optional<bool> active = {};           // false also ends all sessions and links; tokens rest meanwhile
  std::optional<bool> instance_admin = {};
};
// Gives the user as it is then. What they may changes with their next request. Fails with user_not_found or
// project_not_found.
Result<User> change_user(db::Connection& connection, std::int64_t company, std::int64_t user, const UserChange& change);

// Fails with user_inactive.
Result<void> require_active(const User& user);

// Ends all sessions and links of the user and forgets failed logins. Fails with password_weak or user_not_found.
Result<void> set_password(db::Connection& connection, PasswordHasher& hasher, const User& user,
                          std::string_view password);

}  // namespace lade::accounts
