#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "accounts/principal.h"
#include "api/overview.h"
#include "db/pool.h"
#include "http/event_channel.h"
#include "store/job_list.h"

namespace lade::api {

// What somebody wants to hear of.
struct Topics {
  bool imports = false, batches = false, overview = false, review = false;
};
// imports, batches, overview, review with commas between. Fails with request_invalid.
Result<Topics> read_topics(std::string_view words);

// Tells clients of lists what changes in them: jobs, batches and figures, each as it is now. Those who see the same
// share one look into the database, made by one thread. Thread-safe.
class TopicHub {
 public:
  TopicHub(db::Pool& sessions, Overview& overview);
  ~TopicHub();

  // A channel with a hello, what was told since `last` (the id of an event, or empty), or a reset when that is not
  // known any more, and all that follows.
  std::shared_ptr<http::EventChannel> watch(const accounts::Principal& who, const Topics& topics,
                                            const std::string& last);
  // Looks at once instead of at its next turn.
  void look();
  // Closes all channels; nothing more is told.
  void stop();
  std::size_t watchers() const;

 private:
  struct Told {
    std::int64_t number = 0;
    bool Topics::*topic = nullptr;
    std::string text;
  };
  struct Watcher {
    std::shared_ptr<http::EventChannel> channel;
    Topics topics;
  };
  // Those who see the same: company, only this user's, of this project, all companies' figures.
  using Sight = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;
  struct Room {
    store::JobFilter filter;
    std::int64_t figures_of = 0;
    std::string batches_of = {};  // empty: everybody's
    std::vector<Watcher> watchers;
    std::map<std::string, std::string> shown;  // by what it is about
    std::deque<Told> told;                     // the newest
    bool fresh = true;                         // nothing was looked at yet
    std::chrono::steady_clock::time_point idle_since = {};
  };
  struct Seen {
    bool Topics::*topic;
    std::string about, name, data;
  };

  void run(const std::stop_token& stop);
  Result<void> look_around(const std::stop_token& stop);
  Result<std::vector<Seen>> see(db::Connection& connection, const Room& room, const Topics& topics);
  void tell(Room& room, const std::vector<Seen>& seen);
  std::string id_of(std::int64_t number) const;

  db::Pool& sessions_;
  Overview& overview_;
  const std::string boot_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::map<Sight, Room> rooms_;
  std::int64_t number_ = 0;  // of the newest event
  bool look_ = false;
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace lade::api
