#pragma once

#include <optional>
#include <string>

#include "accounts/principal.h"
#include "api/route.h"

// Who a request comes from.
namespace lade::api {

inline constexpr std::string_view kSessionCookie = "__Host-lade";

// The token of the session that a browser has sent; empty: none.
std::string session_token(const http::Request& request);
// The cookie that makes a browser send the token; an empty one makes it forget the last one.
std::string session_cookie(std::string_view token);

// By its bearer token or, from a browser, by its session. Nullopt when it has neither; fails with not_authenticated
// when what it has is not good (any more), and with origin_refused when another site made the browser send a change.
Result<std::optional<accounts::Principal>> authenticate(db::Connection& connection, const http::Request& request);

// Fails with not_authenticated or not_allowed, naming what is missing.
Result<void> check_access(const Route& route, const std::optional<accounts::Principal>& principal);

}  // namespace lade::api
