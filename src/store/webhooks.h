#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/definitions.h"

// Addresses of a company that hear what happens to its jobs. lade_webhook also has the secret that signs; no record
// carries it, only what is about to be sent (deliveries.h).
namespace lade::store {

struct NewWebhook {
  std::string url;
  std::string secret;
  std::vector<std::string> events = {};  // of event_kinds(); empty: all of them
  std::string created_by = {};
  std::int64_t company = kDefaultCompany;
};

struct WebhookRecord {
  std::int64_t id = 0;
  std::string uuid;
  std::int64_t company = 0;
  std::string url;
  std::vector<std::string> events;
  bool active = true;
  std::string created_by;
  std::string created_at;
};

// Fails with webhook_event_unknown. The URL is the caller's to check.
Result<WebhookRecord> create_webhook(db::Connection& connection, const NewWebhook& webhook);

// Oldest first.
Result<std::vector<WebhookRecord>> list_webhooks(db::Connection& connection, std::int64_t company);
// By UUID or id, of this company. Fails with webhook_not_found.
Result<WebhookRecord> require_webhook(db::Connection& connection, std::int64_t company, std::string_view reference);

struct WebhookChange {
  std::optional<std::string> url = {};
  std::optional<std::vector<std::string>> events = {};
  std::optional<bool> active = {};
};
// Gives it as it is then. What is already on its way goes to the new URL. Fails as create and require do.
Result<WebhookRecord> change_webhook(db::Connection& connection, std::int64_t company, std::string_view reference,
                                     const WebhookChange& change);
// With its deliveries.
Result<void> remove_webhook(db::Connection& connection, std::int64_t company, std::string_view reference);

}  // namespace lade::store
