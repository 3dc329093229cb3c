#pragma once

#include <optional>
#include <string>

#include "accounts/principal.h"
#include "db/connection.h"
#include "http/message.h"

// Requests that carry an Idempotency-Key are carried out once: sent again within a day they get the same answer.
namespace lade::api {

class Idempotency {
 public:
  // Of a request without a key, nothing. Fails with request_invalid when the key is too long.
  static Result<std::optional<Idempotency>> of(const http::Request& request, const accounts::Principal& principal,
                                               std::string_view fingerprint);

  // Takes the key in the caller's transaction, waiting for whoever has it just now. Gives the answer that was given
  // before, if there was one; then nothing is left to do. Fails with idempotency_key_reused when that was another
  // request.
  Result<std::optional<http::Response>> take(db::Connection& connection);
  // Keeps the answer, in the same transaction.
  Result<void> keep(db::Connection& connection, const http::Response& response);

 private:
  Idempotency(std::string key, const accounts::Principal& principal, std::string request_hash)
      : key_(std::move(key)), company_(principal.company), user_(principal.user_id), hash_(std::move(request_hash)) {}
  std::string key_;
  std::int64_t company_;
  std::int64_t user_;
  std::string hash_;
};

// Forgets keys older than a day; gives how many.
Result<std::int64_t> remove_old_keys(db::Connection& connection);

}  // namespace lade::api
