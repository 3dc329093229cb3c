#pragma once

#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "db/pool.h"
#include "queue/figures.h"
#include "queue/task_list.h"
#include "store/job_list.h"

namespace lade::api {

// What becomes of rows, as the overview tells it.
inline constexpr std::array<std::string_view, 6> kRowOutcomes = {"inserted", "updated", "unchanged",
                                                                 "failed",   "skipped", "deleted"};

// How the queue and the jobs of a company stand; of all companies together for whoever is above them.
struct Figures {
  std::int64_t running = 0, ready = 0, held = 0, later = 0, dead_letters = 0;
  std::int64_t slots = 0;
  std::optional<double> oldest_ready_seconds = {};
  std::optional<double> pickup_p50_ms = {}, pickup_p99_ms = {};
  std::int64_t imports_running = 0, imports_queued = 0, imports_waiting_for_review = 0;
  std::int64_t failed_attempts = 0;  // of tasks that wait or run
  double rows_per_second = 0;
  // In the order of kRowOutcomes; their sum is rows_per_second.
  std::array<double, kRowOutcomes.size()> outcomes_per_second = {};
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
  using RowCounts = std::array<std::int64_t, kRowOutcomes.size()>;
  using RowRates = std::array<double, kRowOutcomes.size()>;
  struct Rows {
    RowCounts counts = {};
    std::chrono::steady_clock::time_point at = {};
    RowRates per_second = {};
  };
  struct Beat {
    std::int64_t beat = -1;
    std::chrono::steady_clock::time_point since = {};
  };

  void run(const std::stop_token& stop);
  Result<void> measure(const std::stop_token& stop);
  using Measured = std::map<std::int64_t, Rows>;  // by company
  // Rates since the last time that `measured` was given here.
  Result<Figures> figures(db::Connection& connection, std::int64_t company, Measured& measured);
  Result<RowRates> row_rates(db::Connection& connection, std::int64_t company, Measured& measured);

  db::Pool& sessions_;
  mutable std::mutex mutex_;                            // guards what follows
  std::map<std::int64_t, std::deque<Sample>> samples_;  // by company
  Measured asked_, sampled_;  // apart: a chart misses no row because somebody looks at the figures
  std::map<std::string, Beat> beats_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace lade::api
