#include <fmt/format.h>
#include <boost/json.hpp>

#include <functional>
#include <memory>

#include "api/views.h"
#include "cli/commands.h"
#include "cli/job_view.h"
#include "cli/watch.h"
#include "jobs/batches.h"
#include "jobs/control.h"
#include "queue/groups.h"
#include "storage/folder.h"

namespace lade::cli {
namespace {

struct JobsCommand {
  std::string job;
  std::string batch;
  store::JobFilter filter;
  std::int64_t revision = 0;
  bool force = false;
  jobs::Retry retry;
};
using Words = std::shared_ptr<JobsCommand>;  // shared by the command's options and its action

Result<store::JobPage> find_jobs(const JobsCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto connection, open_current_store(common, db::Access::read));
  store::JobFilter filter = command.filter;
  if (!command.batch.empty()) {
    if (connection == nullptr) return fail(jobs::batch_not_found(command.batch));
    LADE_ASSIGN(const store::BatchRecord batch, jobs::require_batch(*connection, command.batch));
    filter.batch_id = batch.id;
  }
  if (connection == nullptr) return store::JobPage();
  return store::list_jobs(*connection, filter);
}

int list(const JobsCommand& command, const CommonOptions& common) {
  const auto page = find_jobs(command, common);
  if (!page) return report(page.error(), common.output);
  boost::json::array objects;
  for (const store::JobRecord& job : page->jobs) objects.push_back(api::to_json(job));
  switch (common.output) {
    case Output::json:
      fmt::print("{}\n", boost::json::serialize(boost::json::object{{"jobs", objects}, {"next", page->next}}));
      break;
    case Output::ndjson:
      for (const boost::json::value& object : objects) fmt::print("{}\n", boost::json::serialize(object));
      break;
    case Output::text:
      print_jobs(page->jobs);
      if (page->jobs.empty()) fmt::print("no jobs\n");
      if (page->next != 0) fmt::print("there are more; the next ones: --before {}\n", page->next);
  }
  return kOk;
}

Result<void> show_with(db::Connection& connection, const std::string& reference, Output output) {
  LADE_ASSIGN(const store::JobRecord job, jobs::require_job(connection, reference));
  LADE_ASSIGN(const queue::TaskCounts tasks, queue::count_tasks(connection, job.uuid));
  LADE_ASSIGN(const auto events, store::events_of(connection, job.id));
  if (output == Output::text) {
    print_job(job, tasks, events);
    return {};
  }
  boost::json::object object = api::to_json(job);
  object["tasks"] = api::to_json(tasks);
  boost::json::array& history = object["events"].emplace_array();
  for (const store::Event& event : events) history.push_back(api::to_json(event));
  fmt::print("{}\n", boost::json::serialize(object));
  return {};
}

int show(const std::string& reference, const CommonOptions& common) {
  auto connection = open_for_job(reference, common, db::Access::read);
  if (!connection) return report(connection.error(), common.output);
  const auto shown = show_with(**connection, reference, common.output);
  return shown ? int{kOk} : report(shown.error(), common.output);
}

// What is said of a job that somebody has acted on.
void print_acted(const store::JobRecord& job, const CommonOptions& common) {
  if (common.output != Output::text) {
    fmt::print("{}\n", boost::json::serialize(api::to_json(job)));
  } else if (!common.quiet) {
    const bool ending = job.cancel_requested && !job.standing.outcome;
    fmt::print("{}: {}{}\n", job.slug, job.status(), ending ? ", being cancelled" : "");
  }
}

using Act = std::function<Result<store::JobRecord>(db::Connection&, const jobs::JobOrder&, const JobsCommand&)>;

int act(const Act& action, const JobsCommand& command, const CommonOptions& common) {
  auto connection = open_for_job(command.job, common, db::Access::write);
  if (!connection) return report(connection.error(), common.output);
  const auto job = action(**connection, {command.job, current_user()}, command);
  if (!job) return report(job.error(), common.output);
  print_acted(*job, common);
  return kOk;
}

// Takes the files out of the storage that lies in the data folder; those of another storage are left to its own nodes.
Result<void> remove_files(const std::vector<store::UnwantedFile>& files, const CommonOptions& common) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::path(common.data) / "storage";
  if (files.empty() || !std::filesystem::exists(path, error)) return {};
  LADE_ASSIGN(const storage::Folder folder, storage::Folder::open(path));
  for (const store::UnwantedFile& file : files)
    if (file.storage == folder.id()) LADE_TRY(folder.remove(file.uuid));
  return {};
}

int remove(const std::string& reference, const CommonOptions& common) {
  auto connection = open_for_job(reference, common, db::Access::write);
  if (!connection) return report(connection.error(), common.output);
  const auto deleted = jobs::delete_job(**connection, {reference, current_user()});
  if (!deleted) return report(deleted.error(), common.output);
  if (const auto removed = remove_files(deleted->files, common); !removed)
    return report(removed.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"job_id", deleted->job.uuid}, {"deleted", true}}));
  } else if (!common.quiet) {
    fmt::print("{}: deleted\n", deleted->job.slug);
  }
  return kOk;
}

// A command about one job.
CLI::App* add_job_command(CLI::App& app, const char* name, const char* description, const Words& words,
                          CommonOptions& common) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("JOB", words->job, "id, UUID or slug of the job")->required();
  add_database_options(*command, common);
  return command;
}

