#pragma once

#include <cstddef>

#include "queue/node.h"
#include "webhooks/post.h"

// Sending what stands in the outbox (store/outbox.h): CloudEvents in JSON with the headers of Standard Webhooks, at
// least once, in no promised order.
namespace lade::webhooks {

struct DeliveryOptions {
  PostLimits post = {};
  // 5 s, 15 s, 45 s … up to an hour apart; given up after about an hour and a half.
  queue::RetryPolicy retry = {
      .max_attempts = 8, .base = std::chrono::seconds(5), .factor = 3.0, .cap = std::chrono::hours(1)};
  // At once in this process: receivers that take their time hold up no more threads than so many.
  std::size_t most_at_once = 2;
};

// Teaches the node to send deliveries. 2xx ends one; 410 also ends its webhook; everything else is tried again, and
// failed when that is given up. No session is held while a receiver is waited for.
void handle_deliveries(queue::Node& node, const DeliveryOptions& options);

}  // namespace lade::webhooks
