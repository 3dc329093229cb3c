#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lade::jobs {

// What the operator says about fetching pages; docs/settings.md has the names. Definitions say the rest.
struct HarvestOptions {
  std::vector<std::string> allow = {};    // networks and hosts besides the public internet (harvest/address_guard.h)
  std::vector<std::uint16_t> ports = {};  // besides 80 and 443
  bool may_ignore_robots = false;         // definitions may say `robots: ignore`
  std::string ca_file = {};               // certificates to trust instead of the system's
  std::string name_servers = {};          // empty: those of the system

  // Definitions may want less, not more.
  std::int64_t total_at_once = 5;       // of all nodes and companies together
  std::int64_t held_bytes = 256 << 20;  // of pages under way of one task

  // Where a definition does not say.
  double host_per_minute = 10;  // 0: no limit
  std::int64_t host_at_once = 1;
  std::int64_t retries = 3;
  std::chrono::milliseconds backoff{5'000};
  std::chrono::milliseconds stuck{1'800'000};  // a page that is running for longer may be tried again
};

// Refuses networks and hosts that are none with harvest_allow_invalid.
Result<void> check(const HarvestOptions& options);

}  // namespace lade::jobs
