#include "harvest/fetch_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "harvest/fetch_failure.h"

namespace lade::harvest {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPoll{1'000};
constexpr std::size_t kMostIdle = 256;
constexpr long kMostKeptConnections = 256;  // libcurl's own limit follows how many are under way, down to none
constexpr std::size_t kMostAddresses = 4;   // of a host, tried one after another

CURLM* new_multi() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  LADE_ASSERT(ready == CURLE_OK);
  CURLM* multi = curl_multi_init();
  LADE_ASSERT(multi != nullptr);
  LADE_ASSERT(curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kMostKeptConnections) == CURLM_OK);
  return multi;
}

}  // namespace

FetchLoop::FetchLoop(FetcherOptions options, AddressGuard guard, RateGate& gate)
    : options_(std::move(options)),
      guard_(std::move(guard)),
      multi_(new_multi()),
      resolver_(options_.resolver),
      gate_(gate),
      robots_(options_.robots_name, options_.robots_kept,
              [this](FetchRequest request, Fetcher::Done done) { submit(std::move(request), {}, std::move(done)); }),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

FetchLoop::~FetchLoop() {
  thread_.request_stop();
  curl_multi_wakeup(multi_.get());
  thread_.join();
}

void FetchLoop::submit(FetchRequest request, const std::stop_token& stop, Fetcher::Done done) {
  auto visit = std::make_unique<Visit>();
  Visit& submitted = *visit;
  submitted.request = std::move(request);
  submitted.stop = stop;
  submitted.done = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    submitted.id = ++last_id_;
  }
  // Before others can see it: whoever ends the visit takes this away.
  submitted.on_stop.emplace(stop, [this, id = submitted.id] {
    const std::lock_guard lock(mutex_);
    to_cancel_.push_back(id);
    curl_multi_wakeup(multi_.get());
  });
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = submitted_.empty();
    submitted_.push_back(std::move(visit));
  }
  // Those that were there already have woken the loop, which takes all of them.
  if (is_first) curl_multi_wakeup(multi_.get());
}

void FetchLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    take_submitted();
    gate_.admit(Clock::now(), [this](std::uint64_t id) { admitted(id); });
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    collect();
    break_off_overdue();
    poll();
  }
  // Those who are told may submit others.
  for (take_submitted(); !visits_.empty(); take_submitted()) cancel(visits_.begin()->first);
}

void FetchLoop::take_submitted() {
  std::deque<std::unique_ptr<Visit>> submitted;
  std::vector<std::uint64_t> to_cancel;
  {
    const std::lock_guard lock(mutex_);
    submitted.swap(submitted_);
    to_cancel.swap(to_cancel_);
  }
  for (auto& visit : submitted) {
    Visit& taken = *visit;
    visits_.emplace(taken.id, std::move(visit));
    begin(taken);
  }
  for (const std::uint64_t id : to_cancel) cancel(id);
}

void FetchLoop::cancel(std::uint64_t id) {
  const auto found = visits_.find(id);
  if (found != visits_.end()) fail_visit(*found->second, cancelled());
}

FetchLoop::Clock::time_point FetchLoop::next_deadline() const {
  Clock::time_point next = Clock::now() + kLongestPoll;
  for (const Visit* visit : active_) {
    if (visit->transfer) next = std::min(next, visit->transfer->next_deadline());
    if (visit->resolve_by) next = std::min(next, *visit->resolve_by);
  }
  return gate_.next(next);
}

void FetchLoop::poll() {
  {
    const std::lock_guard lock(mutex_);
    if (!submitted_.empty() || !to_cancel_.empty()) return;
  }
  const auto wait = std::chrono::ceil<milliseconds>(next_deadline() - Clock::now());
  std::vector<curl_waitfd> sockets;
  resolver_.add_sockets(sockets);
  const milliseconds longest = resolver_.wait_at_most(std::max(wait, milliseconds(0)));
  curl_multi_poll(multi_.get(), sockets.data(), static_cast<unsigned>(sockets.size()),
                  static_cast<int>(longest.count()), nullptr);
  resolver_.process(sockets);
}

