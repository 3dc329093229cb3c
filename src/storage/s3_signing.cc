#include "storage/s3_signing.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sha256.h"

namespace lade::storage {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string stamp_of(S3Time now) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string hmac(std::string_view key, std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  LADE_ASSERT(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                   reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size) != nullptr);
  return {reinterpret_cast<const char*>(digest), size};
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string scope_of(std::string_view stamp, const std::string& region) {
  return fmt::format("{}/{}/s3/aws4_request", stamp.substr(0, 8), region);
}

S3Fields sorted(S3Fields fields) {
  std::ranges::sort(fields);
  return fields;
}

std::string names_of(const S3Fields& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

// `headers` in order; `query` as it is sent.
std::string signature(const S3Request& request, const std::string& query, const S3Fields& headers,
                      const std::string& body_sha256, const S3Keys& keys, const std::string& region,
                      const std::string& stamp) {
  std::string canonical = fmt::format("{}\n{}\n{}\n", request.method, request.path, query);
  for (const auto& [name, value] : headers) canonical += fmt::format("{}:{}\n", name, value);
  canonical += fmt::format("\n{}\n{}", names_of(headers), body_sha256);
  const std::string text =
      fmt::format("{}\n{}\n{}\n{}", kAlgorithm, stamp, scope_of(stamp, region), sha256_of(canonical));
  std::string key = hmac("AWS4" + keys.secret, std::string_view(stamp).substr(0, 8));
  for (const std::string_view part :
       {std::string_view(region), std::string_view("s3"), std::string_view("aws4_request")})
    key = hmac(key, part);
  return hexadecimal(hmac(key, text));
}

}  // namespace

std::string s3_escaped(std::string_view text, bool is_path) {
  std::string escaped;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~' || (is_path && c == '/');
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

std::string s3_query(const S3Fields& query) {
  S3Fields escaped;
  for (const auto& [name, value] : query) escaped.emplace_back(s3_escaped(name), s3_escaped(value));
  std::string text;
  for (const auto& [name, value] : sorted(std::move(escaped)))
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  return text;
}

S3Fields signed_headers(const S3Request& request, const S3Keys& keys, const std::string& region,
                        const std::string& body_sha256, S3Time now) {
  const std::string stamp = stamp_of(now);
  S3Fields headers = request.headers;
  headers.emplace_back("host", request.host);
  headers.emplace_back("x-amz-content-sha256", body_sha256);
  headers.emplace_back("x-amz-date", stamp);
  if (!keys.session.empty()) headers.emplace_back("x-amz-security-token", keys.session);
  headers = sorted(std::move(headers));
  const std::string signed_by = signature(request, s3_query(request.query), headers, body_sha256, keys, region, stamp);
  headers.emplace_back("authorization",
                       fmt::format("{} Credential={}/{},SignedHeaders={},Signature={}", kAlgorithm, keys.access,
                                   scope_of(stamp, region), names_of(headers), signed_by));
  return headers;
}

std::string presigned_query(const S3Request& request, const S3Keys& keys, const std::string& region,
                            std::chrono::seconds expires, S3Time now) {
  const std::string stamp = stamp_of(now);
  S3Fields headers = request.headers;
  headers.emplace_back("host", request.host);
  headers = sorted(std::move(headers));
  S3Fields query = request.query;
  query.emplace_back("X-Amz-Algorithm", kAlgorithm);
  query.emplace_back("X-Amz-Credential", fmt::format("{}/{}", keys.access, scope_of(stamp, region)));
  query.emplace_back("X-Amz-Date", stamp);
  query.emplace_back("X-Amz-Expires", std::to_string(expires.count()));
  query.emplace_back("X-Amz-SignedHeaders", names_of(headers));
  if (!keys.session.empty()) query.emplace_back("X-Amz-Security-Token", keys.session);
  const std::string text = s3_query(query);
  return fmt::format("{}&X-Amz-Signature={}", text,
                     signature(request, text, headers, "UNSIGNED-PAYLOAD", keys, region, stamp));
}

}  // namespace lade::storage
