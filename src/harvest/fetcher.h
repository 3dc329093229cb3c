#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "harvest/address_guard.h"
#include "harvest/fetch.h"
#include "harvest/rate_gate.h"
#include "harvest/resolver.h"

namespace lade::harvest {

struct FetcherOptions {
  std::string user_agent = {};       // empty: lade/<version>
  std::string robots_name = "lade";  // the product token that robots.txt may name
  std::string accept = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.8,*/*;q=0.5";
  std::string accept_language = "en,*;q=0.5";
  std::string ca_file = {};                 // certificates to trust instead of the system's
  std::chrono::seconds robots_kept{3'600};  // a robots.txt; RFC 9309 allows a day
  GuardRules guard = {};
  ResolverOptions resolver = {};
};

// Fetches many pages at once on one thread of its own. Each goes: URL checked → robots.txt → the gate → name resolved,
// addresses checked → connected to a checked address → answer; a redirect begins again with its own URL.
class Fetcher {
 public:
  using Done = std::function<void(FetchOutcome)>;

  // The gate outlives the fetcher. Fails with harvest_allow_invalid.
  static Result<std::unique_ptr<Fetcher>> open(const FetcherOptions& options, RateGate& gate);
  // What is under way ends as cancelled.
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // Begins to fetch. `done` is called once, on the fetcher's thread: it must not block, but may start others. A stop
  // ends the fetch at once, wherever it stands. Any thread; any number may be under way.
  void start(FetchRequest request, const std::stop_token& stop, Done done);

  // Fetches one and waits for it. Not from within a `done`.
  FetchOutcome fetch(FetchRequest request, const std::stop_token& stop = {});

 private:
  explicit Fetcher(std::unique_ptr<class FetchLoop> loop);
  std::unique_ptr<class FetchLoop> loop_;
};

}  // namespace lade::harvest
