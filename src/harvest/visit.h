#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harvest/address_guard.h"
#include "harvest/fetch.h"
#include "harvest/fetcher.h"
#include "harvest/transfer.h"
#include "harvest/url.h"

namespace lade::harvest {

// One fetch on its way through its hops. Belongs to the fetcher's thread once it is submitted.
struct Visit {
  using Clock = std::chrono::steady_clock;

  std::uint64_t id = 0;
  FetchRequest request;
  std::stop_token stop;
  Fetcher::Done done;
  std::optional<std::stop_callback<std::function<void()>>> on_stop = {};

  Url url = {};  // of this hop
  std::vector<std::string> hops = {};
  std::vector<Address> addresses = {};  // checked, of this hop's host
  std::size_t next_address = 0;
  bool is_waiting = false;              // at the gate
  bool is_admitted = false;             // has a place at the gate
  Clock::time_point active_since = {};  // since it was admitted, and how long earlier hops took
  Clock::duration spent{0};
  std::optional<Clock::time_point> resolve_by = {};  // while its name is being resolved
  std::unique_ptr<Transfer> transfer = {};
  Moment at = {};

  Clock::time_point give_up_at() const { return active_since + (request.limits.total - spent); }
};

}  // namespace lade::harvest
