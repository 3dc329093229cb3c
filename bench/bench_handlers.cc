#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "handlers/lua.h"
#include "handlers/pool.h"

// bench_handlers FOLDER [ROWS [KILLS]]: rows of five cells through handlers that do nothing, one batch after another;
// FOLDER is bench/handlers. Also says how much memory this process has after a tenth of the rows and after all.
//   in process   the same function in C++, without messages
//   lua          run by this very program, in its own process
//   python       /usr/bin/python3
// With KILLS the handler is killed so often on the way; every row must have exactly one answer.
namespace {

using namespace lade::handlers;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 4096;  // as analysis takes them
constexpr const char* kCells[] = {"Margaret", "Hamilton", "1234.50", "1969-07-20", "margaret@example.org"};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

long resident_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  return 0;
}

void fill(RowTexts& rows, std::int64_t first, std::int64_t last) {
  rows.clear();
  for (std::int64_t index = first; index <= last; ++index) {
    rows.begin_row(index);
    for (const char* const cell : kCells) rows.add_cell(cell);
    rows.end_row();
  }
}

struct Run {
  std::int64_t rows = 0;
  std::int64_t kills = 0;
};

// The process that answers is this one's only child.
int child_of_this_process() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    if (int pid = 0; children >> pid) return pid;
  }
  return 0;
}

bool measure(const std::string& name, Handler handler, const Run& run) {
  handler.name = name;
  handler.folder = "/";
  const auto registry = std::make_shared<const Registry>(std::vector<Handler>{std::move(handler)});
  Pool pool(registry, *registry->find(name), Start{name, "bench", {"a", "b", "c", "d", "e"}});
  RowTexts rows;
  std::int64_t answered = 0, failed = 0, killed = 0;
  long early_kb = 0;
  const std::int64_t every = run.kills > 0 ? run.rows / run.kills : 0;
  const Clock::time_point begin = Clock::now();
  for (std::int64_t first = 1; first <= run.rows; first += kBatch) {
    fill(rows, first, std::min<std::int64_t>(run.rows, first + kBatch - 1));
    std::vector<int> answers(rows.size(), 0);
    const auto done = pool.answer(rows, [&](std::size_t row, const RowAnswer& answer) {
      ++answers[row];
      failed += answer.code.empty() ? 0 : 1;
      if (every == 0 || (first + static_cast<std::int64_t>(row)) % every != 0 || killed == run.kills) return;
      if (const int pid = child_of_this_process(); pid > 0 && kill(pid, SIGKILL) == 0) ++killed;
    });
    if (!done) return fmt::print("{}: {}\n", done.error().code, done.error().message), false;
    for (const int count : answers) answered += count == 1 ? 1 : 0;
    if (early_kb == 0 && first > run.rows / 10) early_kb = resident_kb();
  }
  const double seconds = seconds_since(begin);
  fmt::print(
      "{:<12} {:>10.0f} rows/s   {} rows, {} with one answer, {} failed; killed {}, lost {}; {} KB, at the end {} KB\n",
      name, static_cast<double>(run.rows) / seconds, run.rows, answered, failed, killed, pool.losses(), early_kb,
      resident_kb());
  return answered == run.rows;
}

void measure_in_process(const Run& run) {
  std::size_t bytes = 0;
  const Clock::time_point begin = Clock::now();
  for (std::int64_t row = 0; row < run.rows; ++row) {
    const std::vector<std::string> cells(std::begin(kCells), std::end(kCells));
    const std::pair<std::string, std::string> result("name", cells.front());
    bytes += result.second.size();
  }
  fmt::print("{:<12} {:>10.0f} rows/s   ({} bytes)\n", "in process",
             static_cast<double>(run.rows) / seconds_since(begin), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "run-handler") return run_lua_handler(argv[2], {}) ? 0 : 1;
  if (argc < 2) return fmt::print(stderr, "bench_handlers FOLDER [ROWS [KILLS]]\n"), 1;
  std::signal(SIGPIPE, SIG_IGN);
  const std::filesystem::path folder = std::filesystem::absolute(argv[1]);
  const Run run{argc > 2 ? std::atoll(argv[2]) : 1'000'000, argc > 3 ? std::atoll(argv[3]) : 0};
  measure_in_process(run);
  Handler lua, python;
  lua.is_lua = true;
  lua.command = {std::filesystem::read_symlink("/proc/self/exe"), "run-handler", folder / "noop.lua"};
  python.command = {"/usr/bin/python3", folder / "noop.py"};
  const bool fine = measure("lua", lua, run) && measure("python", python, run);
  return fine ? 0 : 1;
}
