#include "api/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <mutex>

#include "db/values.h"

namespace lade::api {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;
constexpr std::array kSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Prometheus' text format: all samples of a metric stand together, below its help and type.
class Sheet {
 public:
  void add(std::string_view name, std::string_view type, std::string_view help, const Labels& labels, double value,
           std::string_view suffix = {}) {
    if (name != last_) text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
    last_ = name;
    text_ += fmt::format("{}{}", name, suffix);
    for (std::size_t i = 0; i < labels.size(); ++i)
      text_ += fmt::format("{}{}=\"{}\"", i == 0 ? '{' : ',', labels[i].first, escaped(labels[i].second));
    text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", value);
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '\n') {
        result += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result;
  }
  std::string text_;
  std::string last_;
};

double number_of(const db::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

struct Tally {
  std::string_view stored, name, label, help;
  double unit = 1;
};
constexpr Tally kTallies[] = {
    {"jobs_created", "lade_jobs_created_total", "definition", "Jobs made"},
    {"jobs_finished", "lade_jobs_finished_total", "outcome", "Jobs ended; one that is tried again ends again"},
    {"rows", "lade_rows_total", "outcome", "Rows of ended jobs"},
    {"job_milliseconds", "lade_job_seconds_total", "outcome", "Time from the start to the end of jobs", 1000},
    {"handler_rows", "lade_handler_rows_total", "handler", "Rows that row handlers have answered"},
    {"handler_errors", "lade_handler_errors_total", "handler", "Rows that row handlers have failed"},
    {"result_file_bytes", "lade_result_file_bytes_total", "which", "Bytes of result files written"},
};

// Counters that the database keeps, so that they outlive processes and deleted jobs.
Result<void> add_tallies(db::Connection& connection, Sheet& sheet) {
  LADE_ASSIGN(const auto rows, connection.query("SELECT name, label, CAST(sum(value) AS bigint) FROM lade_tally "
                                                "GROUP BY name, label ORDER BY name, label"));
  for (const Tally& tally : kTallies)
    for (const db::Row& row : rows)
      if (db::text_of(row[0]) == tally.stored)
        sheet.add(tally.name, "counter", tally.help, {{tally.label, db::text_of(row[1])}},
                  number_of(row[2]) / tally.unit);
  return {};
}

// Of the newest tasks that have begun: how long they waited, and how long they took.
Result<void> add_latencies(db::Connection& connection, Sheet& sheet) {
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT started_at - CASE WHEN available_at > created_at THEN available_at ELSE "
                               "created_at END, finished_at - started_at FROM lade_task WHERE started_at IS NOT NULL "
                               "ORDER BY id DESC LIMIT 1000"));
  std::vector<double> waits, runs;
  for (const db::Row& row : rows) {
    waits.push_back(std::max(0.0, number_of(row[0]) / 1e6));
    if (std::holds_alternative<std::int64_t>(row[1])) runs.push_back(number_of(row[1]) / 1e6);
  }
  const auto quantiles = [&](std::string_view name, std::string_view help, std::vector<double>& values) {
    std::ranges::sort(values);
    for (const auto& [text, share] : {std::pair("0.5", 0.5), {"0.99", 0.99}})
      if (!values.empty())
        sheet.add(name, "gauge", help, {{"quantile", text}},
                  values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))]);
  };
  quantiles("lade_queue_pickup_seconds", "Waiting time of the newest 1000 tasks that have begun", waits);
  quantiles("lade_task_seconds", "Running time of the newest 1000 tasks that have ended", runs);
  return {};
}

// Seconds since 1970 by the database's clock.
std::string_view clock_sql(const db::Connection& connection) {
  return connection.backend() == db::Backend::sqlite
             ? "(julianday('now') - 2440587.5) * 86400.0"
             : "CAST(extract(epoch FROM clock_timestamp()) AS double precision)";
}

// How long ago the moment (in microseconds) was that a query finds; 0: it finds none.
Result<double> age(db::Connection& connection, std::string_view moment, std::string_view from) {
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT {} - CAST({} AS double precision) / 1000000.0 FROM {}",
                                           clock_sql(connection), moment, from)));
  return std::max(0.0, number_of(rows[0][0]));
}

