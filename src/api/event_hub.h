#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "db/pool.h"
#include "http/event_channel.h"
#include "store/job_list.h"

namespace lade::api {

// Tells clients what happens to the jobs they watch: each event of a job's history once, in order, under its number,
// and between them its progress. One thread looks into the database for all of them, whoever works on the jobs.
// Thread-safe.
class EventHub {
 public:
  explicit EventHub(db::Pool& sessions);
  ~EventHub();

  // A channel with the job's history after event `after`, and all that follows. It is closed once the job is finished,
  // and told.
  std::shared_ptr<http::EventChannel> watch(const store::JobRecord& job, std::int64_t after);
  // Looks at once instead of at its next turn.
  void look();
  // Closes all channels; nothing more is told.
  void stop();
  std::size_t watchers() const;

 private:
  struct Watcher {
    std::shared_ptr<http::EventChannel> channel;
    std::int64_t after = 0;  // the number of the last event that it was told
    bool fresh = true;       // was told nothing yet
  };
  struct Watched {
    std::int64_t id = 0;
    std::int64_t company = 0;
    std::vector<Watcher> watchers;
    std::string shown;  // the progress that was told last
  };

  void run(const std::stop_token& stop);
  Result<void> look_around(const std::stop_token& stop);
  Result<void> tell(db::Connection& connection, std::int64_t id);

  db::Pool& sessions_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::map<std::int64_t, Watched> watched_;  // by the job's id
  bool look_ = false;
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace lade::api
