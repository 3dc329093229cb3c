#include "jobs/page_gate.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lade::jobs {
namespace {

using std::chrono::milliseconds;
using Answer = harvest::Permit::Answer;

constexpr milliseconds kAskAgain{10}, kLeftToBeUsed{200};
constexpr std::chrono::seconds kStillAsks{2};
constexpr std::int64_t kMostMissing = 64;

}  // namespace

std::string host_bucket(const std::string& host) {
  return "host:" + host;
}

std::string company_bucket(std::int64_t company) {
  return "hosts:" + std::to_string(company);
}

std::string total_bucket() {
  return "hosts";
}

harvest::Permit PageGate::ask(const std::string& name) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_[name];
  if (host.bought == 0) {
    host.is_wanted = true;
    return {Answer::wait, kAskAgain};
  }
  --host.bought;
  --bought_;
  ++host.used;
  ++used_;
  return {};
}

void PageGate::release(const std::string& name) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_[name];
  --host.used;
  --used_;
  ++host.released;
  host.ask_at = ask_all_at_ = {};  // there is room
}

void PageGate::hold(const std::string& name, milliseconds pause) {
  constexpr milliseconds kLongest = std::chrono::hours(1);
  const std::lock_guard lock(mutex_);
  Host& host = hosts_[name];
  host.hold = std::max(host.hold, std::min(pause, kLongest));
}

void PageGate::page_began(const std::string& host) {
  const std::lock_guard lock(mutex_);
  ++hosts_[host].pages;
  ++pages_;
}

void PageGate::page_ended(const std::string& host) {
  const std::lock_guard lock(mutex_);
  --hosts_[host].pages;
  --pages_;
}

// What was bought for pages that ended without a request. Redirects lead to hosts that have no pages: what was bought
// for them is left a moment to be used.
std::int64_t PageGate::surplus(const Host& host, Clock::time_point now) const {
  if (pages_ > 0 && now - host.bought_at < kLeftToBeUsed) return 0;
  return std::max<std::int64_t>(0, host.bought - host.pages);
}

// How many permits to buy for requests under way: those of pages that have none, wherever they lead.
std::int64_t PageGate::missing(const Host& host, Clock::time_point now) const {
  if (!host.is_wanted || host.bought > 0 || host.ask_at > now || ask_all_at_ > now) return 0;
  return std::clamp<std::int64_t>(pages_ - used_ - bought_, 1, kMostMissing);
}

bool PageGate::has_business() const {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  return std::ranges::any_of(hosts_, [&](const auto& entry) {
    const Host& host = entry.second;
    return host.released > 0 || host.hold > milliseconds(0) || surplus(host, now) > 0 || missing(host, now) > 0;
  });
}

PageGate::Clock::time_point PageGate::next(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto host = hosts_.find(name);
  return host == hosts_.end() ? ask_all_at_ : std::max(ask_all_at_, host->second.ask_at);
}

Result<PageGate::Trade> PageGate::Trade::make(PageGate& gate, db::Connection& connection, const std::string& node,
                                              const std::map<std::string, std::int64_t>& due) {
  Trade trade(gate);
  {
    const std::lock_guard lock(gate.mutex_);
    const auto now = Clock::now();
    for (auto& [name, host] : gate.hosts_) {
      const std::int64_t surplus = gate.surplus(host, now), missing = gate.missing(host, now);
      if (host.released + surplus > 0) trade.spent_[name] = host.released + surplus;
      if (host.hold > milliseconds(0)) trade.holds_[name] = host.hold;
      if (missing > 0) trade.missing_[name] = missing;
      host.bought -= surplus;
      gate.bought_ -= surplus;
      host.released = 0;
      host.hold = milliseconds(0);
    }
  }
  LADE_TRY(trade.give_back(connection, node));
  LADE_TRY(trade.buy(connection, node, due));
  return trade;
}

// Nothing of it has happened: the next one does it.
PageGate::Trade::~Trade() {
  if (gate_ == nullptr) return;
  const std::lock_guard lock(gate_->mutex_);
  for (const auto& [name, permits] : spent_) gate_->hosts_[name].released += permits;
  for (const auto& [name, pause] : holds_) gate_->hosts_[name].hold = std::max(gate_->hosts_[name].hold, pause);
}

Result<void> PageGate::Trade::give_back(db::Connection& connection, const std::string& node) {
  std::int64_t all = 0;
  for (const auto& [host, permits] : spent_) all += permits;
  // Everybody locks the buckets in this order.
  if (all > 0) LADE_TRY(queue::give_back_permits(connection, total_bucket(), node, all));
  if (all > 0) LADE_TRY(queue::give_back_permits(connection, company_bucket(gate_->company_), node, all));
  for (const auto& [host, permits] : spent_)
    LADE_TRY(queue::give_back_permits(connection, host_bucket(host), node, permits));
  return {};
}