CLI::App* add_act(CLI::App& app, const char* name, const char* description, const Words& words, CommonOptions& common,
                  Action& action, Act what) {
  CLI::App* command = add_job_command(app, name, description, words, common);
  command->callback([words, what = std::move(what), &common, &action] {
    action = [words, what, &common] { return act(what, *words, common); };
  });
  return command;
}

void add_list_options(CLI::App& command, JobsCommand& words, CommonOptions& common) {
  store::JobFilter& filter = words.filter;
  command.add_option("--status", filter.status,
                     "only jobs that are queued, running, paused, waiting_for_review, succeeded, failed, rejected, "
                     "cancelled or undone");
  command.add_option("--definition", filter.definition, "only jobs of this definition (slug)");
  command.add_option("--batch", words.batch, "only jobs of this batch (name, UUID or id)");
  command.add_option("--limit", filter.limit, "at most so many")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--before", filter.before, "only jobs older than the one with this id");
  add_database_options(command, common);
}

void add_list(CLI::App& jobs, const Words& words, CommonOptions& common, Action& action) {
  const auto set = [words, &common, &action] { action = [words, &common] { return list(*words, common); }; };
  CLI::App* command = jobs.add_subcommand("list", "Jobs, newest first (also without the word list)");
  add_list_options(*command, *words, common);
  command->callback(set);
  add_list_options(jobs, *words, common);
  jobs.callback([&jobs, set] {
    if (jobs.get_subcommands().empty()) set();
  });
}

void add_acts(CLI::App& app, const Words& words, CommonOptions& common, Action& action) {
  const auto simple = [](auto call) {
    return [call](db::Connection& connection, const jobs::JobOrder& order, const JobsCommand&) {
      return call(connection, order);
    };
  };
  add_act(app, "pause", "Begin no further work on a job; what is running goes on", words, common, action,
          simple(jobs::pause_job));
  add_act(app, "resume", "Go on with a paused job", words, common, action, simple(jobs::resume_job));
  add_act(app, "cancel", "End a job; rows that are in stay in", words, common, action, simple(jobs::cancel_job));
  CLI::App* command =
      add_act(app, "retry", "Do again what failed of a failed or cancelled job, and only that", words, common, action,
              [](db::Connection& connection, const jobs::JobOrder& order, const JobsCommand& given) {
                return jobs::retry_job(connection, order, given.retry);
              });
  command->add_option("--max-errors", words->retry.limits.max_errors,
                      "allow so many failed rows this time: a count such as 5, or a share such as 5%");
  command->add_option("--fail-when", words->retry.limits.fail_when,
                      "when failed rows fail the job this time: never, any_failed, all_failed");
  command->add_flag("--overwrite", words->retry.overwrite,
                    "also rows that later imports have written meanwhile; otherwise they stay as they are");
  command = add_act(app, "clone", "Start a new job with the file, definition and options of another", words, common,
                    action, [](db::Connection& connection, const jobs::JobOrder& order, const JobsCommand& given) {
                      return jobs::clone_job(connection, order, given.force);
                    });
  command->add_flag("--force", words->force, "also while a job that does the same is live");
}

void add_review_commands(CLI::App& app, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* command = add_act(
      app, "approve", "Load a job that waits for review", words, common, action,
      [](db::Connection& connection, const jobs::JobOrder& order, const JobsCommand& given) {
        return jobs::approve_job(connection, order, given.revision < 0 ? std::nullopt : std::optional(given.revision));
      });
  words->revision = -1;
  command->add_option("--revision", words->revision, "only if this is still the newest revision")
      ->check(CLI::NonNegativeNumber);
  command->footer("Example: lade jobs --status waiting_for_review; lade rows prices-7; lade approve prices-7");
  add_act(app, "reject", "End a job that waits for review; the target stays as it is", words, common, action,
          [](db::Connection& connection, const jobs::JobOrder& order, const JobsCommand&) {
            return jobs::reject_job(connection, order);
          });
}

}  // namespace

void add_job_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<JobsCommand>();
  CLI::App* sub = app.add_subcommand("jobs", "List, show, watch and steer jobs");
  sub->require_subcommand(0, 1);
  sub->footer(
      "Examples:\n"
      "  lade jobs --status failed\n"
      "  lade jobs watch prices-7\n"
      "  lade jobs retry prices-7");
  add_list(*sub, words, common, action);
  CLI::App* command = add_job_command(*sub, "show", "Everything about a job, with its history", words, common);
  command->callback([words, &common, &action] { action = [words, &common] { return show(words->job, common); }; });
  command = add_job_command(*sub, "watch", "Follow a job until it is finished or waits for review", words, common);
  command->footer(
      "The exit code is that of an import: 0 all rows in, 2 some failed, 3 failed, 5 cancelled, 7 in review.");
  command->callback([words, &common, &action] { action = [words, &common] { return watch_job(words->job, common); }; });
  add_acts(*sub, words, common, action);
  command = add_job_command(*sub, "delete", "Forget a finished job; rows that it loaded stay", words, common);
  command->callback([words, &common, &action] { action = [words, &common] { return remove(words->job, common); }; });
  add_review_commands(app, words, common, action);
}

}  // namespace lade::cli
