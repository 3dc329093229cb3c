#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harvest/rate_gate.h"

namespace lade::harvest {

// Those who wait at the gate, by host, in the order in which they came. Asks the gate only for the first of each host,
// so that a hundred thousand that wait for one host cost no more than one. One thread.
class GateQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Admit = std::function<void(std::uint64_t id)>;

  explicit GateQueue(RateGate& gate) : gate_(gate) {}

  void add(const std::string& host, std::uint64_t id);
  // One who waits gives up. Costs nothing here: its turn is skipped.
  void remove(std::uint64_t id) { gone_.insert(id); }
  void release(const std::string& host);
  void hold(const std::string& host, std::chrono::milliseconds pause) { gate_.hold(host, pause); }

  // Lets through all whom the gate admits now.
  void admit(Clock::time_point now, const Admit& admit);
  // When the gate should be asked again, at the latest `longest` from now.
  Clock::time_point next(Clock::time_point longest) const;

 private:
  struct Host {
    std::deque<std::uint64_t> waiting;
    Clock::time_point ask_at;
    bool waits_for_place = false;  // for any place, in line
  };
  using Hosts = std::unordered_map<std::string, Host>;
  void ask_at(Hosts::value_type& host, Clock::time_point when);
  void drop_front(const std::string& name, Host& host);
  void admit_host(const std::string& name, Clock::time_point now, const Admit& admit);

  RateGate& gate_;
  Hosts hosts_;
  std::unordered_set<std::uint64_t> gone_;
  std::set<std::pair<Clock::time_point, std::string>> due_;
  std::deque<std::string> for_place_;  // hosts that a full house keeps waiting; some may be gone
};

}  // namespace lade::harvest
