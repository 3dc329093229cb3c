#pragma once

#include <curl/curl.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harvest/address_guard.h"
#include "harvest/fetcher.h"
#include "harvest/gate_queue.h"
#include "harvest/resolver.h"
#include "harvest/robots_cache.h"
#include "harvest/visit.h"

namespace lade::harvest {

// The fetcher's thread: libcurl's multi handle, the resolver and those who wait at the gate.
class FetchLoop {
 public:
  using Clock = Visit::Clock;

  FetchLoop(FetcherOptions options, AddressGuard guard, RateGate& gate);
  ~FetchLoop();

  // Any thread.
  void submit(FetchRequest request, const std::stop_token& stop, Fetcher::Done done);

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  void run(const std::stop_token& stop);
  void take_submitted();
  void cancel(std::uint64_t id);
  void poll();
  void collect();
  void break_off_overdue();
  Clock::time_point next_deadline() const;

  // The way of a visit. Each may end it: it must not be touched afterwards.
  void begin(Visit& visit);
  void begin_hop(Visit& visit);
  void ask_robots(Visit& visit);
  void heed_robots(Visit& visit, const RobotsVerdict& verdict);
  void wait_at_gate(Visit& visit);
  void admitted(std::uint64_t id);
  void resolved(std::uint64_t id, const Resolver::Answer& answer);
  void connect(Visit& visit);
  bool try_next_address(Visit& visit);
  void transferred(Visit& visit, CURLcode code);
  void answered(Visit& visit);
  void follow(Visit& visit);
  void fail_visit(Visit& visit, FetchFailure failure);
  void finish(Visit& visit, FetchOutcome outcome);

  void end_transfer(Visit& visit);
  void leave_gate(Visit& visit);
  Easy new_easy();

  const FetcherOptions options_;
  const AddressGuard guard_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
  Resolver resolver_;
  GateQueue gate_;
  RobotsCache robots_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Visit>> visits_;
  std::unordered_set<Visit*> active_;  // admitted: with deadlines
  std::vector<Easy> idle_;

  std::mutex mutex_;
  std::uint64_t last_id_ = 0;  // guarded by mutex_, like those below
  std::deque<std::unique_ptr<Visit>> submitted_;
  std::vector<std::uint64_t> to_cancel_;
  std::jthread thread_;  // last: ends before all it uses
};

}  // namespace lade::harvest
