#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <memory>

#include "api/views.h"
#include "base/moment.h"
#include "cli/job_view.h"
#include "cli/site.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct BatchesCommand {
  std::string batch;
  store::BatchFilter filter;
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
Result<void> act(BatchAct what, const char* done, const std::string& reference, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const auto outcome, site->act(what, reference));
  if (common.output != Output::text) {
    json::object object = api::to_json(outcome.batch);
    object["done"] = outcome.done;
    json::object& refused = object["refused"].emplace_object();
    for (const auto& [code, jobs] : outcome.refused) refused[code] = jobs;
    fmt::print("{}\n", json::serialize(object));
  } else if (!common.quiet) {
    std::string left;
    for (const auto& [code, jobs] : outcome.refused)
      left += fmt::format(", {} left as they are ({})", grouped(jobs), code);
    fmt::print("{}: {}; jobs: {} {}{}\n", outcome.batch.name, outcome.batch.status(), grouped(outcome.done), done,
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
    action = [=, &common] { return ended(act(what, done, words->batch, common), common); };
  });
}

void add_list_options(CLI::App& command, store::BatchFilter& filter, CommonOptions& common) {
  command.add_option("--status", filter.status,
                     "only batches that are pending, running, paused, succeeded, failed or cancelled");
  command.add_option("--limit", filter.limit, "at most so many")->capture_default_str()->check(CLI::PositiveNumber);
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
  add_act(*sub, "retry", "Do again what failed of its failed and cancelled jobs, and only that", "tried again",
          BatchAct::retry, words, common, action);
}

}  // namespace lade::cli
