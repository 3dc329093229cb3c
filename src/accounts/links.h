#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "accounts/users.h"

// One-time links: who has one proves to be the user, once, to choose a password.
namespace lade::accounts {

enum class LinkPurpose { invitation, password_reset };
std::string_view to_string(LinkPurpose purpose);

inline constexpr std::chrono::seconds kDefaultLinkLife = std::chrono::hours(24);

// Gives the link's token, which is nowhere else (the database has SHA-256 of it). Fails with user_inactive.
Result<std::string> create_link(db::Connection& connection, const User& user, LinkPurpose purpose,
                                std::chrono::seconds valid_for = kDefaultLinkLife);

struct UsedLink {
  User user;
  LinkPurpose purpose;
};
// Uses the link up: of many who try at once one succeeds. Fails with link_invalid when there is no such link, it was
// used before, it has expired, or its user is not active. In the caller's transaction when there is one: a link whose
// use is rolled back can be used again.
Result<UsedLink> use_link(db::Connection& connection, std::string_view token);

// While has_users() is false: an invitation for the first admin, who is above companies and in the default one;
// afterwards nullopt. Earlier invitations of the first admin end.
Result<std::optional<std::string>> invite_first_admin(db::Connection& connection,
                                                      std::chrono::seconds valid_for = kDefaultLinkLife);
inline constexpr std::string_view kFirstAdmin = "admin@localhost";

}  // namespace lade::accounts
