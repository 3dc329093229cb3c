#include "harvest/robots_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harvest/fetch_failure.h"

namespace lade::harvest {
namespace {

constexpr std::size_t kMostKept = 10'000;
constexpr std::size_t kBytesKept = 500 << 10;
constexpr std::chrono::seconds kUnavailableFor{60};

// Keeps what is looked at, and lets the rest pass.
class FrontSink final : public ByteSink {
 public:
  Result<void> write(std::string_view bytes) override {
    text.append(bytes.substr(0, kBytesKept - text.size()));
    return {};
  }
  std::string text;
};

FetchFailure disallowed() {
  Error error{"robots_disallowed", "the site's robots.txt asks crawlers not to fetch this page",
              "ask its owner; where they agree, the definition may say so"};
  return {.error = std::move(error), .reason = "robots_disallowed"};
}

// Where there is no host of the page, or none that may be asked, there is no page either.
bool is_of_page(const FetchFailure& failure, const std::string& origin) {
  if (failure.reason == "url_invalid") return true;  // what redirects lead to has a reason of its own
  if (failure.reason != "unknown_host" && failure.reason != "address_refused") return false;
  const auto url = Url::parse(failure.url);
  return url && url->origin() == origin;
}

FetchFailure unavailable(const FetchFailure& failure, const std::string& origin) {
  if (is_of_page(failure, origin)) return failure;
  Error error{"robots_unavailable", fmt::format("the site's robots.txt cannot be read now: {}", failure.error.message),
              "until it can, nothing is fetched from there"};
  return {.error = std::move(error),
          .reason = "robots_unavailable",
          .http_status = failure.http_status,
          .is_final = false,
          .retry_after = failure.retry_after};
}

// A client's error means that there is none; "too many requests" does not. Redirects that lead to no file mean it too,
// and more of them than five (RFC 9309, 2.3.1.2).
bool means_none(const FetchFailure& failure) {
  constexpr std::string_view kAstray[] = {"redirect_invalid", "redirect_loop", "too_many_redirects"};
  if (std::ranges::find(kAstray, failure.reason) != std::end(kAstray)) return true;
  return failure.http_status >= 400 && failure.http_status < 500 && failure.http_status != 429;
}

}  // namespace

RobotsCache::RobotsCache(std::string product, std::chrono::seconds kept, Fetch fetch)
    : product_(std::move(product)), kept_(kept), fetch_(std::move(fetch)) {}

RobotsVerdict RobotsCache::verdict(const Entry& entry, const Url& url) {
  if (entry.unavailable) return entry.unavailable;
  if (entry.rules.allows(url.target)) return std::nullopt;
  return disallowed();
}

void RobotsCache::check(const Url& url, Done done) {
  const auto found = entries_.find(url.origin());
  if (found != entries_.end()) {
    if (!found->second.is_known) return found->second.waiting.push_back({url, std::move(done)});
    if (Clock::now() < found->second.until) return done(verdict(found->second, url));
    entries_.erase(found);
  }
  if (entries_.size() >= kMostKept) std::erase_if(entries_, [](const auto& entry) { return entry.second.is_known; });
  entries_[url.origin()].waiting.push_back({url, std::move(done)});
  ask(url);
}

void RobotsCache::ask(const Url& url) {
  const auto sink = std::make_shared<FrontSink>();  // shared with the callback, which outlives the fetch
  FetchRequest request{.url = url.text.substr(0, url.text.size() - url.target.size()) + "/robots.txt"};
  request.respect_robots = false;
  request.limits.total = std::chrono::seconds(30);
  request.limits.body_bytes = request.limits.wire_bytes = 8 << 20;
  request.limits.allow_downgrade = true;  // what is forbidden there is heeded, whoever may have written it
  request.body = sink.get();
  fetch_(std::move(request),
         [this, sink, origin = url.origin()](const FetchOutcome& outcome) { learn(origin, outcome, sink->text); });
}

void RobotsCache::learn(const std::string& origin, const FetchOutcome& outcome, std::string_view text) {
  Entry& entry = entries_.at(origin);
  const bool has_text = outcome || outcome.error().reason == "too_large";
  entry.is_known = true;
  entry.until = Clock::now() + kept_;
  if (has_text) {
    entry.rules = RobotsRules::parse(text, product_);
  } else if (!means_none(outcome.error())) {
    entry.unavailable = unavailable(outcome.error(), origin);
    entry.until = Clock::now() + std::min(kept_, kUnavailableFor);
  }
  // Whoever is told may ask for others, and entries may move.
  const std::vector<Waiting> waiting = std::move(entry.waiting);
  std::vector<RobotsVerdict> verdicts;
  for (const Waiting& each : waiting) verdicts.push_back(verdict(entry, each.url));
  for (std::size_t at = 0; at < waiting.size(); ++at) waiting[at].done(verdicts[at]);
}

}  // namespace lade::harvest
