#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/connection.h"
#include "store/webhooks.h"

// What happened to a job, on its way to the webhooks that want to know. It is written in the transaction in which it
// happened: an event that is in the job's history is delivered, one that was rolled back is not.
namespace lade::store {

// The kind of the queue's task that sends one delivery. Its payload is {"delivery": id}.
inline constexpr std::string_view kDeliverTask = "deliver";
inline constexpr std::string_view kPingEvent = "ping";

struct HappenedEvent {
  std::int64_t job = 0;
  std::int64_t company = 0;
  std::int64_t number = 0;
  std::string kind;
};
// One delivery and one task for each active webhook of the company that wants events of this kind. One statement when
// there is none.
Result<void> put_into_outbox(db::Connection& connection, const HappenedEvent& event);

// A delivery that tells of nothing, to try a webhook out. Gives its UUID.
Result<std::string> put_ping_into_outbox(db::Connection& connection, const WebhookRecord& webhook);

// The task that sends a delivery, in the caller's transaction. Fails with task_exists while there is one.
Result<void> enqueue_delivery(db::Connection& connection, std::int64_t company, std::int64_t delivery);

}  // namespace lade::store
