#include "webhooks/signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <span>

#include "base/assert.h"

namespace lade::webhooks {
namespace {

constexpr std::string_view kPrefix = "whsec_";

std::string base64_of(std::span<const unsigned char> bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // with the NUL that OpenSSL writes
  text.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), static_cast<int>(bytes.size()))));
  return text;
}

// Empty when it is no base64.
std::string bytes_of_base64(std::string_view text) {
  std::string bytes(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return {};
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace

std::string new_secret() {
  unsigned char bytes[32];
  LADE_ASSERT(RAND_bytes(bytes, sizeof bytes) == 1);
  return std::string(kPrefix) + base64_of(bytes);
}

Result<std::string> sign(std::string_view secret, std::string_view id, std::int64_t timestamp, std::string_view body) {
  const std::string key = secret.starts_with(kPrefix) ? bytes_of_base64(secret.substr(kPrefix.size())) : "";
  if (key.empty())
    return fail("webhook_secret_invalid", "the secret of the webhook is not as lade has made it",
                "delete the webhook and create it anew");
  const std::string text = fmt::format("{}.{}.{}", id, timestamp, body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  LADE_ASSERT(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                   reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size) != nullptr);
  return "v1," + base64_of(std::span(digest, size));
}

}  // namespace lade::webhooks
