#include "api/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <numeric>

#include "db/values.h"

namespace lade::api {
namespace {

constexpr std::chrono::seconds kEvery{10};
constexpr std::size_t kKept = 24 * 60 * 6;
constexpr std::int64_t kPickups = 1000;

void add(Figures& sum, const queue::QueueFigures& one) {
  sum.running += one.running;
  sum.ready += one.ready;
  sum.held += one.held;
  sum.later += one.later;
  sum.failed_attempts += one.failed_attempts;
  if (one.oldest_ready)
    sum.oldest_ready_seconds =
        std::max(sum.oldest_ready_seconds.value_or(0), static_cast<double>(*one.oldest_ready) / 1e6);
}

// The same queue of several companies is one.
void merge(std::vector<queue::QueueFigures>& queues, const queue::QueueFigures& one) {
  const auto found = std::ranges::find(queues, one.queue, &queue::QueueFigures::queue);
  if (found == queues.end()) {
    queues.push_back(one);
    return;
  }
  found->running += one.running;
  found->ready += one.ready;
  found->held += one.held;
  found->later += one.later;
  found->failed_attempts += one.failed_attempts;
  if (one.oldest_ready) found->oldest_ready = std::max(found->oldest_ready.value_or(0), *one.oldest_ready);
}

Result<void> count_imports(db::Connection& connection, std::int64_t company, Figures& figures) {
  const db::Value values[] = {company};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT state, CASE WHEN paused THEN 1 ELSE 0 END, count(*) FROM lade_job WHERE outcome "
                               "IS NULL AND ($1 = 0 OR company_id = $1) GROUP BY state, paused",
                               values));
  for (const db::Row& row : rows) {
    const model::JobStanding standing{*model::job_state_of(db::text_of(row[0])), std::nullopt};
    const std::string_view status = model::job_status(standing, db::integer_of(row[1]) != 0);
    const std::int64_t count = db::integer_of(row[2]);
    if (status == "running") figures.imports_running += count;
    if (status == "queued") figures.imports_queued += count;
    if (status == "waiting_for_review") figures.imports_waiting_for_review += count;
  }
  return {};
}

}  // namespace

Overview::Overview(db::Pool& sessions)
    : sessions_(sessions), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Overview::~Overview() {
  stop();
}

void Overview::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Result<Figures> Overview::figures(db::Connection& connection, std::int64_t company) {
  return figures(connection, company, asked_);
}

Result<Figures> Overview::figures(db::Connection& connection, std::int64_t company, Measured& measured) {
  Figures figures;
  LADE_ASSIGN(const auto queues, queue::queue_figures(connection));
  for (const queue::QueueFigures& one : queues)
    if (company == 0 || one.company == company) {
      add(figures, one);
      merge(figures.queues, one);
    }
  LADE_ASSIGN(figures.dead_letters, queue::count_dead_letters(connection, company));
  LADE_ASSIGN(const auto waits, queue::pickup_times(connection, company, kPickups));
  if (!waits.empty()) {
    figures.pickup_p50_ms = static_cast<double>(waits[waits.size() / 2]) / 1000;
    figures.pickup_p99_ms = static_cast<double>(waits[(waits.size() - 1) * 99 / 100]) / 1000;
  }
  LADE_TRY(count_imports(connection, company, figures));
  LADE_ASSIGN(const auto nodes, queue::list_nodes(connection));
  for (const queue::ListedNode& node : nodes) figures.slots += node.slots;
  LADE_ASSIGN(figures.outcomes_per_second, row_rates(connection, company, measured));
  figures.rows_per_second =
      std::accumulate(figures.outcomes_per_second.begin(), figures.outcomes_per_second.end(), 0.0);
  return figures;
}

