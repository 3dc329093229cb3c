#include "api/idempotency.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/sha256.h"
#include "db/values.h"
#include "store/sql.h"

namespace lade::api {
namespace {

using db::Value;
constexpr std::size_t kLongestKey = 200;

std::string headers_text(const http::Headers& headers) {
  boost::json::object object;
  for (const auto& [name, value] : headers.all()) object[name] = value;
  return boost::json::serialize(object);
}

http::Response stored_response(const db::Row& row) {
  http::Response response{.status = static_cast<int>(db::integer_of(row[1]))};
  const boost::json::value headers = boost::json::parse(db::text_of(row[2]));
  for (const auto& [name, value] : headers.as_object())
    response.headers.add(std::string(name), std::string(value.as_string()));
  response.headers.set("Idempotent-Replay", "true");
  response.body = db::text_of(row[3]);
  return response;
}

}  // namespace

Result<std::optional<Idempotency>> Idempotency::of(const http::Request& request, const accounts::Principal& principal,
                                                   std::string_view fingerprint) {
  const std::string key(request.headers.get("Idempotency-Key"));
  if (key.empty()) return std::nullopt;
  if (key.size() > kLongestKey)
    return fail("request_invalid", fmt::format("the Idempotency-Key has {} characters", key.size()),
                fmt::format("at most {}", kLongestKey), ErrorKind::usage);
  return Idempotency(
      key, principal,
      sha256_of(fmt::format("{}\n{}\n{}\n{}", request.method, request.path, request.query, fingerprint)));
}

Result<std::optional<http::Response>> Idempotency::take(db::Connection& connection) {
  const Value values[] = {company_, user_, key_, hash_};
  LADE_ASSIGN(
      const auto taken,
      connection.execute(fmt::format("INSERT INTO lade_idempotency (company_id, user_id, key, request_hash, "
                                     "status, headers, body, created_at) VALUES ($1, $2, $3, $4, 0, '{{}}', '', "
                                     "{}) ON CONFLICT (company_id, user_id, key) DO NOTHING",
                                     store::now_sql(connection)),
                         values));
  if (taken > 0) return std::nullopt;
  const Value which[] = {company_, user_, key_};
  LADE_ASSIGN(const auto rows, connection.query("SELECT request_hash, status, headers, body FROM lade_idempotency "
                                                "WHERE company_id = $1 AND user_id = $2 AND key = $3",
                                                which));
  if (rows.empty() || db::text_of(rows[0][0]) != hash_)
    return fail("idempotency_key_reused", "the Idempotency-Key was used for another request", "use a new one for each",
                ErrorKind::usage);
  return stored_response(rows[0]);
}

Result<void> Idempotency::keep(db::Connection& connection, const http::Response& response) {
  const auto* body = std::get_if<std::string>(&response.body);
  const Value values[] = {company_,
                          user_,
                          key_,
                          std::int64_t{response.status},
                          headers_text(response.headers),
                          body == nullptr ? std::string() : *body};
  LADE_TRY(
      connection.execute("UPDATE lade_idempotency SET status = $4, headers = $5, body = $6 "
                         "WHERE company_id = $1 AND user_id = $2 AND key = $3",
                         values));
  return {};
}

Result<std::int64_t> remove_old_keys(db::Connection& connection) {
  return connection.execute(connection.backend() == db::Backend::sqlite
                                ? "DELETE FROM lade_idempotency WHERE created_at < strftime('%Y-%m-%dT%H:%M:%fZ', "
                                  "'now', '-1 day')"
                                : "DELETE FROM lade_idempotency WHERE created_at < now() - interval '1 day'");
}

}  // namespace lade::api
