#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harvest/fetch.h"
#include "harvest/robots.h"
#include "harvest/url.h"

namespace lade::harvest {

// Whether a page may be fetched; the failure says why not.
using RobotsVerdict = std::optional<FetchFailure>;

// The robots.txt of each origin: asked for once, by whoever first wants a page, and kept for a time. One thread.
class RobotsCache {
 public:
  using Clock = std::chrono::steady_clock;
  using Done = std::function<void(const RobotsVerdict&)>;
  // Fetches a URL into the request's sink; calls back once.
  using Fetch = std::function<void(FetchRequest, std::function<void(FetchOutcome)>)>;

  RobotsCache(std::string product, std::chrono::seconds kept, Fetch fetch);

  // Calls `done` once, perhaps before it returns.
  void check(const Url& url, Done done);

 private:
  struct Waiting {
    Url url;
    Done done;
  };
  struct Entry {
    bool is_known = false;
    Clock::time_point until = {};
    RobotsRules rules = {};
    std::optional<FetchFailure> unavailable = {};  // instead of rules
    std::vector<Waiting> waiting = {};
  };
  void ask(const Url& url);
  void learn(const std::string& origin, const FetchOutcome& outcome, std::string_view text);
  static RobotsVerdict verdict(const Entry& entry, const Url& url);

  const std::string product_;
  const std::chrono::seconds kept_;
  const Fetch fetch_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace lade::harvest