// Of all hosts together. Companies that fetch at the same time have the same share of what the operator allows.
Result<std::int64_t> PageGate::Trade::buy_in_all(db::Connection& connection, const std::string& node,
                                                 std::int64_t wanted) {
  const auto later = [](queue::Duration wait) { return Clock::now() + std::chrono::ceil<milliseconds>(wait); };
  LADE_ASSIGN(const queue::Permits allowed,
              queue::take_permits(connection, total_bucket(), gate_->limits_.total, node, wanted));
  const std::string bucket = company_bucket(gate_->company_);
  // Asked for even when nothing is left: whoever waits counts.
  LADE_ASSIGN(const std::int64_t companies, queue::count_asking(connection, "hosts:", bucket, kStillAsks));
  queue::RateLimit limit = gate_->limits_.company;
  const std::int64_t share = (gate_->limits_.total.at_once + companies - 1) / companies;
  limit.at_once = std::min(limit.at_once, std::max<std::int64_t>(1, share));
  LADE_ASSIGN(const queue::Permits permits, queue::take_permits(connection, bucket, limit, node, allowed.granted));
  if (permits.granted < allowed.granted)
    LADE_TRY(queue::give_back_permits(connection, total_bucket(), node, allowed.granted - permits.granted));
  if (permits.granted == 0) ask_all_at_ = later(allowed.granted == 0 ? allowed.wait : permits.wait);
  return permits.granted;
}

Result<void> PageGate::Trade::buy(db::Connection& connection, const std::string& node,
                                  const std::map<std::string, std::int64_t>& due) {
  std::map<std::string, std::int64_t> wanted = due;
  for (const auto& [host, permits] : missing_) wanted[host] += permits;
  std::int64_t all = 0;
  for (const auto& [host, permits] : wanted) all += permits;
  const auto now = Clock::now();
  const auto later = [&](queue::Duration wait) { return now + std::chrono::ceil<milliseconds>(wait); };
  std::int64_t left = 0;
  if (all > 0) {
    LADE_ASSIGN(left, buy_in_all(connection, node, all));
  }
  std::set<std::string> hosts;
  for (const auto& [host, count] : wanted) hosts.insert(host);
  for (const auto& [host, pause] : holds_) hosts.insert(host);
  for (const std::string& host : hosts) {
    if (const auto hold = holds_.find(host); hold != holds_.end())
      LADE_TRY(queue::block_until(connection, host_bucket(host), hold->second));
    const auto count = wanted.find(host);
    if (count == wanted.end() || left == 0) continue;
    LADE_ASSIGN(const queue::Permits permits, queue::take_permits(connection, host_bucket(host), gate_->limits_.host,
                                                                  node, std::min(count->second, left)));
    left -= permits.granted;
    if (permits.granted < count->second && permits.wait > queue::Duration(0)) ask_at_[host] = later(permits.wait);
    const auto missing = missing_.find(host);
    const std::int64_t extra = std::min(permits.granted, missing == missing_.end() ? 0 : missing->second);
    if (extra > 0) extra_[host] = extra;
    if (permits.granted > extra) begin_[host] = permits.granted - extra;
  }
  if (left == 0) return {};
  LADE_TRY(queue::give_back_permits(connection, total_bucket(), node, left));
  return queue::give_back_permits(connection, company_bucket(gate_->company_), node, left);
}

void PageGate::Trade::commit() {
  PageGate& gate = *std::exchange(gate_, nullptr);
  const std::lock_guard lock(gate.mutex_);
  const auto now = Clock::now();
  for (const auto* bought : {&begin_, &extra_})
    for (const auto& [name, permits] : *bought) {
      Host& host = gate.hosts_[name];
      host.bought += permits;
      host.bought_at = now;
      host.is_wanted = host.is_wanted && bought == &begin_;
      gate.bought_ += permits;
    }
  for (const auto& [name, when] : ask_at_) gate.hosts_[name].ask_at = when;
  if (ask_all_at_ != Clock::time_point()) gate.ask_all_at_ = ask_all_at_;
  std::erase_if(gate.hosts_, [&](const auto& entry) {
    const Host& host = entry.second;
    return host.bought + host.used + host.released + host.pages == 0 && host.hold == milliseconds(0) &&
           host.ask_at <= now && !host.is_wanted;
  });
}

}  // namespace lade::jobs
