#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "accounts/users.h"

// Sessions of browsers. Their tokens are 256 random bits as 43 characters of base64url; the database has only SHA-256
// of them, so who reads it cannot use them.
namespace lade::accounts {

struct SessionLimits {
  std::chrono::seconds idle = std::chrono::minutes(30);
  std::chrono::seconds absolute = std::chrono::hours(12);
};

// Gives the token, which is nowhere else.
Result<std::string> begin_session(db::Connection& connection, const User& user);
// Only reads; nullopt when there is no such session, it is over, or its user is not active. One statement.
Result<std::optional<Principal>> find_session(db::Connection& connection, std::string_view token,
                                              const SessionLimits& limits = {});
// Notes that the session or token was used, unless that was noted less than a minute ago (then there is no need to call
// it: Principal::use_unrecorded).
Result<void> record_use(db::Connection& connection, const Principal& principal);
// A new token for the same session, which keeps its age; the old token ends at once. nullopt when there is no such
// session or it is over. To be called when what the session may changes.
Result<std::optional<std::string>> rotate_session(db::Connection& connection, std::string_view token,
                                                  const SessionLimits& limits = {});
Result<void> end_session(db::Connection& connection, std::string_view token);
// All of the user's; gives how many.
Result<std::int64_t> end_sessions(db::Connection& connection, std::int64_t user);
// Forgets those of all users that are over; gives how many.
Result<std::int64_t> remove_ended_sessions(db::Connection& connection, const SessionLimits& limits = {});

}  // namespace lade::accounts