void FetchLoop::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    transferred(*static_cast<Visit*>(Transfer::of(message->easy_handle).owner), code);
  }
}

void FetchLoop::break_off_overdue() {
  const Clock::time_point now = Clock::now();
  std::vector<std::pair<Visit*, Breach>> overdue;
  for (Visit* visit : active_) {
    if (visit->resolve_by && now >= *visit->resolve_by) overdue.emplace_back(visit, Breach::connect_timeout);
    if (!visit->transfer) continue;
    if (const auto breach = visit->transfer->overdue(now)) overdue.emplace_back(visit, *breach);
  }
  for (const auto& [visit, breach] : overdue) {
    if (breach == Breach::connect_timeout && try_next_address(*visit)) continue;
    fail_visit(*visit, failure_of(breach, visit->request.limits));
  }
}

void FetchLoop::begin(Visit& visit) {
  if (visit.stop.stop_requested()) return fail_visit(visit, cancelled());
  auto url = Url::parse(visit.request.url);
  if (!url) {
    visit.url.text = visit.request.url;
    return fail_visit(visit, unreachable("url_invalid", std::move(url).error()));
  }
  visit.url = std::move(*url);
  if (visit.request.version_url.empty()) visit.request.version_url = visit.url.text;
  begin_hop(visit);
}

void FetchLoop::begin_hop(Visit& visit) {
  visit.hops.push_back(visit.url.text);
  if (auto checked = guard_.check(visit.url); !checked)
    return fail_visit(visit, unreachable("address_refused", std::move(checked).error()));
  if (visit.request.respect_robots) return ask_robots(visit);
  wait_at_gate(visit);
}

void FetchLoop::ask_robots(Visit& visit) {
  robots_.check(visit.url, [this, id = visit.id](const RobotsVerdict& verdict) {
    const auto found = visits_.find(id);
    if (found != visits_.end()) heed_robots(*found->second, verdict);
  });
}

void FetchLoop::heed_robots(Visit& visit, const RobotsVerdict& verdict) {
  if (verdict) return fail_visit(visit, *verdict);
  wait_at_gate(visit);
}

void FetchLoop::wait_at_gate(Visit& visit) {
  visit.is_waiting = true;
  gate_.add(visit.url.host, visit.id);
}

void FetchLoop::admitted(std::uint64_t id) {
  Visit& visit = *visits_.at(id);
  visit.is_waiting = false;
  visit.is_admitted = true;
  visit.active_since = Clock::now();
  visit.resolve_by = std::min(visit.active_since + visit.request.limits.connect, visit.give_up_at());
  visit.at = now();
  active_.insert(&visit);
  resolver_.resolve(visit.url.host, [this, id](const Resolver::Answer& answer) { resolved(id, answer); });
}

void FetchLoop::resolved(std::uint64_t id, const Resolver::Answer& answer) {
  const auto found = visits_.find(id);
  if (found == visits_.end() || !found->second->resolve_by) return;  // cancelled meanwhile
  Visit& visit = *found->second;
  visit.resolve_by.reset();
  if (answer.addresses.empty() && answer.is_unknown)
    return fail_visit(
        visit, unreachable("unknown_host", {"unreachable_url", fmt::format("there is no host {}", visit.url.host),
                                            "check the address", ErrorKind::invalid}));
  if (answer.addresses.empty())
    return fail_visit(visit, scrape_failed(fmt::format("{} could not be looked up: {}", visit.url.host, answer.reason),
                                           "dns_failed", false));
  auto checked = guard_.check(visit.url.host, answer.addresses);
  if (!checked) return fail_visit(visit, unreachable("address_refused", std::move(checked).error()));
  visit.addresses = std::move(*checked);
  visit.next_address = 0;
  connect(visit);
}

