#pragma once

#include <chrono>
#include <string_view>

#include "accounts/users.h"

namespace lade::accounts {

struct LoginLimits {
  int failures = 10;  // as many within the window, and the login is refused until the window is over
  std::chrono::seconds window = std::chrono::minutes(15);
};

// The active user with this e-mail address and password. Whether there is such a user shows neither in the error nor
// in the time it takes nor in when it is locked. Attempts are counted before the password is looked at, in the
// database, so neither many at once nor several nodes give more of them. No transaction is open. Fails with
// login_failed or login_locked.
Result<User> log_in(db::Connection& connection, PasswordHasher& hasher, std::string_view email,
                    std::string_view password, const LoginLimits& limits = {});

}  // namespace lade::accounts
