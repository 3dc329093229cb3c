#include "queue/rate_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "queue/sql.h"

namespace lade::queue {
namespace {

constexpr std::string_view kTables = R"sql(
CREATE TABLE lade_rate (
  name          text PRIMARY KEY,
  company_id    bigint NOT NULL DEFAULT 1,
  tokens        double precision NOT NULL,
  blocked_until bigint NOT NULL DEFAULT 0,
  asked_at      bigint NOT NULL
);
CREATE TABLE lade_rate_use (
  name       text NOT NULL,
  node       text NOT NULL,
  company_id bigint NOT NULL DEFAULT 1,
  permits    bigint NOT NULL,
  PRIMARY KEY (name, node)
);
)sql";

constexpr Duration kLookAgain = std::chrono::milliseconds(100);  // when others have to give something back first
constexpr double kNearlyOne = 1 - 1e-6;                          // what adding up small parts may miss

struct Bucket {
  double tokens = 0;
  Duration blocked{0};  // from now
};

Duration in_time(double seconds) {
  return Duration(static_cast<Duration::rep>(std::ceil(seconds * 1e6)));
}

// The bucket as it is now; its row is locked until the end of the transaction. A clock that goes back brings nothing.
Result<Bucket> look_into(db::Connection& connection, const std::string& key, const RateLimit& limit, Now now) {
  static const Sql sql(
      "INSERT INTO lade_rate (name, tokens, asked_at) VALUES ($2, $3, @now) ON CONFLICT (name) DO UPDATE SET "
      "tokens = @least(excluded.tokens, lade_rate.tokens + @greatest(0, excluded.asked_at - lade_rate.asked_at) * "
      "CAST($4 AS double precision) / 1000000.0), "
      "asked_at = @greatest(excluded.asked_at, lade_rate.asked_at) "
      "RETURNING tokens, blocked_until - @now");
  const db::Value values[] = {value_of(now), key, static_cast<double>(limit.burst), limit.per_second};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  const double* const tokens = std::get_if<double>(&rows.front()[0]);
  const double whole = tokens != nullptr ? *tokens : static_cast<double>(integer_of(rows.front()[0]));
  return Bucket{whole, std::max(Duration(0), Duration(integer_of(rows.front()[1])))};
}

Result<std::int64_t> in_use(db::Connection& connection, const std::string& key) {
  const db::Value values[] = {key};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT CAST(coalesce(sum(u.permits), 0) AS bigint) FROM lade_rate_use u JOIN lade_node "
                               "n ON n.boot = u.node WHERE u.name = $1",
                               values));
  return integer_of(rows.front()[0]);
}

Result<void> grant(db::Connection& connection, const std::string& key, const std::string& node, std::int64_t granted) {
  const db::Value spent[] = {key, static_cast<double>(granted)};
  LADE_TRY(connection.execute("UPDATE lade_rate SET tokens = tokens - $2 WHERE name = $1", spent));
  const db::Value used[] = {key, node, granted};
  LADE_TRY(
      connection.execute("INSERT INTO lade_rate_use (name, node, permits) VALUES ($1, $2, $3) ON CONFLICT (name, "
                         "node) DO UPDATE SET permits = lade_rate_use.permits + excluded.permits",
                         used));
  return {};
}

}  // namespace

std::string_view rate_schema() {
  return kTables;
}

Result<Permits> take_permits(db::Connection& connection, const std::string& key, const RateLimit& limit,
                             const std::string& node, std::int64_t wanted, Now now) {
  if (!(limit.per_second > 0) || limit.burst < 1 || limit.at_once < 0)
    return fail(
        "rate_limit_invalid",
        fmt::format("'{}': {} a second with a burst of {} lets nothing through", key, limit.per_second, limit.burst),
        "allow at least something", ErrorKind::invalid);
  return in_transaction(connection, [&]() -> Result<Permits> {
    LADE_ASSIGN(const Bucket bucket, look_into(connection, key, limit, now));
    if (bucket.blocked > Duration(0)) return Permits{0, bucket.blocked};
    auto granted = std::min(wanted, static_cast<std::int64_t>(std::floor(bucket.tokens + 1 - kNearlyOne)));
    Permits permits;
    if (granted < wanted) permits.wait = in_time((static_cast<double>(granted) + 1 - bucket.tokens) / limit.per_second);
    if (limit.at_once > 0) {
      LADE_ASSIGN(const std::int64_t used, in_use(connection, key));
      if (limit.at_once - used < granted) permits.wait = kLookAgain;
      granted = std::min(granted, limit.at_once - used);
    }
    permits.granted = std::max<std::int64_t>(0, granted);
    if (permits.granted > 0) LADE_TRY(grant(connection, key, node, permits.granted));
    return permits;
  });
}

Result<void> give_back_permits(db::Connection& connection, const std::string& key, const std::string& node,
                               std::int64_t permits) {
  static const Sql sql("UPDATE lade_rate_use SET permits = @greatest(0, permits - $3) WHERE name = $1 AND node = $2");
  const db::Value values[] = {key, node, permits};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<std::int64_t> count_asking(db::Connection& connection, const std::string& prefix, const std::string& key,
                                  Duration within, Now now) {
  static const Sql sql(
      "SELECT count(*) FROM lade_rate WHERE name LIKE $2 || '%' AND name <> $3 AND asked_at > @now - $4");
  const db::Value values[] = {value_of(now), prefix, key, std::int64_t{within.count()}};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  return integer_of(rows.front().front()) + 1;
}

Result<void> block_until(db::Connection& connection, const std::string& key, Duration from_now, Now now) {
  static const Sql sql(
      "INSERT INTO lade_rate (name, tokens, blocked_until, asked_at) VALUES ($2, 0, @now + $3, @now) ON CONFLICT "
      "(name) DO UPDATE SET blocked_until = @greatest(lade_rate.blocked_until, excluded.blocked_until)");
  const db::Value values[] = {value_of(now), key, std::int64_t{from_now.count()}};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<void> tidy_rates(db::Connection& connection, Now now) {
  static const Sql gone("DELETE FROM lade_rate_use WHERE node NOT IN (SELECT boot FROM lade_node)");
  static const Sql old(
      "DELETE FROM lade_rate WHERE asked_at < @now - 86400000000 AND blocked_until < @now AND NOT EXISTS "
      "(SELECT 1 FROM lade_rate_use u WHERE u.name = lade_rate.name AND u.permits > 0)");
  LADE_TRY(connection.execute(gone.of(connection)));
  const db::Value values[] = {value_of(now)};
  LADE_TRY(connection.execute(old.of(connection), values));
  return {};
}

}  // namespace lade::queue
