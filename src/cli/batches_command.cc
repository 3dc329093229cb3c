#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <memory>

#include "api/batches.h"
#include "api/views.h"
#include "base/moment.h"
#include "cli/batch_parts.h"
#include "cli/job_view.h"
#include "cli/site.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct BatchesCommand {
  std::string batch;
  store::BatchFilter filter;
  jobs::BatchRetry retry;
  std::int64_t threshold = 1800;  // seconds
};
using Words = std::shared_ptr<BatchesCommand>;  // shared by the command's options and its action

constexpr std::int64_t kJobsShown = 20;

void print_batches(const std::vector<store::BatchRecord>& batches) {
  std::size_t width = 8;
  for (const store::BatchRecord& batch : batches) width = std::max(width, batch.name.size());
  fmt::print("{}\n", bold(fmt::format("{:<{}}  {:<9}  {:>4}  {:>13}  {:>6}  {:>13}  {:>9}  {}", "batch", width,
                                      "status", "%", "jobs", "failed", "rows", "failed", "created"),
                          STDOUT_FILENO));
  for (const store::BatchRecord& batch : batches)
    fmt::print("{:<{}}  {:<9}  {:>3}%  {:>13}  {:>6}  {:>13}  {:>9}  {}\n", batch.name, width, batch.status(),
               batch.progress, fmt::format("{}/{}", grouped(batch.jobs.finished()), grouped(batch.jobs.total())),
               grouped(batch.jobs.failed), grouped(batch.rows_total), grouped(batch.rows_failed),
               age_of(moment_of(batch.created_at)));
}

void print_batch(const store::BatchRecord& batch) {
  const auto field = [](std::string_view name, const std::string& value) {
    if (!value.empty()) fmt::print("  {:<12} {}\n", name, value);
  };
  const auto time = [](const std::string& text) { return text.empty() ? "" : for_people(moment_of(text)); };
  fmt::print("{} {}, {}%\n", bold(batch.name, STDOUT_FILENO), batch.status(), batch.progress);
  field("id", batch.uuid);
  field("manifest", batch.source_manifest);
  field("created", time(batch.created_at) + (batch.created_by.empty() ? "" : " by " + batch.created_by));
  field("started", time(batch.started_at));
  field("completed", time(batch.completed_at));
  field("jobs", fmt::format("{} of {} finished: {} succeeded, {} failed, {} cancelled", grouped(batch.jobs.finished()),
                            grouped(batch.jobs.total()), grouped(batch.jobs.succeeded), grouped(batch.jobs.failed),
                            grouped(batch.jobs.ended_by_people)));
  if (batch.tasks.blocked > 0)
    field("tasks", fmt::format("{} of {} processed, {} failed, {} blocked", grouped(batch.tasks.processed()),
                               grouped(batch.tasks.total), grouped(batch.tasks.failed), grouped(batch.tasks.blocked)));
  if (!batch.finalized_at.empty()) field("finalized", time(batch.finalized_at) + " by " + batch.finalized_by);
  field("rows", fmt::format("{} of {} processed, {} failed", grouped(batch.rows_processed), grouped(batch.rows_total),
                            grouped(batch.rows_failed)));
  if (batch.newcomers_wait) field("paused", "jobs that join it wait");
}

int list(const store::BatchFilter& filter, const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  auto page = (*site)->list_batches(filter);
  if (!page) return report(page.error(), common.output);
  if (common.output == Output::text) {
    page->batches.empty() ? fmt::print("no batches\n") : print_batches(page->batches);
    if (page->next != 0) fmt::print("there are more; the next ones: --before {}\n", page->next);
    return kOk;
  }
  json::array objects;
  for (const store::BatchRecord& batch : page->batches) objects.push_back(api::to_json(batch));
  if (common.output == Output::json) objects = {json::object{{"batches", std::move(objects)}, {"next", page->next}}};
  for (const json::value& object : objects) fmt::print("{}\n", json::serialize(object));
  return kOk;
}

Result<void> show(const std::string& reference, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const store::BatchRecord batch, site->find_batch(reference));
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(api::to_json(batch)));
    return {};
  }
  print_batch(batch);
  LADE_ASSIGN(const auto page, site->list_jobs({.limit = kJobsShown}, batch.uuid));
  print_jobs(page.jobs);
  if (page.next != 0) fmt::print("there are more: lade jobs --batch {}\n", batch.id);
  return {};
}

// `done` is the word for what was done to jobs.
Result<void> act(BatchAct what, const char* done, const BatchesCommand& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const auto outcome,
              site->act(BatchDemand{what, words.batch, words.retry, std::chrono::seconds(words.threshold)}));
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(api::to_json(outcome)));
  } else if (!common.quiet) {
    std::string left;
    for (const auto& [code, jobs] : outcome.refused)
      left += fmt::format(", {} left as they are ({})", grouped(jobs), code);
    if (outcome.tasks > 0) left += fmt::format("; row tasks: {}", grouped(outcome.tasks));
    fmt::print("{}: {}; jobs: {} {}{}\n", outcome.batch.name,
               outcome.deleted ? std::string_view("deleted") : outcome.batch.status(), grouped(outcome.done), done,
               left);
  }
  return {};
}

