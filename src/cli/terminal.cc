#include "cli/terminal.h"

#include "cli/change_view.h"

#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace lade::cli {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::milliseconds kPlainInterval{2000};

}  // namespace

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return kUsage;
    case ErrorKind::invalid: return kInvalid;
    case ErrorKind::cancelled: return kCancelled;
    case ErrorKind::cannot_connect: return kCannotConnect;
    case ErrorKind::duplicate: return kDuplicate;
    case ErrorKind::failed: return kFailed;
  }
  return kFailed;
}

bool colour_allowed(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(descriptor) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

std::string bold(std::string_view text, int descriptor) {
  return colour_allowed(descriptor) ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, " ");
  return digits;
}

int report(const Error& error, Output output) {
  if (output == Output::text) {
    fmt::print(stderr, "{} {}: {}\n", bold("lade:", STDERR_FILENO), error.code, error.message);
    if (!error.hint.empty()) fmt::print(stderr, "  {}\n", error.hint);
  } else {
    const boost::json::object object{
        {"error", {{"code", error.code}, {"message", error.message}, {"hint", error.hint}}}};
    fmt::print("{}\n", boost::json::serialize(object));
  }
  return exit_code(error.kind);
}

ProgressLine::ProgressLine(const jobs::Progress& progress, Output output, bool quiet)
    : progress_(progress), output_(output), terminal_(isatty(STDERR_FILENO) != 0 && output == Output::text) {
  if (quiet || output == Output::json) return;
  show();
  thread_ = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K");
  } else if (progress_.phase == jobs::Phase::finished) {
    show();
  }
}

void ProgressLine::run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (
      !wake.wait_for(lock, stop, terminal_ ? kTerminalInterval : kPlainInterval, [&] { return stop.stop_requested(); }))
    show();
}

void ProgressLine::show() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const jobs::Phase phase = progress_.phase;
  const bool fetches = phase == jobs::Phase::fetching;
  const std::int64_t total = fetches ? progress_.pages_total : progress_.rows_total;
  const std::int64_t done = fetches                            ? progress_.pages_done
                            : phase == jobs::Phase::processing ? progress_.rows_loaded
                                                               : progress_.rows_analysed;
  // Analysis and loading are worth about a third and two thirds of the time.
  const double part = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  const double whole = phase == jobs::Phase::preparing ? 0
                       : fetches                       ? part
                       : phase <= jobs::Phase::waiting ? part * 0.3
                                                       : 0.3 + part * 0.7;
  const double rate = seconds > 0 ? static_cast<double>(total) * whole / seconds : 0;
  if (output_ == Output::ndjson) {
    boost::json::object object{{"event", "progress"},
                               {"phase", jobs::to_string(phase)},
                               {"rows", done},
                               {"rows_total", total},
                               {"rows_failed", progress_.rows_failed.load()},
                               {"progress", static_cast<int>(whole * 100)}};
    if (progress_.pages_total > 0) {
      object["pages"] = progress_.pages_done.load();
      object["pages_total"] = progress_.pages_total.load();
      object["pages_failed"] = progress_.pages_failed.load();
    }
    fmt::print("{}\n", boost::json::serialize(object));
    std::fflush(stdout);
    return;
  }
  std::string line(jobs::to_string(phase));
  if (phase != jobs::Phase::preparing)
    line = fmt::format("{:<10} {:>3.0f}%  {} of {} {}", line, whole * 100, grouped(done), grouped(total),
                       fetches ? "pages" : "rows");
  if (rate > 0) line += fmt::format("  {} {}/s", grouped(static_cast<std::int64_t>(rate)), fetches ? "pages" : "rows");
  const std::int64_t failed = fetches ? progress_.pages_failed : progress_.rows_failed;
  if (failed > 0) line += fmt::format("  {} failed", grouped(failed));
  if (whole > 0.02 && phase != jobs::Phase::finished)
    line += fmt::format("  {:.0f} s left", seconds / whole * (1 - whole));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

UploadLine::UploadLine(std::string file, Output output, bool quiet)
    : file_(std::move(file)),
      output_(output),
      silent_(quiet || output == Output::json),
      terminal_(isatty(STDERR_FILENO) != 0 && output == Output::text) {}

UploadLine::~UploadLine() {
  if (terminal_ && !silent_) fmt::print(stderr, "\r\x1b[K");
}

