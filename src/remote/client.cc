#include "remote/client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

#include "base/id.h"
#include "remote/problem.h"

namespace lade::remote {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kAnswerSeconds = 60;    // of what is neither an upload nor a download
constexpr long kStalledSeconds = 300;  // without a byte; a large file is made durable before its upload is answered
constexpr std::size_t kLongestAnswer = 64 * 1024 * 1024;

using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

List header_list(const Names& headers) {
  List list(nullptr, curl_slist_free_all);
  for (const auto& [name, value] : headers) {
    const std::string line = name + ": " + value;
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) break;
    (void)list.release();
    list.reset(longer);
  }
  return list;
}

std::string address_of(const ServerAddress& server, const Request& request) {
  std::string url = server.url + request.path;
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    if (value.empty()) continue;
    url += fmt::format("{}{}={}", separator, name, escaped(value));
    separator = '&';
  }
  return url;
}

bool has_body(const Request& request) {
  return request.method != "GET" && request.method != "DELETE";
}

Error unreachable(const ServerAddress& server, std::string_view why) {
  return {"server_unreachable", fmt::format("{}: {}", server.url, why),
          "check --server, and whether lade serve runs there", ErrorKind::cannot_connect};
}

Error stopped() {
  return {"cancelled", "stopped before the server had answered", "", ErrorKind::cancelled};
}

void wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  asked.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

bool never_got_there(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT;
}

// Wrong certificates do not get better by waiting.
bool is_about_tls(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR || code == CURLE_SSL_CACERT_BADFILE;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return escaped;
}

Result<boost::json::value> Answer::json() const {
  boost::system::error_code wrong;
  boost::json::value value = boost::json::parse(body, wrong);
  if (!wrong) return value;
  return fail("server_answer_invalid", "the server's answer is no JSON", "is there another program at this address?",
              ErrorKind::failed);
}

struct Client::Handle {
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), curl_easy_cleanup};
};

// What curl calls back while a request is under way.
class Client::Transfer {
 public:
  Transfer(CURL* curl, const Request& request) : curl_(curl), request_(request) {
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    if (request.upload == nullptr) return;
    set(CURLOPT_READFUNCTION, &Transfer::on_wanted);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_SEEKFUNCTION, &Transfer::on_seek);
    set(CURLOPT_SEEKDATA, this);
  }

  Answer answer;
  std::optional<Error> error;  // of this side
  bool sink_touched = false;

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(curl_, option, value);
  }

  static std::size_t on_bytes(char* bytes, std::size_t, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take({bytes, count}) ? count : 0;
  }
  bool take(std::string_view piece) {
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    if (request_.sink != nullptr && status < 300) {
      sink_touched = true;
      if (auto written = request_.sink->write(piece); !written) error = std::move(written).error();
      return !error;
    }
    answer.body += piece;
    return answer.body.size() <= kLongestAnswer;
  }

  static std::size_t on_wanted(char* into, std::size_t, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->give({into, count});
  }
  std::size_t give(std::span<char> into) {
    auto read = request_.upload->file.read_at(at_, into.first(std::min<std::uint64_t>(into.size(), left())));
    if (read && (*read > 0 || left() == 0)) {
      at_ += *read;
      return *read;
    }
    error =
        read ? Error{"file_changed", fmt::format("{}: became shorter while it was sent", request_.upload->file.name()),
                     "import it when it is complete", ErrorKind::invalid}
             : std::move(read).error();
    return CURL_READFUNC_ABORT;
  }
  std::uint64_t left() const { return request_.upload->bytes - at_; }

  static int on_seek(void* self, curl_off_t offset, int origin) {
    if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
    static_cast<Transfer*>(self)->at_ = static_cast<std::uint64_t>(offset);
    return CURL_SEEKFUNC_OK;
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
    return static_cast<Transfer*>(self)->look(static_cast<std::uint64_t>(sent));
  }
  int look(std::uint64_t sent) {
    if (request_.upload != nullptr && request_.upload->on_sent) request_.upload->on_sent(sent);
    return request_.stop.stop_requested() ? 1 : 0;
  }

  CURL* const curl_;
  const Request& request_;
  std::uint64_t at_ = 0;
};

