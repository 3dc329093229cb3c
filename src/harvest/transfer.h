#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "harvest/address_guard.h"
#include "harvest/fetch.h"
#include "harvest/fetch_failure.h"
#include "harvest/fetcher.h"
#include "harvest/url.h"

namespace lade::harvest {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;

// One request to one checked address and its answer, over libcurl. Belongs to the fetcher's thread.
class Transfer {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Phase { connecting, waiting, receiving };

  // All that it is given outlives it.
  Transfer(Easy easy, const FetchRequest& request, const FetcherOptions& options, const AddressGuard& guard,
           const Url& url, const Address& address, Clock::time_point give_up_at);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_.get(); }
  static Transfer& of(CURL* easy);
  void* owner = nullptr;

  // The limit of time that is overstepped at `now`.
  std::optional<Breach> overdue(Clock::time_point now);
  Clock::time_point next_deadline() const;

  // After its end, `code` being how libcurl ended it: what is wrong with the exchange itself, or nothing when there is
  // an answer.
  std::optional<FetchFailure> failure(CURLcode code) const;
  long status() const;
  bool is_redirect() const;
  // Whether its body goes to the sink.
  bool is_page() const;
  // Whether only a page that has changed was asked for, and an answer says that it has not.
  bool is_not_modified() const;
  std::string header(std::string_view name) const;
  std::optional<std::chrono::seconds> retry_after() const;
  // Moves the answer out.
  void tell(Fetched& fetched);
  // Gives the handle back for the next one.
  Easy take_easy();

 private:
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char*, char*, int, int);
  static std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t);
  void set_request();
  void add_conditions();
  void set_safety();
  void set_callbacks();
  void enter(Phase phase);
  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  bool stop_for(Breach breach);

  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;
  static void add(List& list, const std::string& line);

  Easy easy_;
  const FetchRequest& request_;
  const FetcherOptions& options_;
  const AddressGuard& guard_;
  const Url& url_;
  const Address& address_;
  const Clock::time_point give_up_at_;
  List header_list_;
  List connect_to_;
  bool is_conditional_ = false;
  char detail_[CURL_ERROR_SIZE] = {};
  Phase phase_ = Phase::connecting;
  Clock::time_point since_;       // the phase
  Clock::time_point slow_since_;  // the window in which the rate is measured, and what had come at its beginning
  std::uint64_t slow_from_ = 0;
  std::optional<Breach> breach_;
  std::optional<Error> sink_error_;
  bool has_enough_ = false;  // of a body that nobody wants
  std::vector<std::pair<std::string, std::string>> headers_;
  std::size_t header_bytes_ = 0;
  std::uint64_t wire_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;
  Sha256 sha256_;
};

}  // namespace lade::harvest
