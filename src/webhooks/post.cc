#include "webhooks/post.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "base/assert.h"
#include "base/public_address.h"

namespace lade::webhooks {
namespace {

constexpr std::size_t kLongestUrl = 2048;
constexpr std::size_t kExcerptBytes = 4096;

// What one transfer's callbacks share.
struct Transfer {
  const PostLimits& limits;
  const std::stop_token& stop;
  PostAnswer answer = {};
  int refused_addresses = 0;
  int accepted_addresses = 0;
};

curl_socket_t open_socket(void* context, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (!transfer.limits.allow_private && !is_public(address->addr)) {
    ++transfer.refused_addresses;
    return CURL_SOCKET_BAD;
  }
  ++transfer.accepted_addresses;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Breaks the transfer off after as much as anybody will look at.
std::size_t receive(const char* bytes, std::size_t, std::size_t size, void* context) {
  std::string& excerpt = static_cast<Transfer*>(context)->answer.excerpt;
  const std::size_t taken = std::min(size, kExcerptBytes - excerpt.size());
  excerpt.append(bytes, taken);
  return taken;
}

int is_stopped(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(context)->stop.stop_requested() ? 1 : 0;
}

struct Free {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Easy = std::unique_ptr<CURL, Free>;
using Headers = std::unique_ptr<curl_slist, Free>;

Easy new_easy() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  LADE_ASSERT(ready == CURLE_OK);
  Easy easy(curl_easy_init());
  LADE_ASSERT(easy);
  return easy;
}

template <class T>
void set(const Easy& easy, CURLoption option, T value) {
  LADE_ASSERT(curl_easy_setopt(easy.get(), option, value) == CURLE_OK);
}

Headers headers_of(const PostRequest& request) {
  Headers headers;
  const auto add = [&](const char* line) {
    curl_slist* longer = curl_slist_append(headers.get(), line);
    LADE_ASSERT(longer != nullptr);
    (void)headers.release();
    headers.reset(longer);
  };
  for (const std::string& header : request.headers) add(header.c_str());
  add("Expect:");
  return headers;
}

void set_request(const Easy& easy, const PostRequest& request, const Headers& headers) {
  set(easy, CURLOPT_URL, request.url.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTPHEADER, headers.get());
  set(easy, CURLOPT_POST, 1L);
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(easy, CURLOPT_POSTFIELDS, request.body.data());
}

void set_limits(const Easy& easy, Transfer& transfer) {
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(transfer.limits.connect_timeout.count()));
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(transfer.limits.timeout.count()));
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  set(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  set(easy, CURLOPT_WRITEFUNCTION, receive);
  set(easy, CURLOPT_WRITEDATA, &transfer);
  set(easy, CURLOPT_NOPROGRESS, 0L);
  set(easy, CURLOPT_XFERINFOFUNCTION, is_stopped);
  set(easy, CURLOPT_XFERINFODATA, &transfer);
}

Error url_invalid(std::string reason) {
  return {"webhook_url_invalid", std::move(reason), "give https://host/path, without user and password",
          ErrorKind::usage};
}

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  const bool found = curl_url_get(url, part, &text, 0) == CURLUE_OK;
  std::string copy = found ? text : "";
  curl_free(text);
  return copy;
}

}  // namespace

Result<void> check_url(const std::string& url) {
  if (url.size() > kLongestUrl)
    return fail(
        url_invalid(fmt::format("the URL has {} characters; at most {} are accepted", url.size(), kLongestUrl)));
  // libcurl takes them where they stand in a path.
  if (std::ranges::any_of(url, [](char letter) { return static_cast<unsigned char>(letter) <= ' ' || letter == 127; }))
    return fail(url_invalid("the URL has a space or a control character in it"));
  const std::unique_ptr<CURLU, Free> parsed(curl_url());
  LADE_ASSERT(parsed);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
    return fail(url_invalid("this is no URL with a host"));
  const std::string scheme = part_of(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    return fail(url_invalid(fmt::format("the URL begins with '{}'; http and https are accepted", scheme)));
  if (!part_of(parsed.get(), CURLUPART_USER).empty() || !part_of(parsed.get(), CURLUPART_PASSWORD).empty())
    return fail(url_invalid("the URL has a user or a password in it"));
  return {};
}

Result<PostAnswer> post(const PostRequest& request, const PostLimits& limits, const std::stop_token& stop) {
  const Easy easy = new_easy();
  const Headers headers = headers_of(request);
  Transfer transfer{limits, stop};
  set_request(easy, request, headers);
  set_limits(easy, transfer);
  const CURLcode code = curl_easy_perform(easy.get());
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &transfer.answer.status);
  const bool enough = code == CURLE_WRITE_ERROR && transfer.answer.excerpt.size() == kExcerptBytes;
  if (code == CURLE_OK || enough) return std::move(transfer.answer);
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return fail("cancelled", "asked to stop while a webhook was being told", "", ErrorKind::cancelled);
  if (transfer.refused_addresses > 0 && transfer.accepted_addresses == 0)
    return fail("delivery_address_refused", "the receiver's host has only addresses that are not public",
                "WEBHOOK_ALLOW_PRIVATE=true allows them; see docs/settings.md");
  return fail("delivery_failed", fmt::format("the receiver did not answer: {}", curl_easy_strerror(code)));
}

}  // namespace lade::webhooks
