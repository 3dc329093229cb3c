#include "storage/s3_transfer.h"

#include <curl/curl.h>
#include <strings.h>

#include <charconv>

namespace lade::storage {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kStalledSeconds = 60;  // without a byte

using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

void add(List& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return;
  (void)list.release();
  list.reset(longer);
}

List header_list(const S3Fields& headers) {
  List list(nullptr, curl_slist_free_all);
  for (const auto& [name, value] : headers) add(list, name + ": " + value);
  // What curl would send of itself.
  add(list, "Expect:");
  add(list, "Content-Type: application/octet-stream");
  return list;
}

bool is_about_tls(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR || code == CURLE_SSL_CACERT_BADFILE;
}

bool never_arrived(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_PROXY;
}

// What curl calls back while the answer comes in.
struct Reception {
  S3Answer answer;
  std::size_t most_bytes = 0;

  static std::size_t on_bytes(char* bytes, std::size_t, std::size_t count, void* self) {
    auto& reception = *static_cast<Reception*>(self);
    if (reception.answer.body.size() + count > reception.most_bytes) return 0;
    reception.answer.body.append(bytes, count);
    return count;
  }

  static std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* self) {
    static_cast<Reception*>(self)->take_header({bytes, count});
    return count;
  }
  void take_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\n' || value.back() == '\r' || value.back() == ' '))
      value.remove_suffix(1);
    const auto is = [name = line.substr(0, colon)](std::string_view wanted) {
      return name.size() == wanted.size() && strncasecmp(name.data(), wanted.data(), wanted.size()) == 0;
    };
    if (is("etag")) answer.etag = value;
    if (is("date")) answer.date = value;
    if (is("retry-after")) answer.retry_after = value;
    if (is("content-length")) std::from_chars(value.data(), value.data() + value.size(), answer.length);
  }
};

}  // namespace

struct S3Connections::Handle {
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), curl_easy_cleanup};
};

S3Connections::S3Connections(std::string ca_file) : ca_file_(std::move(ca_file)) {}
S3Connections::~S3Connections() = default;

std::unique_ptr<S3Connections::Handle> S3Connections::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Handle>();
  auto handle = std::move(idle_.back());
  idle_.pop_back();
  return handle;
}

S3Answer S3Connections::send(const S3Transfer& transfer) {
  std::unique_ptr<Handle> handle = take();
  CURL* const curl = handle->curl.get();
  if (curl == nullptr) return {.broken = "libcurl could not be started"};
  const auto set = [curl](CURLoption option, auto value) { curl_easy_setopt(curl, option, value); };
  Reception reception{.most_bytes = transfer.most_bytes};
  const List headers = header_list(transfer.headers);
  char reason[CURL_ERROR_SIZE] = {};
  curl_easy_reset(curl);  // connections stay
  set(CURLOPT_URL, transfer.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_USERAGENT, "lade");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, kStalledSeconds);
  set(CURLOPT_ERRORBUFFER, &reason[0]);
  set(CURLOPT_WRITEFUNCTION, &Reception::on_bytes);
  set(CURLOPT_WRITEDATA, &reception);
  set(CURLOPT_HEADERFUNCTION, &Reception::on_header);
  set(CURLOPT_HEADERDATA, &reception);
  if (!ca_file_.empty()) set(CURLOPT_CAINFO, ca_file_.c_str());
  if (transfer.method == "PUT" || transfer.method == "POST") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.body.size()));
    set(CURLOPT_POSTFIELDS, transfer.body.empty() ? "" : transfer.body.data());
  }
  if (transfer.method == "HEAD") set(CURLOPT_NOBODY, 1L);
  set(CURLOPT_CUSTOMREQUEST, transfer.method.c_str());
  const CURLcode code = curl_easy_perform(curl);
  S3Answer answer = std::move(reception.answer);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  if (code != CURLE_OK) {
    answer.broken = reason[0] != '\0' ? reason : curl_easy_strerror(code);
    answer.never_arrived = never_arrived(code);
    answer.is_about_tls = is_about_tls(code);
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(handle));
  return answer;
}

}  // namespace lade::storage
