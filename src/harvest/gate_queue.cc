#include "harvest/gate_queue.h"

#include <algorithm>

namespace lade::harvest {
namespace {

constexpr GateQueue::Clock::time_point kAtOnce{};

}  // namespace

void GateQueue::ask_at(Hosts::value_type& host, Clock::time_point when) {
  due_.erase({host.second.ask_at, host.first});
  host.second.ask_at = when;
  due_.emplace(when, host.first);
}

void GateQueue::add(const std::string& host, std::uint64_t id) {
  const auto [entry, is_new] = hosts_.try_emplace(host);
  entry->second.waiting.push_back(id);
  if (is_new) ask_at(*entry, kAtOnce);
}

void GateQueue::drop_front(const std::string& name, Host& host) {
  host.waiting.pop_front();
  if (!host.waiting.empty()) return;
  due_.erase({host.ask_at, name});
  hosts_.erase(name);
}

void GateQueue::release(const std::string& host) {
  gate_.release(host);
  if (const auto entry = hosts_.find(host); entry != hosts_.end() && !entry->second.waits_for_place)
    ask_at(*entry, kAtOnce);
  while (!for_place_.empty()) {
    const auto first = hosts_.find(for_place_.front());
    for_place_.pop_front();
    if (first == hosts_.end() || !first->second.waits_for_place) continue;
    first->second.waits_for_place = false;
    ask_at(*first, kAtOnce);
    return;
  }
}

void GateQueue::admit(Clock::time_point now, const Admit& admit) {
  while (!due_.empty() && due_.begin()->first <= now) admit_host(due_.begin()->second, now, admit);
}

void GateQueue::admit_host(const std::string& host_name, Clock::time_point now, const Admit& admit) {
  const std::string name = host_name;  // it goes when the last of the host is let through
  for (;;) {
    const auto entry = hosts_.find(name);
    if (entry == hosts_.end()) return;
    Host& host = entry->second;
    const std::uint64_t id = host.waiting.front();
    if (gone_.erase(id) > 0) {
      drop_front(name, host);
      continue;
    }
    const Permit permit = gate_.ask(name);
    if (permit.answer != Permit::Answer::admitted) {
      if (permit.answer == Permit::Answer::all_busy && !host.waits_for_place) {
        host.waits_for_place = true;
        for_place_.push_back(name);
      }
      return ask_at(*entry, now + std::max(permit.ask_again, std::chrono::milliseconds(1)));
    }
    host.waits_for_place = false;
    drop_front(name, host);
    admit(id);
  }
}

GateQueue::Clock::time_point GateQueue::next(Clock::time_point longest) const {
  return due_.empty() ? longest : std::min(longest, due_.begin()->first);
}

}  // namespace lade::harvest
