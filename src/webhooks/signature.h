#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// Signatures of Standard Webhooks (https://www.standardwebhooks.com), symmetric.
namespace lade::webhooks {

// "whsec_" and 256 random bits in base64.
std::string new_secret();

// The header webhook-signature: "v1," and base64 of HMAC-SHA256 over "id.timestamp.body". Fails with
// webhook_secret_invalid when the secret has another form than new_secret() gives.
Result<std::string> sign(std::string_view secret, std::string_view id, std::int64_t timestamp, std::string_view body);

}  // namespace lade::webhooks
