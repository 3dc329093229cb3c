#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "db/pool.h"
#include "queue/figures.h"
#include "queue/task_list.h"
#include "store/job_list.h"

namespace lade::api {

// How the queue and the jobs of a company stand; of all companies together for whoever is above them.
struct Figures {
  std::int64_t running = 0, ready = 0, held = 0, later = 0, dead_letters = 0;
  std::int64_t slots = 0;
  std::optional<double> oldest_ready_seconds = {};
  std::optional<double> pickup_p50_ms = {}, pickup_p99_ms = {};
  std::int64_t imports_running = 0, imports_queued = 0, imports_waiting_for_review = 0;
  double rows_per_second = 0;
  std::vector<queue::QueueFigures> queues = {};
};

boost::json::object to_json(const Figures& figures);

struct NodeFigures {
  queue::ListedNode node;
  std::optional<double> beat_age_seconds = {};  // how long this process has seen the same beat
};

// What operators look at, measured every ten seconds and kept for a day in memory, so that a chart costs the database
// nothing. Thread-safe.
class Overview {
 public:
  explicit Overview(db::Pool& sessions);
  ~Overview();

  // As it is now. `company` 0: all of them.
  Result<Figures> figures(db::Connection& connection, std::int64_t company);
  Result<std::vector<NodeFigures>> nodes(db::Connection& connection);

  struct Sample {
    std::chrono::system_clock::time_point at;
    Figures figures;
  };
  // From the oldest to the newest.
  std::vector<Sample> samples(std::int64_t company, std::chrono::seconds window) const;

  void stop();

 private:
  struct Rows {
    std::int64_t count = 0;
    std::chrono::steady_clock::time_point at = {};
    double per_second = 0;
  };
  struct Beat {
    std::int64_t beat = -1;
    std::chrono::steady_clock::time_point since = {};
  };

  void run(const std::stop_token& stop);
  Result<void> measure(const std::stop_token& stop);
  Result<double> row_rate(db::Connection& connection, std::int64_t company);

  db::Pool& sessions_;
  mutable std::mutex mutex_;                            // guards what follows
  std::map<std::int64_t, std::deque<Sample>> samples_;  // by company
  std::map<std::int64_t, Rows> rows_;
  std::map<std::string, Beat> beats_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace lade::api
