#include "cli/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <thread>

#include "api/views.h"
#include "base/moment.h"
#include "cli/job_view.h"
#include "cli/site.h"

namespace lade::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kInterval{500};

// How fast the job gets on, seen over the time it was watched.
class Pace {
 public:
  void see(const store::JobRecord& job) {
    const Clock::time_point time = Clock::now();
    // A new phase counts other rows, and what was paused says nothing about the speed.
    if (job.standing.state != state_ || job.paused) {
      state_ = job.standing.state;
      since_ = time;
      first_rows_ = rows_done(job);
      first_progress_ = job.progress();
    }
    seconds_ = std::chrono::duration<double>(time - since_).count();
    rows_ = rows_done(job) - first_rows_;
    progress_ = job.progress() - first_progress_;
    left_ = 100 - job.progress();
  }
  // Rows a second; 0: not known yet.
  std::int64_t rate() const {
    return seconds_ < 1 ? 0 : static_cast<std::int64_t>(static_cast<double>(rows_) / seconds_);
  }
  std::optional<std::chrono::milliseconds> time_left() const {
    if (progress_ <= 0 || seconds_ < 1) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds_ * 1000 * left_ / progress_));
  }

 private:
  std::optional<model::JobState> state_;
  Clock::time_point since_;
  std::int64_t first_rows_ = 0;
  int first_progress_ = 0;
  double seconds_ = 0;
  std::int64_t rows_ = 0;
  int progress_ = 0;
  int left_ = 100;
};

std::string line_of(const store::JobRecord& job, const Pace& pace) {
  std::string line =
      fmt::format("{:<18} {:>3}%  {} of {} rows", job.paused ? job.status() : to_string(job.standing.state),
                  job.progress(), grouped(rows_done(job)), job.rows_total ? grouped(*job.rows_total) : "?");
  if (pace.rate() > 0) line += fmt::format("  {} rows/s", grouped(pace.rate()));
  if (job.rows[model::Outcome::failed] > 0)
    line += fmt::format("  {} failed", grouped(job.rows[model::Outcome::failed]));
  if (const auto left = pace.time_left(); left && !job.standing.outcome)
    line += fmt::format("  {} left", for_people(*left));
  return line;
}

boost::json::object event_of(const store::JobRecord& job, const Pace& pace) {
  boost::json::object object{{"event", "progress"},
                             {"job_id", job.uuid},
                             {"status", job.status()},
                             {"state", to_string(job.standing.state)},
                             {"progress", job.progress()},
                             {"rows", rows_done(job)},
                             {"rows_total", job.rows_total.value_or(0)},
                             {"rows_failed", job.rows[model::Outcome::failed]},
                             {"rows_per_second", pace.rate()}};
  if (const auto left = pace.time_left()) object["seconds_left"] = static_cast<double>(left->count()) / 1000;
  return object;
}

// Where progress goes; says nothing twice.
class ProgressOutput {
 public:
  explicit ProgressOutput(const CommonOptions& common)
      : output_(common.output),
        silent_(common.quiet || common.output == Output::json),
        terminal_(isatty(STDERR_FILENO) != 0 && common.output == Output::text) {}
  ~ProgressOutput() {
    if (terminal_ && !silent_) fmt::print(stderr, "\r\x1b[K");
  }
  ProgressOutput(const ProgressOutput&) = delete;
  ProgressOutput& operator=(const ProgressOutput&) = delete;

  void show(const store::JobRecord& job) {
    pace_.see(job);
    const std::string seen = fmt::format("{} {} {}", job.status(), to_string(job.standing), rows_done(job));
    if (silent_ || (seen == seen_ && !terminal_)) return;
    seen_ = seen;
    if (output_ == Output::ndjson) {
      fmt::print("{}\n", boost::json::serialize(event_of(job, pace_)));
      std::fflush(stdout);
      return;
    }
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", line_of(job, pace_), terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  const Output output_;
  const bool silent_;
  const bool terminal_;
  Pace pace_;
  std::string seen_;
};

Result<store::JobRecord> follow(Site& site, const std::string& reference, const CommonOptions& common) {
  ProgressOutput output(common);
  for (;;) {
    LADE_ASSIGN(store::JobRecord job, site.find_job(reference));
    output.show(job);
    if (job.standing.outcome || job.standing.state == model::JobState::waiting_for_review) return job;
    std::this_thread::sleep_for(kInterval);
  }
}

void print_end(const store::JobRecord& job, const CommonOptions& common) {
  if (common.output != Output::text) {
    fmt::print("{}\n", boost::json::serialize(api::to_json(job)));
    return;
  }
  if (common.quiet && job.standing.outcome == model::JobOutcome::succeeded) return;
  fmt::print("{} {}\n", bold(job.slug, STDOUT_FILENO), job.status());
  print_row_counts(job);
  if (!job.error.empty()) fmt::print("  {}: {}\n", job.error_code, job.error);
  if (job.standing.state == model::JobState::waiting_for_review)
    fmt::print("  lade rows {0} --state failed shows what is wrong; lade approve {0} or lade reject {0}\n", job.slug);
}

}  // namespace

int watch_job(const std::string& reference, const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  auto job = follow(**site, reference, common);
  if (!job) return report(job.error(), common.output);
  print_end(*job, common);
  return exit_code(*job);
}

}  // namespace lade::cli
