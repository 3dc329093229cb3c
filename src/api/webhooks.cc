#include "store/webhooks.h"

#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"
#include "store/deliveries.h"
#include "store/outbox.h"
#include "webhooks/registration.h"

// Webhooks of the company, and what was sent to them.
namespace lade::api {

namespace json = boost::json;
using accounts::Role;

namespace {

json::object to_json(const store::WebhookRecord& webhook) {
  return {{"webhook_id", webhook.uuid},
          {"url", webhook.url},
          {"events", json::array(webhook.events.begin(), webhook.events.end())},
          {"active", webhook.active},
          {"created_by", text_or_null(webhook.created_by)},
          {"created_at", webhook.created_at}};
}

json::value number_or_null(std::int64_t number) {
  return number == 0 ? json::value(nullptr) : json::value(number);
}

json::object to_json(const store::DeliveryRecord& delivery) {
  return {{"delivery_id", delivery.uuid},
          {"job_id", text_or_null(delivery.job)},
          {"event", delivery.kind},
          {"event_number", number_or_null(delivery.event_number)},
          {"status", delivery.status},
          {"attempts", delivery.attempts},
          {"last_status", number_or_null(delivery.last_status)},
          {"last_error", text_or_null(delivery.last_error)},
          {"created_at", delivery.created_at},
          {"delivered_at", text_or_null(delivery.delivered_at)}};
}

Result<store::WebhookRecord> webhook_in_path(const Call& call) {
  return store::require_webhook(call.connection, call.who().company, call.at("webhook"));
}

Result<http::Response> list_webhooks(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto webhooks, store::list_webhooks(call.connection, call.who().company));
  json::array items;
  for (const store::WebhookRecord& webhook : webhooks) items.push_back(to_json(webhook));
  return whole_list(std::move(items));
}

Result<http::Response> create_webhook(Call& call) {
  webhooks::Registration wanted{.url = call.body.required_text("url")};
  wanted.events = call.body.texts("events").value_or(std::vector<std::string>());
  wanted.created_by = call.who().user;
  wanted.company = call.who().company;
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const webhooks::Registered made, webhooks::register_webhook(call.connection, wanted));
  call.object_id = made.webhook.uuid;
  json::object object = to_json(made.webhook);
  object["secret"] = made.secret;
  return json_response(201, object);
}

Result<http::Response> show_webhook(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::WebhookRecord webhook, webhook_in_path(call));
  return json_response(200, to_json(webhook));
}

Result<http::Response> change_webhook(Call& call) {
  store::WebhookChange change;
  change.url = call.body.text("url");
  change.events = call.body.texts("events");
  change.active = call.body.flag("active");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const store::WebhookRecord webhook,
              webhooks::change_webhook(call.connection, call.who().company, call.at("webhook"), change));
  return json_response(200, to_json(webhook));
}

Result<http::Response> remove_webhook(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(store::remove_webhook(call.connection, call.who().company, call.at("webhook")));
  return http::Response{.status = 204};
}

Result<http::Response> test_webhook(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const store::WebhookRecord webhook, webhook_in_path(call));
  LADE_ASSIGN(const std::string ping, store::put_ping_into_outbox(call.connection, webhook));
  LADE_ASSIGN(const store::DeliveryRecord delivery, store::require_delivery(call.connection, webhook.id, ping));
  return json_response(202, to_json(delivery));
}

Result<http::Response> list_deliveries(Call& call) {
  store::DeliveryFilter filter{.status = call.query.text("status").value_or("")};
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::WebhookRecord webhook, webhook_in_path(call));
  filter.webhook = webhook.id;
  filter.before = page.before;
  filter.limit = page.limit;
  LADE_ASSIGN(const store::DeliveryPage found, store::list_deliveries(call.connection, filter));
  json::array items;
  for (const store::DeliveryRecord& delivery : found.deliveries) items.push_back(to_json(delivery));
  return json_response(
      200, json::object{{"items", std::move(items)},
                        {"next", found.next == 0 ? json::value(nullptr) : json::value(std::to_string(found.next))}});
}

Result<http::Response> retry_delivery(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const store::WebhookRecord webhook, webhook_in_path(call));
  LADE_ASSIGN(const store::DeliveryRecord delivery,
              store::retry_delivery(call.connection, webhook, call.at("delivery")));
  return json_response(202, to_json(delivery));
}

}  // namespace

std::vector<Route> webhook_routes() {
  const Access admin{Role::admin, "admin"};
  return {
      {.method = "GET",
       .path = "/api/v1/webhooks",
       .name = "webhooks.list",
       .summary = "Addresses that hear what happens to the company's imports",
       .access = admin,
       .answer = list_webhooks,
       .answers = {{200, "WebhookPage", "webhooks, oldest first"}}},
      {.method = "POST",
       .path = "/api/v1/webhooks",
       .name = "webhooks.create",
       .summary = "A new webhook; the secret that signs is shown this once",
       .access = admin,
       .answer = create_webhook,
       .body = Body::json,
       .body_schema = "NewWebhook",
       .answers = {{201, "CreatedWebhook", "the webhook"}},
       .answers_secret = true},
      {.method = "GET",
       .path = "/api/v1/webhooks/{webhook}",
       .name = "webhooks.show",
       .summary = "A webhook",
       .access = admin,
       .answer = show_webhook,
       .answers = {{200, "Webhook", "the webhook"}}},
      {.method = "PATCH",
       .path = "/api/v1/webhooks/{webhook}",
       .name = "webhooks.change",
       .summary = "Change the address, the events it hears of, or whether it is active",
       .access = admin,
       .answer = change_webhook,
       .body = Body::json,
       .body_schema = "WebhookChange",
       .answers = {{200, "Webhook", "the webhook"}}},
      {.method = "DELETE",
       .path = "/api/v1/webhooks/{webhook}",
       .name = "webhooks.delete",
       .summary = "Delete a webhook with its deliveries",
       .access = admin,
       .answer = remove_webhook,
       .answers = {{204, "", "nothing is sent to it any more"}}},
      {.method = "POST",
       .path = "/api/v1/webhooks/{webhook}/test",
       .name = "webhooks.test",
       .summary = "Send a lade.ping",
       .access = admin,
       .answer = test_webhook,
       .body = Body::json,
       .answers = {{202, "Delivery", "it is on its way"}}},
      {.method = "GET",
       .path = "/api/v1/webhooks/{webhook}/deliveries",
       .name = "webhooks.deliveries",
       .summary = "What was sent to a webhook, and what came of it",
       .access = admin,
       .answer = list_deliveries,
       .query = with_paging({{"status", "string", "pending, delivered or failed"}}),
       .answers = {{200, "DeliveryPage", "deliveries, newest first"}}},
      {.method = "POST",
       .path = "/api/v1/webhooks/{webhook}/deliveries/{delivery}/retry",
       .name = "webhooks.retry",
       .summary = "Send a delivery again, with the same id",
       .access = admin,
       .answer = retry_delivery,
       .body = Body::json,
       .answers = {{202, "Delivery", "it is on its way"}}},
  };
}

}  // namespace lade::api