Result<void> add_queue(db::Connection& connection, Sheet& sheet) {
  LADE_ASSIGN(const auto depth, connection.query("SELECT queue, status, count(*) FROM lade_task WHERE status IN "
                                                 "('pending', 'running') GROUP BY queue, status"));
  for (const db::Row& row : depth)
    sheet.add("lade_queue_depth", "gauge", "Tasks that wait or run",
              {{"queue", db::text_of(row[0])}, {"status", db::text_of(row[1])}}, number_of(row[2]));
  LADE_ASSIGN(const double oldest, age(connection, "min(created_at)", "lade_task WHERE status = 'pending'"));
  sheet.add("lade_queue_oldest_seconds", "gauge", "Age of the oldest task that waits", {}, oldest);
  LADE_ASSIGN(const auto letters, connection.query("SELECT count(*) FROM lade_dead_letter d JOIN lade_task t ON "
                                                   "t.id = d.task_id WHERE t.status = 'failed'"));
  sheet.add("lade_dead_letters", "gauge", "Tasks that were given up", {}, number_of(letters[0][0]));
  LADE_ASSIGN(const auto nodes, connection.query("SELECT count(*) FROM lade_node"));
  sheet.add("lade_nodes", "gauge", "Processes that work on tasks", {}, number_of(nodes[0][0]));
  return {};
}

// What alert rules look at (docs/alerts): work that does not end, and pages that fail.
Result<void> add_running(db::Connection& connection, Sheet& sheet) {
  LADE_ASSIGN(const double task, age(connection, "min(started_at)", "lade_task WHERE status = 'running'"));
  sheet.add("lade_task_running_oldest_seconds", "gauge", "How long the task runs that has been running longest", {},
            task);
  LADE_ASSIGN(const double page, age(connection, "min(started_at)", "lade_page WHERE status = 'running'"));
  sheet.add("lade_page_running_oldest_seconds", "gauge", "How long the page is fetched that has been longest", {},
            page);
  LADE_ASSIGN(const auto pages, connection.query("SELECT p.status, count(*) FROM lade_page p JOIN lade_job j ON "
                                                 "j.id = p.job_id WHERE j.outcome IS NULL GROUP BY p.status"));
  for (const db::Row& row : pages)
    sheet.add("lade_pages", "gauge", "Pages of jobs that are not finished", {{"status", db::text_of(row[0])}},
              number_of(row[1]));
  return {};
}

Result<void> add_batches(db::Connection& connection, Sheet& sheet) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const std::string_view created = sqlite ? "(julianday(min(b.created_at)) - 2440587.5) * 86400.0"
                                          : "CAST(extract(epoch FROM min(b.created_at)) AS double precision)";
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT count(*), {} - {} FROM lade_batch b WHERE EXISTS (SELECT 1 FROM "
                                           "lade_job j WHERE j.batch_id = b.id AND j.outcome IS NULL AND "
                                           "j.state <> 'waiting_for_review' AND NOT j.paused)",
                                           clock_sql(connection), created)));
  sheet.add("lade_batches_live", "gauge", "Batches with imports that are under way", {}, number_of(rows[0][0]));
  sheet.add("lade_batch_oldest_seconds", "gauge", "Age of the oldest of these", {},
            std::max(0.0, number_of(rows[0][1])));
  return {};
}

Result<void> add_jobs(db::Connection& connection, Sheet& sheet) {
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT state, count(*) FROM lade_job WHERE outcome IS NULL GROUP BY state"));
  for (const db::Row& row : rows)
    sheet.add("lade_jobs_live", "gauge", "Jobs that are not finished", {{"state", db::text_of(row[0])}},
              number_of(row[1]));
  return {};
}

