#include "accounts/login.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "accounts/email.h"
#include "accounts/sql.h"
#include "base/assert.h"
#include "store/definitions.h"

namespace lade::accounts {
namespace {

struct Candidate {
  std::int64_t company = store::kDefaultCompany;
  std::string password_hash;  // empty: nobody can log in so
};

Result<Candidate> find_candidate(db::Connection& connection, const std::string& email) {
  const Value values[] = {email};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT company_id, CASE WHEN active THEN password_hash END FROM lade_user "
                               "WHERE email = $1",
                               values));
  if (rows.empty()) return Candidate();
  return Candidate{integer_of(rows[0][0]), text_of(rows[0][1])};
}

// Gives the number of attempts in the present window, this one included.
Result<std::int64_t> count_attempt(db::Connection& connection, const std::string& login, std::int64_t company,
                                   std::chrono::seconds window) {
  const Value values[] = {login, company};
  LADE_ASSIGN(const auto rows,
              connection.query(
                  fmt::format("INSERT INTO lade_login_failure AS f (login_hash, company_id, failures, "
                              "since) VALUES ($1, $2, 1, {now}) ON CONFLICT (login_hash) DO UPDATE SET "
                              "failures = CASE WHEN f.since > {begin} THEN f.failures + 1 ELSE 1 END, "
                              "since = CASE WHEN f.since > {begin} THEN f.since ELSE {now} END "
                              "RETURNING failures",
                              fmt::arg("now", now_sql(connection)), fmt::arg("begin", moment_sql(connection, -window))),
                  values));
  return integer_of(rows.front().front());
}

Result<void> forget_old_failures(db::Connection& connection, std::chrono::seconds window) {
  LADE_TRY(connection.execute(
      fmt::format("DELETE FROM lade_login_failure WHERE since <= {}", moment_sql(connection, -window))));
  return {};
}

// Forgets failures before and notes the time.
Result<void> welcome(db::Connection& connection, const std::string& email, const std::string& login) {
  return in_transaction(connection, [&]() -> Result<void> {
    const Value failures[] = {login};
    LADE_TRY(connection.execute("DELETE FROM lade_login_failure WHERE login_hash = $1", failures));
    const Value user[] = {email};
    LADE_TRY(connection.execute(
        fmt::format("UPDATE lade_user SET last_login_at = {} WHERE email = $1", now_sql(connection)), user));
    return {};
  });
}

}  // namespace

Result<User> log_in(db::Connection& connection, PasswordHasher& hasher, std::string_view email,
                    std::string_view password, const LoginLimits& limits) {
  LADE_ASSERT(!connection.in_transaction());  // a rolled back attempt would not count
  const std::string address = lower_case(email), login = login_hash(email);
  LADE_ASSIGN(const Candidate candidate, find_candidate(connection, address));
  LADE_ASSIGN(const std::int64_t attempts, count_attempt(connection, login, candidate.company, limits.window));
  if (attempts > limits.failures)
    return fail("login_locked", fmt::format("too many failed logins as '{}'", address),
                fmt::format("wait up to {} minutes, or have a new password set",
                            std::chrono::ceil<std::chrono::minutes>(limits.window).count()),
                ErrorKind::invalid);
  if (!hasher.matches(candidate.password_hash, password)) {
    LADE_TRY(forget_old_failures(connection, limits.window));
    return fail("login_failed", "the e-mail address or the password is wrong",
                "check both; capitals count in passwords", ErrorKind::invalid);
  }
  LADE_TRY(welcome(connection, address, login));
  return require_user_of_any_company(connection, address);
}

}  // namespace lade::accounts