void UploadLine::tell(std::uint64_t sent, std::uint64_t total) {
  const Clock::time_point time = Clock::now();
  const bool ends = sent == total && !whole_;
  if (silent_ || whole_ || (time < next_ && !ends)) return;
  next_ = time + (terminal_ ? kTerminalInterval : kPlainInterval);
  whole_ = ends;
  show(sent, total);
}

void UploadLine::show(std::uint64_t sent, std::uint64_t total) {
  if (output_ == Output::ndjson) {
    const boost::json::object object{{"event", "upload"}, {"file", file_}, {"bytes", sent}, {"bytes_total", total}};
    fmt::print("{}\n", boost::json::serialize(object));
    std::fflush(stdout);
    return;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double share = total == 0 ? 1 : static_cast<double>(sent) / static_cast<double>(total);
  std::string line = fmt::format("{:<10} {:>3.0f}%  {} of {} bytes", "uploading", share * 100,
                                 grouped(static_cast<std::int64_t>(sent)), grouped(static_cast<std::int64_t>(total)));
  if (seconds > 0.5) line += fmt::format("  {:.1f} MB/s", static_cast<double>(sent) / seconds / 1e6);
  if (share > 0.02 && share < 1) line += fmt::format("  {:.0f} s left", seconds / share * (1 - share));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

namespace {

void print_changes(const jobs::Summary& summary) {
  if (summary.first_changes.empty()) return;
  fmt::print("{}\n", bold("first changes", STDOUT_FILENO));
  for (const std::string& record : summary.first_changes) print_change(boost::json::parse(record).as_object());
}

}  // namespace

void print_summary(const jobs::Summary& summary) {
  using model::Outcome;
  const auto& rows = summary.rows;
  fmt::print("{} {} {} in {:.2f} s ({} rows/s)\n", bold(summary.definition, STDOUT_FILENO), summary.file,
             summary.dry_run ? "planned" : summary.outcome, summary.seconds, grouped(jobs::rows_per_second(summary)));
  if (summary.dry_run) fmt::print("  nothing was written (dry run)\n");
  fmt::print("  {:<12} {:>12}\n", "read", grouped(rows.read));
  for (const Outcome outcome : {Outcome::inserted, Outcome::updated, Outcome::deleted, Outcome::unchanged,
                                Outcome::skipped, Outcome::failed, Outcome::unprocessed})
    if (summary.dry_run || rows[outcome] > 0 || outcome == Outcome::inserted || outcome == Outcome::failed)
      fmt::print("  {:<12} {:>12}\n", model::to_string(outcome), grouped(rows[outcome]));
  fmt::print("  every row is accounted for: {} = {}\n", grouped(rows.read),
             rows.conserved() ? "the sum of the above" : grouped(rows.accounted()) + " (NOT CONSERVED)");
  if (rows.removed > 0)
    fmt::print("  {:<12} {:>12}  stored before, not in the file\n", "removed", grouped(rows.removed));
  print_changes(summary);
  for (const std::string& remark : summary.remarks) fmt::print("  {}\n", remark);
  if (rows.read == 0) fmt::print("  the file has a header but no rows\n");
  if (!summary.issues.empty()) fmt::print("{}\n", bold("issues", STDOUT_FILENO));
  for (const auto& [what, count] : summary.issues)
    fmt::print("  {:>12}  {}{}{}\n", grouped(count), what.first, what.second.empty() ? "" : " in ", what.second);
  const auto list = [](std::string_view title, const std::vector<std::string>& names) {
    if (!names.empty()) fmt::print("{}: {}\n", title, fmt::join(names, ", "));
  };
  list("columns read as somebody has matched them", summary.remembered_columns);
  list("columns of the file that nothing reads", summary.unmapped_columns);
  list("columns that the file does not have (stored values stay)", summary.absent_columns);
  list("cannot be undone, since the table has no key", summary.keyless_tables);
  for (const auto& [title, path] : {std::pair("failed rows", summary.failed_file),
                                    {"succeeded rows", summary.succeeded_file},
                                    {"unprocessed rows", summary.unprocessed_file}})
    if (!path.empty()) fmt::print("{}: {}\n", title, path);
  if (summary.resumed) fmt::print("went on with what an earlier process had begun\n");
  if (summary.outcome == "waiting_for_review")
    fmt::print("nothing is written before somebody approves it: lade approve {0}, or lade reject {0}\n",
               summary.job_id);
  if (!summary.error.code.empty()) report(summary.error, Output::text);
}

}  // namespace lade::cli
