#include "cli/job_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/moment.h"
#include "cli/terminal.h"

namespace lade::cli {
namespace {

using model::JobOutcome;
using model::JobState;
using model::Outcome;

void print_field(std::string_view name, const std::string& value) {
  if (!value.empty()) fmt::print("  {:<12} {}\n", name, value);
}

std::string by(const std::string& who) {
  return who.empty() ? "" : " by " + who;
}

void print_times(const store::JobRecord& job) {
  const auto created = moment_of(job.created_at), started = moment_of(job.started_at),
             finished = moment_of(job.finished_at);
  print_field("created", fmt::format("{}{} ({})", for_people(created), by(job.created_by), age_of(created)));
  print_field("started", for_people(started));
  if (!job.reviewed_at.empty()) print_field("reviewed", for_people(moment_of(job.reviewed_at)) + by(job.reviewed_by));
  if (finished)
    print_field("finished",
                for_people(finished) + (started ? fmt::format(" (took {})", for_people(*finished - *started)) : ""));
}

// Why a job waits for review though its definition does not ask for it, or why it was rejected.
std::string reason_of(const store::Event& event) {
  boost::system::error_code error;
  const boost::json::value data = boost::json::parse(event.data, error);
  const boost::json::value* why = nullptr;
  for (const char* name : {"why", "reason"})
    if (why == nullptr && !error && data.is_object()) why = data.as_object().if_contains(name);
  return why == nullptr || !why->is_string() ? "" : fmt::format(": {}", std::string_view(why->as_string()));
}

void print_events(const std::vector<store::Event>& events) {
  fmt::print("{}\n", bold("history", STDOUT_FILENO));
  for (const store::Event& event : events)
    fmt::print("  {:>4}  {}  {}{}{}\n", event.number, for_people(moment_of(event.created_at)), event.kind,
               by(event.actor), reason_of(event));
}

std::string tasks_text(const queue::TaskCounts& tasks) {
  std::string text;
  for (const auto& [count, name] : {std::pair(tasks.pending, "pending"),
                                    {tasks.running, "running"},
                                    {tasks.succeeded, "succeeded"},
                                    {tasks.failed, "failed"},
                                    {tasks.cancelled, "cancelled"}})
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), name);
  return text;
}

std::string status_text(const store::JobRecord& job) {
  if (job.standing.outcome || !job.cancel_requested) return std::string(job.status());
  return "cancelling";
}

void print_comparison(const boost::json::value& comparison, const store::JobRecord& job) {
  if (!comparison.is_object()) return;
  fmt::print("{} (cell by cell: lade diff {})\n", bold("what it will do", STDOUT_FILENO), job.slug);
  for (const auto& [what, count] : comparison.as_object())
    fmt::print("  {:<12} {:>12}\n", std::string_view(what), grouped(count.to_number<std::int64_t>()));
}

}  // namespace

void print_job(const store::JobRecord& job, const queue::TaskCounts& tasks, const boost::json::value& comparison,
               const std::vector<store::Event>& events) {
  fmt::print("{} {}\n", bold(job.slug, STDOUT_FILENO), status_text(job));
  print_field("id", job.uuid);
  print_field("definition", fmt::format("{} version {}", job.definition, job.definition_version));
  print_field("file", fmt::format("{} ({} bytes)", job.file_name, grouped(job.file_bytes)));
  print_field("batch", job.batch);
  print_field("state", fmt::format("{}, {}%", to_string(job.standing), job.progress()));
  print_times(job);
  if (job.retries > 0) print_field("retries", grouped(job.retries));
  if (job.review_revision > 0) print_field("revision", grouped(job.review_revision));
  print_field("waits for", job.waits_for.empty() ? "" : job.waits_for + ", which loads into the same table");
  print_field("undoes", job.undoes);
  print_field("undone by", job.undone_by);
  print_field("tasks", tasks_text(tasks));
  print_row_counts(job);
  print_comparison(comparison, job);
  print_field("error", job.error.empty() ? "" : fmt::format("{}: {}", job.error_code, job.error));
  print_field("results", job.results_error);
  print_events(events);
}

void print_row_counts(const store::JobRecord& job) {
  const auto line = [](std::string_view name, std::int64_t count) {
    fmt::print("  {:<12} {:>12}\n", name, grouped(count));
  };
  if (!job.standing.outcome && job.rows_total) line("rows", *job.rows_total);
  if (!job.standing.outcome) line("analysed", job.rows_analysed);
  line("read", job.rows.read);
  for (const Outcome outcome : model::kOutcomes)
    if (job.rows[outcome] > 0) line(model::to_string(outcome), job.rows[outcome]);
  if (job.rows.removed > 0) line("removed", job.rows.removed);
}

void print_jobs(const std::vector<store::JobRecord>& jobs) {
  if (jobs.empty()) return;
  std::size_t width = 8;
  for (const store::JobRecord& job : jobs) width = std::max(width, job.slug.size());
  fmt::print("{}\n", bold(fmt::format("{:<{}}  {:<18}  {:>4}  {:>13}  {:>9}  {:<14}  {}", "job", width, "status", "%",
                                      "rows", "failed", "created", "file"),
                          STDOUT_FILENO));
  for (const store::JobRecord& job : jobs)
    fmt::print("{:<{}}  {:<18}  {:>3}%  {:>13}  {:>9}  {:<14}  {}\n", job.slug, width, status_text(job), job.progress(),
               grouped(job.rows_total.value_or(job.rows.read)), grouped(job.rows[Outcome::failed]),
               age_of(moment_of(job.created_at)), job.file_name);
}

int exit_code(const store::JobRecord& job) {
  if (job.standing.state == JobState::waiting_for_review) return kWaitingForReview;
  if (!job.standing.outcome) return kOk;
  switch (*job.standing.outcome) {
    case JobOutcome::succeeded: return job.rows[Outcome::failed] > 0 ? kFailedRows : kOk;
    case JobOutcome::failed: return kFailed;
    case JobOutcome::rejected:
    case JobOutcome::cancelled:
    case JobOutcome::undone: return kCancelled;
  }
  return kFailed;
}

std::int64_t rows_done(const store::JobRecord& job) {
  return job.standing.state == JobState::processing_data || job.standing.outcome ? job.rows.accounted()
                                                                                 : job.rows_analysed;
}

}  // namespace lade::cli