int ended(const Result<void>& done, const CommonOptions& common) {
  return done ? int{kOk} : report(done.error(), common.output);
}

// A command about one batch.
CLI::App* add_batch_command(CLI::App& app, const char* name, const char* description, const Words& words,
                            CommonOptions& common) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("BATCH", words->batch, "name, UUID or id of the batch")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  return command;
}

void add_act(CLI::App& app, const char* name, const char* description, const char* done, BatchAct what,
             const Words& words, CommonOptions& common, Action& action) {
  add_batch_command(app, name, description, words, common)->callback([=, &common, &action] {
    action = [=, &common] { return ended(act(what, done, *words, common), common); };
  });
}

void add_retry(CLI::App& app, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* const command = add_batch_command(
      app, "retry", "Do again what failed of its jobs, and only that; or those of its row tasks that are named", words,
      common);
  jobs::BatchRetry& retry = words->retry;
  command->add_option("--status", retry.status, "only row tasks that are failed (default), blocked or cancelled");
  command->add_option("--source", retry.source, "only those of this host, or with this in their URL");
  command->add_option("--error", retry.error, "only those with this code");
  command->add_option("--key", retry.key, "only those that the manifest calls so");
  command->add_option("--task", retry.ids, "only these, by their ids");
  command->callback([words, &common, &action] {
    action = [words, &common] { return ended(act(BatchAct::retry, "tried again", *words, common), common); };
  });
}

void add_requeue(CLI::App& app, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* const command =
      add_batch_command(app, "requeue-stuck", "Try again what has been running for too long", words, common);
  command->add_option("--older-than", words->threshold, "for so many seconds")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->callback([words, &common, &action] {
    action = [words, &common] {
      return ended(act(BatchAct::requeue_stuck, "had stuck tasks", *words, common), common);
    };
  });
}

void add_list_options(CLI::App& command, store::BatchFilter& filter, CommonOptions& common) {
  command.add_option("--status", filter.status,
                     "only batches that are pending, running, paused, succeeded, failed or cancelled");
  command.add_option("--limit", filter.limit, "at most so many")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--owner", filter.created_by, "only batches that this user has made");
  command.add_option("--since", filter.since, "only those made then or later, 2024-12-31T00:00:00.000Z");
  command.add_option("--until", filter.until, "only those made earlier");
  command.add_option("--before", filter.before, "only batches older than the one with this id");
  add_database_options(command, common);
  add_server_options(command, common);
}

void add_list(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  const auto set = [words, &common, &action] { action = [words, &common] { return list(words->filter, common); }; };
  CLI::App* command = sub.add_subcommand("list", "Batches, newest first (also without the word list)");
  add_list_options(*command, words->filter, common);
  command->callback(set);
  add_list_options(sub, words->filter, common);
  sub.callback([&sub, set] {
    if (sub.get_subcommands().empty()) set();
  });
}

}  // namespace

void add_batch_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<BatchesCommand>();
  CLI::App* sub = app.add_subcommand("batches", "List, show and steer jobs that belong together");
  sub->require_subcommand(0, 1);
  sub->footer(
      "Examples:\n"
      "  lade import monday/*.csv -d prices --async --batch monday\n"
      "  lade batches show monday\n"
      "  lade batches retry monday");
  add_list(*sub, words, common, action);
  add_batch_command(*sub, "show", "How a batch stands, with its newest jobs", words, common)
      ->callback([words, &common, &action] {
        action = [words, &common] { return ended(show(words->batch, common), common); };
      });
  add_act(*sub, "pause", "Begin no further work on its jobs, nor on those that join it later", "paused",
          BatchAct::pause, words, common, action);
  add_act(*sub, "resume", "Go on with its jobs", "resumed", BatchAct::resume, words, common, action);
  add_act(*sub, "cancel", "End all its jobs; rows that are in stay in", "cancelled", BatchAct::cancel, words, common,
          action);
  add_retry(*sub, words, common, action);
  add_requeue(*sub, words, common, action);
  add_act(*sub, "approve-all", "Load its jobs that wait for review", "approved", BatchAct::approve_all, words, common,
          action);
  add_act(*sub, "reject-all", "End its jobs that wait for review", "rejected", BatchAct::reject_all, words, common,
          action);
  add_act(*sub, "finalize", "All its jobs have ended, and nothing of it is to change any more", "kept",
          BatchAct::finalize, words, common, action);
  add_act(*sub, "delete", "Forget its finished jobs, and the batch when none is left; loaded rows stay", "forgotten",
          BatchAct::remove, words, common, action);
  add_batch_part_commands(*sub, common, action);
}

}  // namespace lade::cli
