#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/users.h"

// Tokens of programs that use the API in a user's name: "lade_" and 43 characters of base64url. The database has only
// SHA-256 of them.
namespace lade::accounts {

inline constexpr std::chrono::days kDefaultTokenLife{90};
inline constexpr std::chrono::days kLongestTokenLife{366};

struct NewToken {
  std::string name;
  std::vector<std::string> scopes;  // one or more of scopes(), or "*"
  // 1 to 366 days; nullopt: for ever, which only instance admins can have.
  std::optional<std::chrono::days> valid_for = kDefaultTokenLife;
};

struct Token {
  std::int64_t id = 0;
  std::string uuid;
  std::int64_t user_id = 0;
  std::string user;  // e-mail address
  std::string name;
  std::vector<std::string> scopes;
  std::string created_at;
  std::string expires_at;    // empty: never
  std::string last_used_at;  // empty: never; to the minute
  std::string revoked_at;    // empty: it was not
};

struct CreatedToken {
  Token token;
  std::string text;  // what the program sends; shown once, it is nowhere else
};
// Fails with token_scope_unknown, token_life_invalid, token_name_missing or user_inactive.
Result<CreatedToken> create_token(db::Connection& connection, const User& user, const NewToken& token);

// Only reads; nullopt when there is no such token, it has expired or was revoked, or its user is not active. One
// statement, which looks for the hash: how long it takes says nothing about other tokens. record_use() of sessions.h
// notes the use.
Result<std::optional<Principal>> find_token(db::Connection& connection, std::string_view text);

// Newest first, those that ended too; of one user or of the whole company (0).
Result<std::vector<Token>> list_tokens(db::Connection& connection, std::int64_t company, std::int64_t user = 0);
// By id or UUID, of this company; a token that was revoked before stays so. Gives the token as it is then. Fails with
// token_not_found.
Result<Token> require_token(db::Connection& connection, std::int64_t company, std::string_view reference);
Result<Token> revoke_token(db::Connection& connection, std::int64_t company, std::string_view reference);

}  // namespace lade::accounts
