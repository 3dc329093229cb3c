#include "webhooks/registration.h"

#include "webhooks/post.h"
#include "webhooks/signature.h"

namespace lade::webhooks {

Result<Registered> register_webhook(db::Connection& connection, const Registration& registration) {
  LADE_TRY(check_url(registration.url));
  std::string secret = new_secret();
  LADE_ASSIGN(store::WebhookRecord webhook, store::create_webhook(connection, {.url = registration.url,
                                                                               .secret = secret,
                                                                               .events = registration.events,
                                                                               .created_by = registration.created_by,
                                                                               .company = registration.company}));
  return Registered{std::move(webhook), std::move(secret)};
}

Result<store::WebhookRecord> change_webhook(db::Connection& connection, std::int64_t company,
                                            std::string_view reference, const store::WebhookChange& change) {
  if (change.url) LADE_TRY(check_url(*change.url));
  return store::change_webhook(connection, company, reference, change);
}

}  // namespace lade::webhooks
