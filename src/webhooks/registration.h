#pragma once

#include <string>
#include <vector>

#include "store/webhooks.h"

// Webhooks as people make and change them.
namespace lade::webhooks {

struct Registration {
  std::string url;
  std::vector<std::string> events = {};  // kinds; empty: all
  std::string created_by = {};
  std::int64_t company = store::kDefaultCompany;
};
struct Registered {
  store::WebhookRecord webhook;
  std::string secret;  // for the receiver, shown this once
};
// Fails with webhook_url_invalid or webhook_event_unknown.
Result<Registered> register_webhook(db::Connection& connection, const Registration& registration);

// The same faults, and webhook_not_found.
Result<store::WebhookRecord> change_webhook(db::Connection& connection, std::int64_t company,
                                            std::string_view reference, const store::WebhookChange& change);

}  // namespace lade::webhooks
