#include "api/event_hub.h"

#include <algorithm>

#include "api/views.h"
#include "store/events.h"

namespace lade::api {
namespace {

constexpr std::chrono::milliseconds kInterval{500};

std::string text_of(const store::Event& event) {
  return http::event_text(std::to_string(event.number), event.kind, boost::json::serialize(to_json(event)));
}

// What changes while a job runs; without a number, since it is no part of the history.
std::string progress_of(const store::JobRecord& job) {
  return http::event_text("", "progress", boost::json::serialize(to_json(job)));
}

}  // namespace

EventHub::EventHub(db::Pool& sessions)
    : sessions_(sessions), thread_([this](const std::stop_token& stop) { run(stop); }) {}

EventHub::~EventHub() {
  stop();
}

std::shared_ptr<http::EventChannel> EventHub::watch(const store::JobRecord& job, std::int64_t after) {
  auto channel = std::make_shared<http::EventChannel>();
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    channel->close();
    return channel;
  }
  Watched& watched = watched_[job.id];
  watched.id = job.id;
  watched.company = job.company;
  watched.watchers.push_back({channel, after});
  look_ = true;
  changed_.notify_all();
  return channel;
}

void EventHub::look() {
  const std::lock_guard lock(mutex_);
  look_ = true;
  changed_.notify_all();
}

void EventHub::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (auto& [id, watched] : watched_)
      for (Watcher& watcher : watched.watchers) watcher.channel->close();
    watched_.clear();
  }
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

std::size_t EventHub::watchers() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, watched] : watched_) count += watched.watchers.size();
  return count;
}

void EventHub::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, kInterval, [this] { return look_; });
      if (stop.stop_requested()) return;
      look_ = false;
    }
    // A database that is away is asked again at the next turn.
    (void)look_around(stop);
  }
}

Result<void> EventHub::look_around(const std::stop_token& stop) {
  std::vector<std::int64_t> ids;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, watched] : watched_) {
      std::erase_if(watched.watchers, [](const Watcher& watcher) { return !watcher.channel->is_open(); });
      if (!watched.watchers.empty()) ids.push_back(id);
    }
    std::erase_if(watched_, [](const auto& entry) { return entry.second.watchers.empty(); });
  }
  if (ids.empty()) return {};
  LADE_ASSIGN(const db::Pool::Lease session, sessions_.acquire(stop));
  for (const std::int64_t id : ids) LADE_TRY(tell(*session, id));
  return {};
}

Result<void> EventHub::tell(db::Connection& connection, std::int64_t id) {
  std::int64_t after = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return {};
    after = std::ranges::min(found->second.watchers, {}, &Watcher::after).after;
  }
  LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
  std::vector<store::Event> events;
  if (job && job->events > after) {
    LADE_ASSIGN(events, store::events_of(connection, id, after));
  }
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(id);
  if (found == watched_.end()) return {};
  Watched& watched = found->second;
  const std::string progress = job ? progress_of(*job) : std::string();
  const bool moved = progress != watched.shown;
  watched.shown = progress;
  const bool all = !job || events.empty() || events.back().number >= job->events;
  const bool over = !job || (job->standing.outcome && all);
  for (Watcher& watcher : watched.watchers) {
    std::string text;
    for (const store::Event& event : events)
      if (event.number > watcher.after) text += text_of(event);
    if (!events.empty()) watcher.after = std::max(watcher.after, events.back().number);
    if (moved || watcher.fresh) text += progress;
    watcher.fresh = false;
    if (!text.empty()) watcher.channel->push(text);
    if (over) watcher.channel->close();
  }
  if (!all) look_ = true;
  if (over) watched_.erase(found);
  return {};
}

}  // namespace lade::api