Client::Client(ServerAddress address, Habits habits, std::unique_ptr<Handle> handle)
    : address_(std::move(address)), habits_(std::move(habits)), handle_(std::move(handle)) {}
Client::Client(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::create(ServerAddress address, Habits habits) {
  while (address.url.ends_with('/')) address.url.pop_back();
  const bool has_host = address.url.find("://") + 3 < address.url.size();
  if (!(address.url.starts_with("https://") || address.url.starts_with("http://")) || !has_host ||
      address.url.find_first_of("?# \t\r\n") != std::string::npos)
    return fail("server_url_invalid", fmt::format("'{}' is no address of a server", address.url),
                "https://lade.example.com, or http://127.0.0.1:8080", ErrorKind::usage);
  if (address.token.find_first_of("\r\n") != std::string::npos)
    return fail("token_invalid", "the token has more than one line", "", ErrorKind::usage);
  auto handle = std::make_unique<Handle>();
  if (!handle->curl) return fail("server_unreachable", "libcurl could not be started");
  return Client(std::move(address), std::move(habits), std::move(handle));
}

void Client::prepare(const Request& request, const std::string& url, curl_slist* headers) {
  const auto set = [curl = handle_->curl.get()](CURLoption option, auto value) {
    curl_easy_setopt(curl, option, value);
  };
  curl_easy_reset(handle_->curl.get());  // connections stay
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_USERAGENT, "lade");
  set(CURLOPT_ACCEPT_ENCODING, "");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, kStalledSeconds);
  if (!address_.ca_file.empty()) set(CURLOPT_CAINFO, address_.ca_file.c_str());
  if (request.upload == nullptr && request.sink == nullptr) set(CURLOPT_TIMEOUT, kAnswerSeconds);
  if (!has_body(request)) return;
  const std::uint64_t bytes = request.upload ? request.upload->bytes : request.body.size();
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bytes));
  if (request.upload == nullptr) set(CURLOPT_POSTFIELDS, request.body.c_str());
}

Result<Answer> Client::attempt(const Request& request) {
  CURL* curl = handle_->curl.get();
  Names names = request.headers;
  if (!address_.token.empty()) names.emplace_back("Authorization", "Bearer " + address_.token);
  if (has_body(request))
    names.emplace_back("Content-Type", request.upload ? "application/octet-stream" : request.content_type);
  const List headers = header_list(names);
  const std::string url = address_of(address_, request);
  prepare(request, url, headers.get());
  char reason[CURL_ERROR_SIZE] = {};
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, &reason[0]);
  Transfer transfer(curl, request);
  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_ABORTED_BY_CALLBACK && request.stop.stop_requested()) return fail(stopped());
  if (transfer.error) return fail(std::move(*transfer.error));
  if (code != CURLE_OK) {
    reached_ = (reached_ || !never_got_there(code)) && !is_about_tls(code) && !transfer.sink_touched;
    return fail(unreachable(address_, reason[0] != '\0' ? reason : curl_easy_strerror(code)));
  }
  reached_ = true;
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  transfer.answer.status = static_cast<int>(status);
  if (status >= 300) return fail(error_of(transfer.answer.status, transfer.answer.body));
  return std::move(transfer.answer);
}

Result<Answer> Client::send(Request request) {
  if (request.method != "GET") request.headers.emplace_back("Idempotency-Key", new_uuid());
  std::optional<std::chrono::steady_clock::time_point> until;
  for (;;) {
    auto answer = attempt(request);
    const bool gone = !answer && answer.error().kind == ErrorKind::cannot_connect && reached_;
    if (!gone) return answer;
    if (!until) {
      until = std::chrono::steady_clock::now() + habits_.patience;
      if (habits_.on_waiting) habits_.on_waiting(answer.error());
    }
    wait(habits_.pause, request.stop);
    if (request.stop.stop_requested()) return fail(stopped());
    if (std::chrono::steady_clock::now() >= *until) return answer;
  }
}

Result<boost::json::value> Client::ask(Request request) {
  LADE_ASSIGN(const Answer answer, send(std::move(request)));
  return answer.json();
}

}  // namespace lade::remote
