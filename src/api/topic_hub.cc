#include "api/topic_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/views.h"
#include "base/id.h"
#include "store/batches.h"

namespace lade::api {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds kInterval{1000};
constexpr std::chrono::seconds kIdle{120};
constexpr std::size_t kRemembered = 1000;
constexpr std::int64_t kNewest = 100, kLive = 200, kBatches = 50;

constexpr std::pair<std::string_view, bool Topics::*> kTopics[] = {{"imports", &Topics::imports},
                                                                   {"batches", &Topics::batches},
                                                                   {"overview", &Topics::overview},
                                                                   {"review", &Topics::review}};

std::string hello() {
  return http::event_text("", "hello", json::serialize(stamped({})));
}

}  // namespace

Result<Topics> read_topics(std::string_view words) {
  Topics topics;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    const auto* const found = std::ranges::find(kTopics, word, [](const auto& entry) { return entry.first; });
    if (found == std::end(kTopics))
      return fail("request_invalid", fmt::format("there is no topic '{}'", word), "imports, batches, overview, review",
                  ErrorKind::usage);
    topics.*found->second = true;
  }
  return topics;
}

TopicHub::TopicHub(db::Pool& sessions, Overview& overview)
    : sessions_(sessions),
      overview_(overview),
      boot_(new_uuid()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TopicHub::~TopicHub() {
  stop();
}

std::string TopicHub::id_of(std::int64_t number) const {
  return fmt::format("{}.{}", boot_, number);
}

std::shared_ptr<http::EventChannel> TopicHub::watch(const accounts::Principal& who, const Topics& topics,
                                                    const std::string& last) {
  auto channel = std::make_shared<http::EventChannel>();
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    channel->close();
    return channel;
  }
  const bool own = who.sight != accounts::Sight::company;
  const std::int64_t seen_by = own ? who.user_id : 0;
  const std::int64_t project = who.sight == accounts::Sight::project ? who.project : 0;
  Room& room = rooms_[{who.company, seen_by, project, who.instance_admin}];
  room.filter = {.seen_by = seen_by, .project = project, .company = who.company};
  room.figures_of = who.instance_admin ? 0 : who.company;
  room.batches_of = own ? who.user : "";
  std::string text = hello();
  if (!last.empty()) {
    const std::string prefix = boot_ + ".";
    std::int64_t number = -1;
    if (last.starts_with(prefix)) std::from_chars(last.data() + prefix.size(), last.data() + last.size(), number);
    const bool known =
        number >= 0 && !room.fresh && (room.told.size() < kRemembered || room.told.front().number <= number);
    if (!known) text += http::event_text("", "reset", "{}");
    for (const Told& told : room.told)
      if (known && told.number > number && topics.*told.topic) text += told.text;
  }
  channel->push(text);
  room.watchers.push_back({channel, topics});
  look_ = true;
  changed_.notify_all();
  return channel;
}

void TopicHub::look() {
  const std::lock_guard lock(mutex_);
  look_ = true;
  changed_.notify_all();
}

void TopicHub::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (auto& [sight, room] : rooms_)
      for (Watcher& watcher : room.watchers) watcher.channel->close();
    rooms_.clear();
  }
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

std::size_t TopicHub::watchers() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [sight, room] : rooms_) count += room.watchers.size();
  return count;
}

void TopicHub::run(const std::stop_token& stop) {
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

// The database is asked without the lock; what it said is told to whoever watches by then.
Result<void> TopicHub::look_around(const std::stop_token& stop) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::tuple<Sight, Room, Topics>> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [sight, room] : rooms_) {
      std::erase_if(room.watchers, [](const Watcher& watcher) { return !watcher.channel->is_open(); });
      if (!room.watchers.empty()) room.idle_since = now;
      Topics topics;
      for (const Watcher& watcher : room.watchers)
        for (const auto& [name, topic] : kTopics) topics.*topic = topics.*topic || watcher.topics.*topic;
      if (!room.watchers.empty())
        wanted.emplace_back(sight, Room{room.filter, room.figures_of, room.batches_of}, topics);
    }
    std::erase_if(rooms_, [&](const auto& entry) { return now - entry.second.idle_since > kIdle; });
  }
  if (wanted.empty()) return {};
  LADE_ASSIGN(const db::Pool::Lease session, sessions_.acquire(stop));
  for (const auto& [sight, room, topics] : wanted) {
    LADE_ASSIGN(const auto seen, see(*session, room, topics));
    const std::lock_guard lock(mutex_);
    if (const auto found = rooms_.find(sight); found != rooms_.end()) tell(found->second, seen);
  }
  return {};
}

Result<std::vector<TopicHub::Seen>> TopicHub::see(db::Connection& connection, const Room& room, const Topics& topics) {
  std::vector<Seen> seen;
  if (topics.imports) {
    store::JobFilter newest = room.filter, live = room.filter;
    newest.limit = kNewest;
    live.limit = kLive;
    live.status = "queued,running,paused,waiting_for_review";
    for (const store::JobFilter& filter : {live, newest}) {
      LADE_ASSIGN(const store::JobPage page, store::list_jobs(connection, filter));
      for (const store::JobRecord& job : page.jobs)
        seen.push_back({&Topics::imports, "import " + job.uuid, "import", json::serialize(to_json(job))});
    }
  }
  if (topics.batches) {
    LADE_ASSIGN(const store::BatchPage page,
                store::list_batches(
                    connection, {.created_by = room.batches_of, .limit = kBatches, .company = room.filter.company}));
    for (const store::BatchRecord& batch : page.batches)
      seen.push_back({&Topics::batches, "batch " + batch.uuid, "batch", json::serialize(to_json(batch))});
  }
  if (topics.overview) {
    LADE_ASSIGN(const Figures figures, overview_.figures(connection, room.figures_of));
    seen.push_back({&Topics::overview, "overview", "overview", json::serialize(api::to_json(figures))});
  }
  if (topics.review) {
    LADE_ASSIGN(const auto counts, store::count_jobs(connection, room.filter));
    for (const store::StatusCount& count : counts)
      if (count.status == "waiting_for_review")
        seen.push_back(
            {&Topics::review, "review", "review", json::serialize(json::object{{"waiting_for_review", count.jobs}})});
  }
  return seen;
}

void TopicHub::tell(Room& room, const std::vector<Seen>& seen) {
  for (const Seen& one : seen) {
    std::string& shown = room.shown[one.about];
    if (shown == one.data) continue;
    // Lists are fetched; only what changes afterwards is news. Figures are always.
    const bool first = room.fresh && (one.topic == &Topics::imports || one.topic == &Topics::batches);
    shown = one.data;
    if (first) continue;
    Told told{++number_, one.topic, http::event_text(id_of(number_), one.name, one.data)};
    for (const Watcher& watcher : room.watchers)
      if (watcher.topics.*one.topic) watcher.channel->push(told.text);
    room.told.push_back(std::move(told));
    if (room.told.size() > kRemembered) room.told.pop_front();
  }
  room.fresh = false;
}

}  // namespace lade::api
