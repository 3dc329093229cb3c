#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include "db/migrations.h"
#include "queue/enqueue.h"
#include "queue/node.h"
#include "queue/schema.h"

// bench_queue URL [TASKS | rescue]: tasks that do nothing, one process with ten workers, in the tables of an empty
// database.
//   bulk       enqueue_all() in batches of 10,000
//   through    from the first enqueue to the last completion, everything durable
//   latency    one task at a time into an idle queue, from the call of enqueue() and from its return to the handler
//   rescue     from kill -9 of a node until its task runs elsewhere, five times (PostgreSQL)
namespace {

using namespace lade;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 10'000;
constexpr int kSingles = 500;

template <class T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "{}: {}\n", result.error().code, result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void make_tables(db::Connection& connection) {
  const db::Migration migration{1, "queue", queue::schema().sqlite, queue::schema().postgresql};
  must(db::migrate(connection, std::span(&migration, 1)));
  must(connection.run(queue::node_schema()));
}

void wait_until_done(const queue::Node& node, std::int64_t count) {
  while (node.counters().completed < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void measure_throughput(db::Pool& pool, queue::Node& node, std::int64_t tasks) {
  const std::vector<queue::NewTask> batch(kBatch, queue::NewTask{.kind = "none"});
  const Clock::time_point begin = Clock::now();
  for (std::int64_t done = 0; done < tasks; done += static_cast<std::int64_t>(kBatch)) {
    const auto connection = must(pool.acquire());
    must(queue::enqueue_all(*connection, batch));
  }
  const double enqueued = seconds_since(begin);
  const Clock::time_point start = Clock::now();
  must(node.start());
  wait_until_done(node, tasks);
  const double drained = seconds_since(start);
  const auto count = static_cast<double>(tasks);
  fmt::print("bulk enqueue        {:>9.0f} tasks/s\n", count / enqueued);
  fmt::print("claim to complete   {:>9.0f} tasks/s\n", count / drained);
  fmt::print("enqueue to complete {:>9.0f} tasks/s\n", count / (enqueued + drained));
}

void print_percentiles(const char* what, std::vector<double> milliseconds) {
  std::ranges::sort(milliseconds);
  const auto at = [&](double part) {
    return milliseconds[static_cast<std::size_t>(part * static_cast<double>(milliseconds.size() - 1))];
  };
  fmt::print("{} p50 {:.3f} ms, p99 {:.3f} ms\n", what, at(0.5), at(0.99));
}

void measure_latency(db::Pool& pool, queue::Node& node, std::atomic<Clock::rep>& started, std::int64_t completed) {
  std::vector<double> from_call, from_return;
  const bool sqlite = db::backend_of(pool.url()) == db::Backend::sqlite;
  for (int i = 0; i < kSingles; ++i) {
    wait_until_done(node, completed + i);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    started = 0;
    const Clock::time_point call = Clock::now();
    {
      const auto connection = must(pool.acquire());
      must(queue::enqueue(*connection, {.kind = "timed"}));
    }
    if (sqlite) node.wake();
    const Clock::time_point returned = Clock::now();
    while (started == 0) std::this_thread::yield();
    const Clock::time_point run{Clock::duration(started.load())};
    from_call.push_back(std::chrono::duration<double, std::milli>(run - call).count());
    from_return.push_back(std::chrono::duration<double, std::milli>(run - returned).count());
  }
  print_percentiles("latency from the call of enqueue()  ", from_call);
  print_percentiles("latency from the return of enqueue()", from_return);
}

// A process with a node whose handler writes a byte to `begun` and never ends.
pid_t start_process(const std::string& url, int begun) {
  const pid_t child = fork();
  if (child != 0) return child;
  queue::NodeOptions options;
  db::Pool pool(queue::session_url(url, options.boot), 4);
  queue::Node node(pool, options);
  node.handle("endless", {.run = [&](queue::TaskContext&) -> Result<void> {
                if (write(begun, "x", 1) != 1) std::abort();
                pause();
                return {};
              }});
  must(node.start());
  pause();
  std::exit(0);
}

void await(int begun) {
  char byte = 0;
  if (read(begun, &byte, 1) != 1) std::abort();
}

void measure_rescue(const std::string& url) {
  must(must(db::connect(url))->run("TRUNCATE lade_task, lade_node"));
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t victim = start_process(url, ends[1]);
  must(queue::enqueue(*must(db::connect(url)), {.kind = "endless"}));
  await(ends[0]);
  const pid_t rescuer = start_process(url, ends[1]);
  // Both have been beating for a while, at different times.
  std::this_thread::sleep_for(std::chrono::milliseconds(3000 + std::rand() % 2000));
  const Clock::time_point death = Clock::now();
  kill(victim, SIGKILL);
  await(ends[0]);
  fmt::print("rescue after kill -9: {:.2f} s until the task runs again\n", seconds_since(death));
  kill(rescuer, SIGKILL);
  for (const pid_t child : {victim, rescuer}) waitpid(child, nullptr, 0);
  for (const int end : ends) close(end);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_queue URL [TASKS | rescue]\n");
    return 1;
  }
  if (argc > 2 && std::string_view(argv[2]) == "rescue") {
    make_tables(*must(db::connect(argv[1])));
    for (int i = 0; i < 5; ++i) measure_rescue(argv[1]);
    return 0;
  }
  const std::int64_t tasks = argc > 2 ? std::atoll(argv[2]) : 200'000;
  queue::NodeOptions options;
  options.settings.concurrency = 10;
  db::Pool pool(queue::session_url(argv[1], options.boot), db::backend_of(argv[1]) == db::Backend::sqlite ? 1 : 12);
  make_tables(*must(pool.acquire()));
  std::atomic<Clock::rep> started = 0;
  queue::Node node(pool, options);
  node.handle("none", {.run = [](queue::TaskContext&) -> Result<void> { return {}; }});
  node.handle("timed", {.run = [&](queue::TaskContext&) -> Result<void> {
                started = Clock::now().time_since_epoch().count();
                return {};
              }});
  measure_throughput(pool, node, tasks);
  measure_latency(pool, node, started, tasks);
  node.stop();
  return 0;
}
