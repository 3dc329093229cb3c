#pragma once

#include <string>

#include "accounts/companies.h"
#include "accounts/passwords.h"
#include "accounts/users.h"
#include "store/definitions.h"
#include "store/schema.h"
#include "testing/database_test.h"

namespace lade::testing {

// A migrated database, a second company, and hashes of passwords that cost as little as libsodium allows.
class AccountsTest : public DatabaseTest {
 protected:
  AccountsTest() {
    EXPECT_OK(store::migrate(*connection));
    const auto company = accounts::create_company(*connection, "other", "Other Ltd");
    EXPECT_OK(company);
    other_company = company->id;
  }

  accounts::User created(const std::string& email, accounts::Role role = accounts::Role::viewer,
                         std::int64_t company = store::kDefaultCompany) {
    const auto user = accounts::create_user(*connection, {.email = email, .role = role, .company = company});
    EXPECT_OK(user);
    return user.value_or(accounts::User());
  }
  accounts::User with_password(const std::string& email, const std::string& password) {
    const accounts::User user = created(email);
    EXPECT_OK(accounts::set_password(*connection, hasher, user, password));
    return user;
  }
  // Moves times of a table so far into the past, as if so much time had gone by.
  void age(const std::string& table, const std::string& column, const std::string& time) {
    EXPECT_OK(connection->run("UPDATE " + table + " SET " + column + " = " +
                              pick("strftime('%Y-%m-%dT%H:%M:%fZ', " + column + ", '-" + time + "')",
                                   column + " - interval '" + time + "'")));
  }

  static constexpr std::int64_t kCompany = store::kDefaultCompany;
  std::int64_t other_company = 0;
  accounts::PasswordHasher hasher{{.passes = 1, .memory_bytes = 8192}};
};

}  // namespace lade::testing
