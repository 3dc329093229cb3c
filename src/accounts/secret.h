#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "accounts/principal.h"
#include "db/connection.h"

// What sessions, tokens and links have in common: a secret of which the database has only the hash.
namespace lade::accounts {

// 256 random bits, as 43 characters of base64url.
std::string new_secret();
inline constexpr std::size_t kSecretCharacters = 43;

// How exactly the last use of a session or token is known.
inline constexpr std::chrono::minutes kRecordedEvery{1};

// The columns that principal_of() reads, of lade_user u and lade_company c.
inline constexpr std::string_view kPrincipalColumns =
    "c.id, c.slug, c.name, u.id, u.email, u.name, u.role, u.instance_admin, u.sight, u.project_id";
inline constexpr std::size_t kPrincipalColumnCount = 10;
Principal principal_of(const db::Row& row);

}  // namespace lade::accounts