// Rows of jobs that have ended are in the tallies, of the others in their own counters.
Result<Overview::RowRates> Overview::row_rates(db::Connection& connection, std::int64_t company, Measured& measured) {
  const db::Value values[] = {company};
  LADE_ASSIGN(const auto ended,
              connection.query("SELECT label, CAST(sum(value) AS bigint) FROM lade_tally WHERE name = 'rows' AND "
                               "($1 = 0 OR company_id = $1) GROUP BY label",
                               values));
  std::string sums;
  for (const std::string_view outcome : kRowOutcomes)
    sums += fmt::format("{}CAST(coalesce(sum(rows_{}), 0) AS bigint)", sums.empty() ? "" : ", ", outcome);
  LADE_ASSIGN(const auto live,
              connection.query(fmt::format("SELECT {} FROM lade_job WHERE outcome IS NULL AND ($1 = 0 OR company_id = "
                                           "$1)",
                                           sums),
                               values));
  RowCounts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = db::integer_of(live[0][i]);
    for (const db::Row& row : ended)
      if (db::text_of(row[0]) == kRowOutcomes[i]) counts[i] += db::integer_of(row[1]);
  }
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  Rows& rows = measured[company];
  const double seconds = std::chrono::duration<double>(now - rows.at).count();
  if (rows.at == std::chrono::steady_clock::time_point()) {
    rows = {counts, now, {}};
  } else if (seconds >= 1) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      rows.per_second[i] = static_cast<double>(std::max<std::int64_t>(0, counts[i] - rows.counts[i])) / seconds;
    rows.counts = counts;
    rows.at = now;
  }
  return rows.per_second;
}

Result<std::vector<NodeFigures>> Overview::nodes(db::Connection& connection) {
  LADE_ASSIGN(const auto listed, queue::list_nodes(connection));
  const auto now = std::chrono::steady_clock::now();
  std::vector<NodeFigures> all;
  const std::lock_guard lock(mutex_);
  for (const queue::ListedNode& node : listed) {
    Beat& beat = beats_[node.boot];
    if (beat.beat != node.beat) beat = {node.beat, now};
    NodeFigures figures{node};
    // SQLite belongs to one process, which proves to be alive by answering.
    if (connection.backend() != db::Backend::sqlite)
      figures.beat_age_seconds = std::chrono::duration<double>(now - beat.since).count();
    all.push_back(std::move(figures));
  }
  std::erase_if(beats_, [&](const auto& entry) {
    return std::ranges::none_of(listed, [&](const queue::ListedNode& node) { return node.boot == entry.first; });
  });
  return all;
}

std::vector<Overview::Sample> Overview::samples(std::int64_t company, std::chrono::seconds window) const {
  const auto oldest = std::chrono::system_clock::now() - window;
  std::vector<Sample> found;
  const std::lock_guard lock(mutex_);
  const auto kept = samples_.find(company);
  if (kept == samples_.end()) return found;
  for (const Sample& sample : kept->second)
    if (sample.at >= oldest) found.push_back(sample);
  return found;
}

void Overview::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  while (!stop.stop_requested()) {
    // A database that is away leaves a gap in the charts.
    (void)measure(stop);
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, kEvery, [] { return false; });
  }
}

Result<void> Overview::measure(const std::stop_token& stop) {
  LADE_ASSIGN(const db::Pool::Lease session, sessions_.acquire(stop));
  LADE_ASSIGN(const auto companies, session->query("SELECT id FROM lade_company ORDER BY id"));
  std::vector<std::int64_t> ids{0};
  for (const db::Row& row : companies) ids.push_back(db::integer_of(row[0]));
  LADE_TRY(nodes(*session));
  for (const std::int64_t id : ids) {
    LADE_ASSIGN(Figures figures, this->figures(*session, id, sampled_));
    figures.queues.clear();
    const std::lock_guard lock(mutex_);
    std::deque<Sample>& kept = samples_[id];
    kept.push_back({std::chrono::system_clock::now(), std::move(figures)});
    if (kept.size() > kKept) kept.pop_front();
  }
  return {};
}

}  // namespace lade::api