void FetchLoop::connect(Visit& visit) {
  const Address& address = visit.addresses[visit.next_address++];
  visit.transfer =
      std::make_unique<Transfer>(new_easy(), visit.request, options_, guard_, visit.url, address, visit.give_up_at());
  visit.transfer->owner = &visit;
  LADE_ASSERT(curl_multi_add_handle(multi_.get(), visit.transfer->easy()) == CURLM_OK);
}

bool FetchLoop::try_next_address(Visit& visit) {
  if (!visit.transfer || visit.next_address >= std::min(visit.addresses.size(), kMostAddresses)) return false;
  end_transfer(visit);
  connect(visit);
  return true;
}

void FetchLoop::transferred(Visit& visit, CURLcode code) {
  if (auto failure = visit.transfer->failure(code)) {
    if (failure->reason == "connect_failed" && try_next_address(visit)) return;
    return fail_visit(visit, std::move(*failure));
  }
  answered(visit);
}

void FetchLoop::answered(Visit& visit) {
  const Transfer& transfer = *visit.transfer;
  if (transfer.is_redirect() && !transfer.header("location").empty()) return follow(visit);
  if (!transfer.is_page() && !transfer.is_not_modified()) {
    FetchFailure failure = failure_of_status(transfer.status(), transfer.retry_after());
    if (failure.retry_after) gate_.hold(visit.url.host, *failure.retry_after);
    return fail_visit(visit, std::move(failure));
  }
  Fetched fetched{.url = visit.url.text, .hops = visit.hops};
  visit.transfer->tell(fetched);
  fetched.at = visit.at;
  fetched.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - visit.active_since + visit.spent);
  finish(visit, std::move(fetched));
}

void FetchLoop::follow(Visit& visit) {
  const auto refuse = [&](const char* reason, const std::string& message) {
    auto failure = unreachable(reason, {"unreachable_url", message, "", ErrorKind::invalid});
    failure.http_status = visit.transfer->status();
    fail_visit(visit, std::move(failure));
  };
  auto next = visit.url.join(visit.transfer->header("location"));
  if (!next) return refuse("redirect_invalid", "a redirect leads nowhere: " + next.error().message);
  if (std::ranges::find(visit.hops, next->text) != visit.hops.end())
    return refuse("redirect_loop", "redirects lead in a circle, back to " + next->text);
  if (visit.hops.size() > visit.request.limits.redirects)
    return refuse("too_many_redirects", fmt::format("more than {} redirects", visit.request.limits.redirects));
  if (visit.url.scheme == "https" && next->scheme == "http" && !visit.request.limits.allow_downgrade)
    return refuse("redirect_downgrade", "a redirect leads from https to http, to " + next->text);
  leave_gate(visit);
  visit.url = std::move(*next);
  begin_hop(visit);
}

void FetchLoop::fail_visit(Visit& visit, FetchFailure failure) {
  failure.url = visit.url.text.empty() ? visit.request.url : visit.url.text;
  finish(visit, tl::unexpected(std::move(failure)));
}

void FetchLoop::finish(Visit& visit, FetchOutcome outcome) {
  if (visit.is_waiting) gate_.remove(visit.id);
  leave_gate(visit);
  const std::unique_ptr<Visit> ended = std::move(visits_.extract(visit.id).mapped());
  ended->on_stop.reset();
  ended->done(std::move(outcome));
}

void FetchLoop::end_transfer(Visit& visit) {
  if (!visit.transfer) return;
  curl_multi_remove_handle(multi_.get(), visit.transfer->easy());
  Easy easy = visit.transfer->take_easy();
  visit.transfer.reset();
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(easy));
}

void FetchLoop::leave_gate(Visit& visit) {
  end_transfer(visit);
  visit.resolve_by.reset();
  if (!visit.is_admitted) return;
  visit.is_admitted = false;
  visit.spent += Clock::now() - visit.active_since;
  active_.erase(&visit);
  gate_.release(visit.url.host);
}

Easy FetchLoop::new_easy() {
  if (!idle_.empty()) {
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }
  Easy easy(curl_easy_init());
  LADE_ASSERT(easy);
  return easy;
}

}  // namespace lade::harvest
