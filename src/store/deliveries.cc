#include "store/deliveries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "queue/dead_letters.h"
#include "store/outbox.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::array<std::string_view, 3> kStatuses = {"pending", "delivered", "failed"};

std::string select_deliveries(const db::Connection& connection) {
  return fmt::format(
      "SELECT d.id, CAST(d.uuid AS text), d.task_id, CAST(j.uuid AS text), d.event_number, d.kind, d.status, "
      "d.attempts, d.last_status, d.last_error, {}, {} FROM lade_delivery d LEFT JOIN lade_job j ON j.id = d.job_id "
      "WHERE d.webhook_id = $1 ",
      time_sql(connection, "d.created_at"), time_sql(connection, "d.delivered_at"));
}

DeliveryRecord delivery_of(const db::Row& row) {
  return {integer_of(row[0]), text_of(row[1]), integer_of(row[2]), text_of(row[3]),
          integer_of(row[4]), text_of(row[5]), text_of(row[6]),    integer_of(row[7]),
          integer_of(row[8]), text_of(row[9]), text_of(row[10]),   text_of(row[11])};
}

}  // namespace

std::string_view to_string(DeliveryStatus status) {
  return kStatuses[static_cast<std::size_t>(status)];
}

Result<DeliveryPage> list_deliveries(db::Connection& connection, const DeliveryFilter& filter) {
  if (!filter.status.empty() && std::ranges::find(kStatuses, filter.status) == kStatuses.end())
    return fail("status_unknown", fmt::format("no delivery has the status '{}'", filter.status),
                fmt::format("{}", fmt::join(kStatuses, ", ")), ErrorKind::usage);
  const Value values[] = {filter.webhook, text_or_null(filter.status), id_or_null(filter.before), filter.limit + 1};
  LADE_ASSIGN(const auto rows, connection.query(select_deliveries(connection) +
                                                    "AND (CAST($2 AS text) IS NULL OR d.status = $2) "
                                                    "AND (CAST($3 AS bigint) IS NULL OR d.id < CAST($3 AS bigint)) "
                                                    "ORDER BY d.id DESC LIMIT $4",
                                                values));
  DeliveryPage page;
  for (const db::Row& row : rows) {
    if (std::ssize(page.deliveries) == filter.limit) {
      page.next = page.deliveries.back().id;
      break;
    }
    page.deliveries.push_back(delivery_of(row));
  }
  return page;
}

Result<DeliveryRecord> require_delivery(db::Connection& connection, std::int64_t webhook, std::string_view reference) {
  const Value values[] = {webhook, std::string(reference), id_of(reference)};
  LADE_ASSIGN(const auto rows, connection.query(select_deliveries(connection) +
                                                    "AND (CAST(d.uuid AS text) = $2 OR d.id = CAST($3 AS bigint))",
                                                values));
  if (!rows.empty()) return delivery_of(rows.front());
  return fail("delivery_not_found", fmt::format("this webhook has no delivery '{}'", reference), "give its id or UUID",
              ErrorKind::invalid);
}

Result<DeliveryRecord> retry_delivery(db::Connection& connection, const WebhookRecord& webhook,
                                      std::string_view reference) {
  return in_transaction(connection, [&]() -> Result<DeliveryRecord> {
    LADE_ASSIGN(const DeliveryRecord delivery, require_delivery(connection, webhook.id, reference));
    LADE_TRY(enqueue_delivery(connection, webhook.company, delivery.id));
    // The new task takes the place of the one that was given up.
    const auto buried = queue::delete_dead_letter(connection, delivery.task);
    if (!buried && buried.error().code != "dead_letter_not_found") return fail(buried.error());
    const Value values[] = {delivery.id};
    LADE_TRY(
        connection.execute("UPDATE lade_delivery SET status = 'pending', delivered_at = NULL WHERE id = $1", values));
    return require_delivery(connection, webhook.id, delivery.uuid);
  });
}

Result<std::optional<Parcel>> find_parcel(db::Connection& connection, std::int64_t delivery) {
  const Value values[] = {delivery};
  LADE_ASSIGN(const auto rows, connection.query("SELECT d.id, CAST(d.uuid AS text), d.body, d.status, w.id, w.active, "
                                                "w.url, w.secret FROM lade_delivery d JOIN lade_webhook w "
                                                "ON w.id = d.webhook_id WHERE d.id = $1",
                                                values));
  if (rows.empty()) return std::nullopt;
  const db::Row& row = rows.front();
  return Parcel{integer_of(row[0]), text_of(row[1]),
                text_of(row[2]),    text_of(row[3]) == to_string(DeliveryStatus::delivered),
                integer_of(row[4]), integer_of(row[5]) != 0,
                text_of(row[6]),    text_of(row[7])};
}

Result<void> record_attempt(db::Connection& connection, std::int64_t delivery, const Attempt& attempt) {
  const Value values[] = {delivery, std::string(to_string(attempt.status)), id_or_null(attempt.answer), attempt.error};
  const std::string_view delivered_at =
      attempt.status == DeliveryStatus::delivered ? now_sql(connection) : std::string_view("NULL");
  LADE_TRY(connection.execute(fmt::format("UPDATE lade_delivery SET status = $2, attempts = attempts + 1, "
                                          "last_status = $3, last_error = $4, delivered_at = {} WHERE id = $1",
                                          delivered_at),
                              values));
  return {};
}

Result<void> give_up_delivery(db::Connection& connection, std::int64_t delivery, const std::string& reason) {
  const Value values[] = {delivery, reason};
  LADE_TRY(
      connection.execute("UPDATE lade_delivery SET status = 'failed', last_error = CASE last_error WHEN '' THEN "
                         "$2 ELSE last_error END WHERE id = $1",
                         values));
  return {};
}

Result<void> deactivate_webhook(db::Connection& connection, std::int64_t webhook) {
  const Value values[] = {webhook};
  LADE_TRY(connection.execute("UPDATE lade_webhook SET active = false WHERE id = $1", values));
  return {};
}

Result<std::int64_t> expire_deliveries(db::Connection& connection, std::int64_t days) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const Value values[] = {sqlite ? Value(fmt::format("-{} days", days)) : Value(days)};
  return connection.execute(fmt::format("DELETE FROM lade_delivery WHERE status <> 'pending' AND created_at < {}",
                                        sqlite ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', $1)"
                                               : "now() - CAST($1 AS integer) * interval '1 day'"),
                            values);
}

}  // namespace lade::store
