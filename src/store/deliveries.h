#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/webhooks.h"

// What was put into the outbox and what became of it.
namespace lade::store {

struct DeliveryRecord {
  std::int64_t id = 0;
  std::string uuid;  // the same for every attempt: by it a receiver knows what it has seen before
  std::int64_t task = 0;
  std::string job;                // UUID; empty: of none, or the job is gone
  std::int64_t event_number = 0;  // 0: of none
  std::string kind;               // of the event
  std::string status;             // a name of DeliveryStatus
  std::int64_t attempts = 0;
  std::int64_t last_status = 0;  // 0: the last attempt got no answer, or there was none
  std::string last_error;
  std::string created_at;
  std::string delivered_at;  // empty: it is not
};

struct DeliveryFilter {
  std::int64_t webhook = 0;
  std::string status = {};  // empty: all
  std::int64_t before = 0;  // where the last page ended (DeliveryPage::next); 0: from the newest on
  std::int64_t limit = 50;
};
struct DeliveryPage {
  std::vector<DeliveryRecord> deliveries;  // newest first
  std::int64_t next = 0;                   // `before` of the next page; 0: this is the last one
};
// Fails with status_unknown.
Result<DeliveryPage> list_deliveries(db::Connection& connection, const DeliveryFilter& filter);
// By UUID or id, of this webhook. Fails with delivery_not_found.
Result<DeliveryRecord> require_delivery(db::Connection& connection, std::int64_t webhook, std::string_view reference);

// Sends it again, with all its attempts, whatever became of it. Fails with task_exists while it is being tried.
Result<DeliveryRecord> retry_delivery(db::Connection& connection, const WebhookRecord& webhook,
                                      std::string_view reference);

// What it takes to send a delivery. Never to be logged: it has the secret.
struct Parcel {
  std::int64_t delivery = 0;
  std::string uuid;
  std::string body;
  bool delivered = false;
  std::int64_t webhook = 0;
  bool webhook_active = true;
  std::string url;
  std::string secret;
};
// nullopt when the webhook is gone.
Result<std::optional<Parcel>> find_parcel(db::Connection& connection, std::int64_t delivery);

enum class DeliveryStatus { pending, delivered, failed };
std::string_view to_string(DeliveryStatus status);

// What came of an attempt, and how the delivery stands by it.
struct Attempt {
  DeliveryStatus status = DeliveryStatus::pending;
  std::int64_t answer = 0;  // HTTP's status; 0: none
  std::string error = {};
};
Result<void> record_attempt(db::Connection& connection, std::int64_t delivery, const Attempt& attempt);
// It is given up without an attempt; the reason counts when no attempt has given one.
Result<void> give_up_delivery(db::Connection& connection, std::int64_t delivery, const std::string& reason);
// The receiver wants nothing any more.
Result<void> deactivate_webhook(db::Connection& connection, std::int64_t webhook);

// Forgets what ended so many days ago; gives how many deliveries that were.
Result<std::int64_t> expire_deliveries(db::Connection& connection, std::int64_t days);

}  // namespace lade::store
