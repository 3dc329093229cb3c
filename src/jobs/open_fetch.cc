#include "jobs/open_fetch.h"

#include <algorithm>
#include <cmath>

#include "db/in_transaction.h"

namespace lade::jobs {
namespace {

constexpr double kUnlimited = 1e6;  // a second
constexpr std::size_t kMostOpen = 16;

// A bucket holds what comes in a second, so that fast hosts are asked for many at once and slow ones evenly.
queue::RateLimit limit_of(double per_minute, std::int64_t at_once, std::optional<std::int64_t> burst) {
  if (per_minute <= 0) return {kUnlimited, static_cast<std::int64_t>(kUnlimited), at_once};
  const double per_second = per_minute / 60;
  return {per_second, burst.value_or(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(per_second)))),
          at_once};
}

std::int64_t total_at_once(const steps::FetchRules& rules, const HarvestOptions& options) {
  return std::min(rules.total_at_once.value_or(options.total_at_once), options.total_at_once);
}

PageLimits limits_of(const steps::FetchRules& rules, const HarvestOptions& options) {
  return {limit_of(rules.host_per_minute.value_or(options.host_per_minute),
                   rules.host_at_once.value_or(options.host_at_once), rules.host_burst),
          limit_of(rules.total_per_minute.value_or(0), total_at_once(rules, options), {}),
          limit_of(0, options.total_at_once, {})};
}

}  // namespace

Result<void> check(const HarvestOptions& options) {
  LADE_TRY(harvest::AddressGuard::make({options.allow, options.ports}));
  return {};
}

OpenFetch::OpenFetch(std::int64_t its_company, steps::PageRules its_rules, const HarvestOptions& options,
                     std::optional<harvest::Extractor> its_extractor)
    : rules(std::move(its_rules)),
      most_attempts(1 + rules.fetch.retries.value_or(options.retries)),
      backoff(rules.fetch.backoff.value_or(options.backoff)),
      most_under_way(static_cast<std::size_t>(total_at_once(rules.fetch, options))),
      held_bytes(options.held_bytes),
      extractor(std::move(its_extractor)),
      gate(limits_of(rules.fetch, options), its_company) {}

Result<std::shared_ptr<OpenFetch>> OpenFetch::open(const FetchedJob& job, const HarvestOptions& options) {
  steps::PageRules rules = steps::page_rules(job.definition);
  if (!rules.fetch.respect_robots && !options.may_ignore_robots)
    return fail("robots_required", "the definition says `robots: ignore`, which the operator does not allow",
                "let the site's robots.txt decide, or allow it with --harvest-ignore-robots", ErrorKind::invalid);
  std::optional<harvest::Extractor> extractor;
  if (!rules.fields.empty()) {
    LADE_ASSIGN(extractor, harvest::Extractor::compile(rules.fields));
  }
  auto opened = std::make_shared<OpenFetch>(job.company, std::move(rules), options, std::move(extractor));
  harvest::FetcherOptions fetcher;
  fetcher.guard = {options.allow, options.ports};
  fetcher.ca_file = options.ca_file;
  fetcher.resolver.servers = options.name_servers;
  LADE_ASSIGN(opened->fetcher, harvest::Fetcher::open(fetcher, opened->gate));
  return opened;
}

Result<std::shared_ptr<OpenFetch>> FetchDesk::open(std::int64_t job, const std::function<Result<FetchedJob>()>& read) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<OpenFetch>& found = open_[job];
  if (!found) {
    const auto fetched = read();
    auto opened = fetched ? OpenFetch::open(*fetched, options_) : fail(fetched.error());
    if (!opened) {
      open_.erase(job);
      return opened;
    }
    found = std::move(*opened);
  }
  std::shared_ptr<OpenFetch> open = found;
  if (open_.size() > kMostOpen)
    std::erase_if(open_, [&](const auto& entry) {
      return entry.first != job && entry.second.use_count() == 1 && !entry.second->gate.has_business();
    });
  return open;
}

Result<void> FetchDesk::close(std::int64_t job, db::Pool& sessions, const std::string& node) {
  std::shared_ptr<OpenFetch> open;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(job);
    if (found == open_.end()) return {};
    open = found->second;
  }
  // A task that ended while the database was away could not do it.
  LADE_TRY(settle(open->gate, sessions, node));
  const std::lock_guard lock(mutex_);
  open_.erase(job);
  return {};
}

Result<void> FetchDesk::settle(PageGate& gate, db::Pool& sessions, const std::string& node) {
  if (!gate.has_business()) return {};
  const std::lock_guard trading(trading_);
  LADE_ASSIGN(const db::Pool::Lease session, sessions.acquire({}));
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*session));
  LADE_ASSIGN(PageGate::Trade trade, PageGate::Trade::make(gate, *session, node, {}));
  LADE_TRY(transaction.commit());
  trade.commit();
  return {};
}

}  // namespace lade::jobs