void add_node(const queue::Node& node, Sheet& sheet) {
  const queue::NodeCounters& counters = node.counters();
  const auto counter = [&](std::string_view name, std::string_view help, std::int64_t value) {
    sheet.add(name, "counter", help, {}, static_cast<double>(value));
  };
  counter("lade_tasks_claimed_total", "Tasks that this process has claimed", counters.claimed);
  counter("lade_tasks_completed_total", "Tasks that this process has completed", counters.completed);
  counter("lade_task_failures_total", "Runs of tasks in this process that ended with an error", counters.failed);
  counter("lade_stale_commits_total", "Results that came to nothing because the lease was lost",
          counters.stale_commits);
  counter("lade_tasks_rescued_total", "Tasks of dead nodes that this process has put back", counters.rescued);
}

}  // namespace

// What this process counts itself.
struct Metrics::Inside {
  struct Timing {
    std::array<std::uint64_t, kSeconds.size()> upto{};
    std::uint64_t count = 0;
    double seconds = 0;
  };
  using Key = std::tuple<std::string, std::string, int>;  // method, route, status

  std::mutex mutex;  // guards what follows
  std::map<Key, Timing> requests;
  std::uint64_t bytes_in = 0, bytes_out = 0;

  void add_to(Sheet& sheet) {
    const std::lock_guard lock(mutex);
    constexpr std::string_view kName = "lade_http_request_seconds", kHelp = "Time to answer requests";
    for (const auto& [key, timing] : requests) {
      const auto& [method, route, status] = key;
      Labels labels{{"method", method}, {"route", route}, {"status", std::to_string(status)}};
      sheet.add(kName, "histogram", kHelp, labels, timing.seconds, "_sum");
      sheet.add(kName, "histogram", kHelp, labels, static_cast<double>(timing.count), "_count");
      labels.emplace_back("le", "+Inf");
      sheet.add(kName, "histogram", kHelp, labels, static_cast<double>(timing.count), "_bucket");
      for (std::size_t i = 0; i < kSeconds.size(); ++i) {
        labels.back().second = fmt::format("{}", kSeconds[i]);
        sheet.add(kName, "histogram", kHelp, labels, static_cast<double>(timing.upto[i]), "_bucket");
      }
    }
    sheet.add("lade_http_bytes_total", "counter", "Bytes of bodies", {{"direction", "in"}},
              static_cast<double>(bytes_in));
    sheet.add("lade_http_bytes_total", "counter", "Bytes of bodies", {{"direction", "out"}},
              static_cast<double>(bytes_out));
  }
};

Metrics::Metrics() : inside_(std::make_unique<Inside>()) {}
Metrics::~Metrics() = default;

void Metrics::count_request(const std::string& method, const std::string& route, int status, double seconds,
                            std::uint64_t bytes_in, std::uint64_t bytes_out) {
  // Methods come from clients: those that no route has share a label.
  static constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
  const bool known = std::ranges::find(kMethods, method) != std::end(kMethods);
  const std::lock_guard lock(inside_->mutex);
  Inside::Timing& timing = inside_->requests[{known ? method : "other", route, status}];
  for (std::size_t i = 0; i < kSeconds.size(); ++i)
    if (seconds <= kSeconds[i]) ++timing.upto[i];
  ++timing.count;
  timing.seconds += seconds;
  inside_->bytes_in += bytes_in;
  inside_->bytes_out += bytes_out;
}

Result<std::string> Metrics::text(db::Connection& connection, const queue::Node* node, std::size_t event_streams) {
  Sheet sheet;
  LADE_TRY(add_tallies(connection, sheet));
  LADE_TRY(add_jobs(connection, sheet));
  LADE_TRY(add_queue(connection, sheet));
  LADE_TRY(add_running(connection, sheet));
  LADE_TRY(add_batches(connection, sheet));
  LADE_TRY(add_latencies(connection, sheet));
  if (node != nullptr) add_node(*node, sheet);
  sheet.add("process_resident_memory_bytes", "gauge", "Resident memory", {}, static_cast<double>(resident_bytes()));
  sheet.add("lade_event_streams", "gauge", "Clients that watch jobs", {}, static_cast<double>(event_streams));
  inside_->add_to(sheet);
  return sheet.take();
}

}  // namespace lade::api
