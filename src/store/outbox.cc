#include "store/outbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/assert.h"
#include "base/id.h"
#include "base/moment.h"
#include "queue/enqueue.h"
#include "store/job_list.h"
#include "store/sql.h"

namespace lade::store {
namespace {

namespace json = boost::json;
using db::Value;

struct NewDelivery {
  std::int64_t company = 0;
  std::int64_t webhook = 0;
  std::int64_t job = 0;           // 0: none
  std::int64_t event_number = 0;  // 0: none
  std::string kind = {};
  json::object event = {};  // CloudEvents, still without an id
};

// The active webhooks that want such an event. They stay as long as the caller's transaction lasts: a delivery to one
// that somebody is just deleting would be refused, and the job's transition with it.
Result<std::vector<std::int64_t>> listening(db::Connection& connection, const HappenedEvent& event) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;  // its writers wait for each other anyway
  const Value values[] = {event.company};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT id, events FROM lade_webhook WHERE company_id = $1 AND active "
                                           "ORDER BY id{}",
                                           sqlite ? "" : " FOR KEY SHARE"),
                               values));
  std::vector<std::int64_t> webhooks;
  for (const db::Row& row : rows) {
    const std::vector<std::string> wanted = words_of(text_of(row[1]));
    if (wanted.empty() || std::ranges::find(wanted, event.kind) != wanted.end()) webhooks.push_back(integer_of(row[0]));
  }
  return webhooks;
}

json::object rows_of(const model::RowCounts& rows) {
  using model::Outcome;
  json::object counts{{"read", rows.read}};
  for (const Outcome outcome : model::kOutcomes) counts[to_string(outcome)] = rows[outcome];
  counts["removed"] = rows.removed;
  return counts;
}

json::object cloud_event(std::string type, std::string source, std::string subject, json::object data) {
  return {{"specversion", "1.0"},
          {"id", nullptr},
          {"source", std::move(source)},
          {"type", std::move(type)},
          {"subject", std::move(subject)},
          {"time", to_text(now())},
          {"datacontenttype", "application/json"},
          {"data", std::move(data)}};
}

// Names and numbers only: values of rows stay where they are.
json::object cloud_event(const JobRecord& job, const HappenedEvent& event) {
  const auto& outcome = job.standing.outcome;
  return cloud_event("lade.import." + event.kind, "/api/v1/imports/" + job.uuid, job.slug,
                     {{"job_id", job.uuid},
                      {"job", job.slug},
                      {"definition", job.definition},
                      {"event", event.number},
                      {"status", job.status()},
                      {"state", to_string(job.standing.state)},
                      {"outcome", outcome ? json::value(to_string(*outcome)) : nullptr},
                      {"error_code", job.error_code.empty() ? nullptr : json::value(job.error_code)},
                      {"rows", rows_of(job.rows)}});
}

// Gives its UUID.
Result<std::string> insert_delivery(db::Connection& connection, NewDelivery delivery) {
  std::string uuid = new_uuid();
  delivery.event["id"] = uuid;
  const Value values[] = {uuid,
                          delivery.company,
                          delivery.webhook,
                          id_or_null(delivery.job),
                          id_or_null(delivery.event_number),
                          delivery.kind,
                          json::serialize(delivery.event)};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("INSERT INTO lade_delivery (uuid, company_id, webhook_id, job_id, "
                                           "event_number, kind, body, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, "
                                           "{}) RETURNING id",
                                           now_sql(connection)),
                               values));
  LADE_TRY(enqueue_delivery(connection, delivery.company, integer_of(rows.front().front())));
  return uuid;
}

}  // namespace

Result<void> put_into_outbox(db::Connection& connection, const HappenedEvent& event) {
  LADE_ASSIGN(const std::vector<std::int64_t> webhooks, listening(connection, event));
  if (webhooks.empty()) return {};
  LADE_ASSIGN(const std::optional<JobRecord> job, job_with_id(connection, event.job));
  LADE_ASSERT(job);  // the caller holds its row
  const json::object what = cloud_event(*job, event);
  for (const std::int64_t webhook : webhooks)
    LADE_TRY(insert_delivery(connection, {.company = event.company,
                                          .webhook = webhook,
                                          .job = event.job,
                                          .event_number = event.number,
                                          .kind = event.kind,
                                          .event = what}));
  return {};
}

Result<std::string> put_ping_into_outbox(db::Connection& connection, const WebhookRecord& webhook) {
  return in_transaction(connection, [&] {
    json::object event = cloud_event(fmt::format("lade.{}", kPingEvent), "/api/v1/webhooks/" + webhook.uuid,
                                     webhook.uuid, {{"webhook_id", webhook.uuid}});
    return insert_delivery(connection, {.company = webhook.company,
                                        .webhook = webhook.id,
                                        .kind = std::string(kPingEvent),
                                        .event = std::move(event)});
  });
}

Result<void> enqueue_delivery(db::Connection& connection, std::int64_t company, std::int64_t delivery) {
  LADE_ASSIGN(const auto task, queue::enqueue(connection, {.kind = std::string(kDeliverTask),
                                                           .payload = fmt::format("{{\"delivery\":{}}}", delivery),
                                                           .unique_key = fmt::format("{}:{}", kDeliverTask, delivery),
                                                           .company = company}));
  if (!task)
    return fail("task_exists", "this delivery is still being tried", "wait until it is delivered or given up",
                ErrorKind::usage);
  const Value values[] = {*task, delivery};
  LADE_TRY(connection.execute("UPDATE lade_delivery SET task_id = $1 WHERE id = $2", values));
  return {};
}

}  // namespace lade::store
