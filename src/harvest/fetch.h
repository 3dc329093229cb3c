#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/moment.h"
#include "base/result.h"

// What is asked of the fetcher, and what it tells.
namespace lade::harvest {

struct FetchLimits {
  std::chrono::milliseconds connect{10'000};     // to find the host, connect and agree on keys
  std::chrono::milliseconds first_byte{20'000};  // from the request to the first byte of the answer
  std::chrono::milliseconds total{60'000};       // all hops, without waiting at the gate
  std::uint64_t slowest = 100;                   // bytes a second, on average over `slow_for`
  std::chrono::milliseconds slow_for{10'000};
  std::uint64_t wire_bytes = 32 << 20;  // of a body as it is sent
  std::uint64_t body_bytes = 64 << 20;  // of a body when it is inflated
  std::uint64_t inflate_ratio = 100;    // body to wire bytes, beyond the first MiB
  std::size_t header_bytes = 64 << 10;  // of one answer
  std::size_t redirects = 5;
  bool allow_downgrade = false;  // from https to http by a redirect
};

struct FetchRequest {
  std::string url;
  std::string etag = {};           // of the version that the caller has: an unchanged page is told as not_modified
  std::string last_modified = {};  // the same, as the server has written it
  std::string version_url = {};    // that answered with this version, and alone is asked so; empty: `url`
  bool respect_robots = true;
  FetchLimits limits = {};
  // Gets the body, inflated, as it comes; nothing of redirects and refusals. Called on the fetcher's thread, which
  // serves all the others meanwhile; outlives the fetch. After a failure it may hold a part.
  ByteSink* body = nullptr;
};

struct Fetched {
  std::string url;                // that was answered
  std::vector<std::string> hops;  // all that were asked, in order; the last is `url`
  std::string address;            // of the server
  long status = 0;
  bool not_modified = false;                                 // 304: no body
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters, in their order
  std::uint64_t wire_bytes = 0;
  std::uint64_t body_bytes = 0;
  std::string sha256;  // of the body
  Moment at = {};      // when it was asked for
  std::chrono::milliseconds duration{0};

  // The header's last value; empty without one.
  std::string header(std::string_view name) const;
};

// Why there is no page. `error.code` is unreachable_url (no such place, or none that may be asked: final),
// scrape_failed (the server or the network), robots_disallowed, robots_unavailable, cancelled, or the sink's own.
struct FetchFailure {
  Error error;
  std::string reason;    // a stable name of the cause, for counting: docs/harvest.md lists them
  std::string url = {};  // of the hop that failed
  long http_status = 0;  // 0: no answer
  bool is_final = true;  // false: worth another try later
  std::optional<std::chrono::seconds> retry_after = {};  // how long the server wants to be left alone
};

using FetchOutcome = tl::expected<Fetched, FetchFailure>;

}  // namespace lade::harvest
