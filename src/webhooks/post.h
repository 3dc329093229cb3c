#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

// One HTTP request to an address that somebody else has chosen.
namespace lade::webhooks {

struct PostLimits {
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds timeout{15'000};  // of all together
  bool allow_private = false;  // also addresses that are not of the public internet (base/public_address.h)
};

struct PostRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
};

struct PostAnswer {
  long status = 0;
  std::string excerpt;  // what the answer's body begins with
};

// The URL as it may be used: http or https, a host, neither user nor password, at most 2048 characters. Fails with
// webhook_url_invalid.
Result<void> check_url(const std::string& url);

// Sends it, over http or https with a verified certificate, straight to the host: redirects are answers like others,
// proxies of the environment are not used. The name is resolved once, and each address looked at when it is connected
// to. Fails with delivery_failed (no answer), delivery_address_refused (the host has only private addresses) or
// cancelled. Blocks its thread; hears of a stop within a second.
Result<PostAnswer> post(const PostRequest& request, const PostLimits& limits, const std::stop_token& stop);

}  // namespace lade::webhooks
