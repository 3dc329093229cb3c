#include "harvest/transfer.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>

#include "base/assert.h"

namespace lade::harvest {
namespace {

constexpr std::uint64_t kMayInflateFreely = 1 << 20;
constexpr std::uint64_t kUnwantedBytes = 64 << 10;  // read of a body that nobody wants, to keep the connection

template <class T>
void set(const Easy& easy, CURLoption option, T value) {
  LADE_ASSERT(curl_easy_setopt(easy.get(), option, value) == CURLE_OK);
}

bool is_plain(std::string_view value) {
  return !value.empty() &&
         std::ranges::none_of(value, [](char letter) { return static_cast<unsigned char>(letter) < ' '; });
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string small(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

}  // namespace

Transfer::Transfer(Easy easy, const FetchRequest& request, const FetcherOptions& options, const AddressGuard& guard,
                   const Url& url, const Address& address, Clock::time_point give_up_at)
    : easy_(std::move(easy)),
      request_(request),
      options_(options),
      guard_(guard),
      url_(url),
      address_(address),
      give_up_at_(give_up_at),
      since_(Clock::now()) {
  set_request();
  set_safety();
  set_callbacks();
}

Transfer& Transfer::of(CURL* easy) {
  void* self = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return *static_cast<Transfer*>(self);
}

void Transfer::add(List& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  LADE_ASSERT(longer != nullptr);
  (void)list.release();
  list.reset(longer);
}

void Transfer::set_request() {
  if (is_plain(options_.accept)) add(header_list_, "Accept: " + options_.accept);
  if (is_plain(options_.accept_language)) add(header_list_, "Accept-Language: " + options_.accept_language);
  if (url_.text == request_.version_url) add_conditions();
  set(easy_, CURLOPT_URL, url_.text.c_str());
  set(easy_, CURLOPT_HTTPHEADER, header_list_.get());
  set(easy_, CURLOPT_USERAGENT, options_.user_agent.c_str());
  set(easy_, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
}

// Another page, before or behind a redirect, could be as old as the version that is known, or have its ETag.
void Transfer::add_conditions() {
  for (const auto& [name, value] :
       {std::pair("If-None-Match: ", &request_.etag), std::pair("If-Modified-Since: ", &request_.last_modified)}) {
    if (!is_plain(*value)) continue;
    add(header_list_, name + *value);
    is_conditional_ = true;
  }
}

// libcurl never sees a name to resolve, a proxy, a redirect, a cookie or a password.
void Transfer::set_safety() {
  add(connect_to_, address_.is_ipv6() ? fmt::format("::[{}]:{}", address_.text(), url_.port)
                                      : fmt::format("::{}:{}", address_.text(), url_.port));
  set(easy_, CURLOPT_CONNECT_TO, connect_to_.get());
  set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy_, CURLOPT_PROXY, "");
  set(easy_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy_, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy_, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options_.ca_file.empty()) set(easy_, CURLOPT_CAINFO, options_.ca_file.c_str());
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  // Times are measured here; libcurl's own connection timeout would be 300 s.
  set(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(2 * request_.limits.connect.count()));
}

void Transfer::set_callbacks() {
  set(easy_, CURLOPT_PRIVATE, this);
  set(easy_, CURLOPT_ERRORBUFFER, &detail_[0]);
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
  set(easy_, CURLOPT_OPENSOCKETDATA, this);
  set(easy_, CURLOPT_PREREQFUNCTION, &Transfer::on_connected);
  set(easy_, CURLOPT_PREREQDATA, this);
  set(easy_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(easy_, CURLOPT_HEADERDATA, this);
  set(easy_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(easy_, CURLOPT_WRITEDATA, this);
  set(easy_, CURLOPT_NOPROGRESS, 0L);
  set(easy_, CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(easy_, CURLOPT_XFERINFODATA, this);
}

bool Transfer::stop_for(Breach breach) {
  breach_ = breach;
  return false;
}

void Transfer::enter(Phase phase) {
  phase_ = phase;
  since_ = Clock::now();
  slow_since_ = since_;
  slow_from_ = wire_bytes_;
}

// The last look: what is really connected to is what was checked.
curl_socket_t Transfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(self);
  const auto real = Address::of(address->addr);
  if (!real || *real != transfer.address_ || !transfer.guard_.allows(transfer.url_.host, *real)) {
    transfer.stop_for(Breach::address_refused);
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int Transfer::on_connected(void* self, char*, char*, int, int) {
  static_cast<Transfer*>(self)->enter(Phase::waiting);
  return CURL_PREREQFUNC_OK;
}

std::size_t Transfer::on_header(char* bytes, std::size_t, std::size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_header({bytes, count}) ? count : 0;
}

bool Transfer::take_header(std::string_view line) {
  if (phase_ != Phase::receiving) enter(Phase::receiving);
  header_bytes_ += line.size();
  if (header_bytes_ > request_.limits.header_bytes) return stop_for(Breach::headers_too_large);
  if (line.starts_with("HTTP/")) headers_.clear();  // what came before was an interim answer
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos && !line.starts_with("HTTP/"))
    headers_.emplace_back(small(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return true;
}

std::size_t Transfer::on_body(char* bytes, std::size_t, std::size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_body({bytes, count}) ? count : 0;
}

bool Transfer::take_body(std::string_view bytes) {
  const FetchLimits& limits = request_.limits;
  body_bytes_ += bytes.size();
  curl_off_t wire = 0;  // on_progress() comes less often
  curl_easy_getinfo(easy_.get(), CURLINFO_SIZE_DOWNLOAD_T, &wire);
  const std::uint64_t on_wire = std::max<std::uint64_t>(wire_bytes_, static_cast<std::uint64_t>(wire));
  if (body_bytes_ > limits.body_bytes || on_wire > limits.wire_bytes) return stop_for(Breach::too_large);
  if (body_bytes_ > kMayInflateFreely && body_bytes_ > limits.inflate_ratio * std::max<std::uint64_t>(on_wire, 1))
    return stop_for(Breach::inflates_too_much);
  if (!is_page()) {
    has_enough_ = body_bytes_ > kUnwantedBytes;
    return !has_enough_;
  }
  sha256_.add(bytes);
  if (request_.body == nullptr) return true;
  auto written = request_.body->write(bytes);
  if (!written) sink_error_ = std::move(written).error();
  return written.has_value();
}

int Transfer::on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.wire_bytes_ = static_cast<std::uint64_t>(received);
  if (transfer.wire_bytes_ <= transfer.request_.limits.wire_bytes) return 0;
  transfer.stop_for(Breach::too_large);
  return 1;
}

std::optional<Breach> Transfer::overdue(Clock::time_point now) {
  const FetchLimits& limits = request_.limits;
  if (now >= give_up_at_) return Breach::total_timeout;
  if (phase_ == Phase::connecting && now >= since_ + limits.connect) return Breach::connect_timeout;
  if (phase_ == Phase::waiting && now >= since_ + limits.first_byte) return Breach::first_byte_timeout;
  if (phase_ != Phase::receiving || now < slow_since_ + limits.slow_for) return std::nullopt;
  const std::chrono::duration<double> passed = now - slow_since_;
  if (static_cast<double>(wire_bytes_ - slow_from_) < static_cast<double>(limits.slowest) * passed.count())
    return Breach::too_slow;
  slow_since_ = now;
  slow_from_ = wire_bytes_;
  return std::nullopt;
}

Transfer::Clock::time_point Transfer::next_deadline() const {
  const FetchLimits& limits = request_.limits;
  if (phase_ == Phase::connecting) return std::min(give_up_at_, since_ + limits.connect);
  if (phase_ == Phase::waiting) return std::min(give_up_at_, since_ + limits.first_byte);
  return std::min(give_up_at_, slow_since_ + limits.slow_for);
}

std::optional<FetchFailure> Transfer::failure(CURLcode code) const {
  if (breach_) return failure_of(*breach_, request_.limits);
  if (sink_error_) return FetchFailure{.error = *sink_error_, .reason = "not_kept", .is_final = false};
  if (code == CURLE_OK || has_enough_) return std::nullopt;
  return failure_of(code, detail_[0] != '\0' ? detail_ : curl_easy_strerror(code));
}

long Transfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

bool Transfer::is_page() const {
  const long found = status();
  return found >= 200 && found < 300;
}

bool Transfer::is_not_modified() const {
  return is_conditional_ && status() == 304;
}

bool Transfer::is_redirect() const {
  const long found = status();
  return found == 301 || found == 302 || found == 303 || found == 307 || found == 308;
}

std::string Transfer::header(std::string_view name) const {
  const auto found =
      std::find_if(headers_.rbegin(), headers_.rend(), [&](const auto& each) { return each.first == name; });
  return found == headers_.rend() ? "" : found->second;
}

std::optional<std::chrono::seconds> Transfer::retry_after() const {
  if (header("retry-after").empty()) return std::nullopt;
  curl_off_t wait = 0;  // of both forms, seconds and a date
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &wait);
  return std::chrono::seconds(std::max<curl_off_t>(wait, 0));
}

Easy Transfer::take_easy() {
  curl_easy_reset(easy_.get());  // it must not keep pointers into this
  return std::move(easy_);
}

void Transfer::tell(Fetched& fetched) {
  fetched.address = address_.text();
  fetched.status = status();
  fetched.not_modified = is_not_modified();
  fetched.headers = std::move(headers_);
  fetched.wire_bytes = wire_bytes_;
  fetched.body_bytes = body_bytes_;
  fetched.sha256 = sha256_.finish();
}

}  // namespace lade::harvest
