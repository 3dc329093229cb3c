#include "store/webhooks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"
#include "store/events.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

Result<void> check_events(const std::vector<std::string>& events) {
  for (const std::string& event : events)
    if (std::ranges::find(event_kinds(), event) == event_kinds().end())
      return fail("webhook_event_unknown", fmt::format("there is no event '{}'", event),
                  fmt::format("{}; none at all means all of them", fmt::join(event_kinds(), ", ")), ErrorKind::usage);
  return {};
}

std::string select_webhooks(const db::Connection& connection) {
  return fmt::format(
      "SELECT id, CAST(uuid AS text), company_id, url, events, active, created_by, {} FROM lade_webhook "
      "WHERE company_id = $1 ",
      time_sql(connection, "created_at"));
}

WebhookRecord webhook_of(const db::Row& row) {
  return {integer_of(row[0]),        text_of(row[1]),         integer_of(row[2]), text_of(row[3]),
          words_of(text_of(row[4])), integer_of(row[5]) != 0, text_of(row[6]),    text_of(row[7])};
}

}  // namespace

Result<WebhookRecord> create_webhook(db::Connection& connection, const NewWebhook& webhook) {
  LADE_TRY(check_events(webhook.events));
  const std::string uuid = new_uuid();
  const Value values[] = {
      uuid, webhook.company, webhook.url, webhook.secret, text_of_words(webhook.events), webhook.created_by};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_webhook (uuid, company_id, url, secret, events, created_by, created_at) "
                  "VALUES ($1, $2, $3, $4, $5, $6, {})",
                  now_sql(connection)),
      values));
  return require_webhook(connection, webhook.company, uuid);
}

Result<std::vector<WebhookRecord>> list_webhooks(db::Connection& connection, std::int64_t company) {
  const Value values[] = {company};
  LADE_ASSIGN(const auto rows, connection.query(select_webhooks(connection) + "ORDER BY id", values));
  std::vector<WebhookRecord> webhooks;
  for (const db::Row& row : rows) webhooks.push_back(webhook_of(row));
  return webhooks;
}

Result<WebhookRecord> require_webhook(db::Connection& connection, std::int64_t company, std::string_view reference) {
  const Value values[] = {company, std::string(reference), id_of(reference)};
  LADE_ASSIGN(const auto rows,
              connection.query(select_webhooks(connection) + "AND (CAST(uuid AS text) = $2 OR id = CAST($3 AS bigint))",
                               values));
  if (!rows.empty()) return webhook_of(rows.front());
  return fail("webhook_not_found", fmt::format("there is no webhook '{}'", reference), "give its id or UUID",
              ErrorKind::invalid);
}

Result<WebhookRecord> change_webhook(db::Connection& connection, std::int64_t company, std::string_view reference,
                                     const WebhookChange& change) {
  if (change.events) LADE_TRY(check_events(*change.events));
  LADE_ASSIGN(const WebhookRecord webhook, require_webhook(connection, company, reference));
  const Value values[] = {webhook.id, change.url ? Value(*change.url) : Value(),
                          change.events ? Value(text_of_words(*change.events)) : Value(),
                          change.active ? Value(std::int64_t{*change.active}) : Value()};
  LADE_TRY(
      connection.execute("UPDATE lade_webhook SET url = coalesce($2, url), events = coalesce($3, events), "
                         "active = coalesce($4, active) WHERE id = $1",
                         values));
  return require_webhook(connection, company, webhook.uuid);
}

Result<void> remove_webhook(db::Connection& connection, std::int64_t company, std::string_view reference) {
  LADE_ASSIGN(const WebhookRecord webhook, require_webhook(connection, company, reference));
  const Value values[] = {webhook.id};
  LADE_TRY(connection.execute("DELETE FROM lade_webhook WHERE id = $1", values));
  return {};
}

}  // namespace lade::store
