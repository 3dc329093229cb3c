#include <fmt/format.h>
#include <boost/json.hpp>

#include <memory>

#include "api/views.h"
#include "cli/commands.h"
#include "cli/job_view.h"
#include "cli/site.h"
#include "cli/watch.h"

namespace lade::cli {
namespace {

struct JobsCommand {
  std::string job;
  std::string batch;
  store::JobFilter filter;
  std::int64_t revision = 0;
  std::optional<std::string> reason;
  bool force = false;
  bool snapshot = false;
  jobs::Retry retry;
};
using Words = std::shared_ptr<JobsCommand>;  // shared by the command's options and its action

Result<store::JobPage> find_jobs(const JobsCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  return site->list_jobs(command.filter, command.batch);
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

Result<void> show(const std::string& reference, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const JobPicture picture, site->show_job(reference));
  if (common.output == Output::text) {
    print_job(picture.job, picture.tasks, picture.comparison, picture.events);
    return {};
  }
  boost::json::object object = api::to_json(picture.job);
  object["tasks"] = api::to_json(picture.tasks);
  object["comparison"] = picture.comparison;
  boost::json::array& history = object["events"].emplace_array();
  for (const store::Event& event : picture.events) history.push_back(api::to_json(event));
  fmt::print("{}\n", boost::json::serialize(object));
  return {};
}

Result<void> show_snapshot(const std::string& reference, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const std::string snapshot, site->job_definition(reference));
  fmt::print("{}\n", snapshot);
  return {};
}

Result<void> show_progress(const std::string& reference, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const boost::json::object progress, site->job_progress(reference));
  if (common.output != Output::text) {
    fmt::print("{}\n", boost::json::serialize(progress));
    return {};
  }
  const auto print = [](const auto& object) {
    for (const auto& [name, value] : object)
      if (!value.is_object() && !value.is_null())
        fmt::print("{:<22} {}\n", std::string_view(name),
                   value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value));
  };
  print(progress);
  print(progress.at("row_states").as_object());
  return {};
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

Result<void> act(JobAct what, const JobsCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  const std::optional<std::int64_t> revision = command.revision < 0 ? std::nullopt : std::optional(command.revision);
  LADE_ASSIGN(const store::JobRecord job,
              site->act({what, command.job, command.retry, command.force, revision, command.reason}));
  print_acted(job, common);
  return {};
}

Result<void> remove(const std::string& reference, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const store::JobRecord job, site->delete_job(reference));
  if (common.output != Output::text) {
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"job_id", job.uuid}, {"deleted", true}}));
  } else if (!common.quiet) {
    fmt::print("{}: deleted\n", job.slug);
  }
  return {};
}

int ended(const Result<void>& done, const CommonOptions& common) {
  return done ? int{kOk} : report(done.error(), common.output);
}

// A command about one job.
CLI::App* add_job_command(CLI::App& app, const char* name, const char* description, const Words& words,
                          CommonOptions& common) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("JOB", words->job, "id, UUID or slug of the job")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  return command;
}

CLI::App* add_act(CLI::App& app, const char* name, const char* description, JobAct what, const Words& words,
                  CommonOptions& common, Action& action) {
  CLI::App* command = add_job_command(app, name, description, words, common);
  command->callback([words, what, &common, &action] {
    action = [words, what, &common] { return ended(act(what, *words, common), common); };
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
  add_server_options(command, common);
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
  add_act(app, "pause", "Begin no further work on a job; what is running goes on", JobAct::pause, words, common,
          action);
  add_act(app, "resume", "Go on with a paused job", JobAct::resume, words, common, action);
  add_act(app, "cancel", "End a job; rows that are in stay in", JobAct::cancel, words, common, action);
  CLI::App* command = add_act(app, "retry", "Do again what failed of a failed or cancelled job, and only that",
                              JobAct::retry, words, common, action);
  command->add_option("--max-errors", words->retry.limits.max_errors,
                      "allow so many failed rows this time: a count such as 5, or a share such as 5%");
  command->add_option("--fail-when", words->retry.limits.fail_when,
                      "when failed rows fail the job this time: never, any_failed, all_failed");
  command->add_flag("--overwrite", words->retry.overwrite,
                    "also rows that later imports have written meanwhile; otherwise they stay as they are");
  command = add_act(app, "clone", "Start a new job with the file, definition and options of another", JobAct::clone,
                    words, common, action);
  command->add_flag("--force", words->force, "also while a job that does the same is live");
}

void add_review_commands(CLI::App& app, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* command =
      add_act(app, "approve", "Load a job that waits for review", JobAct::approve, words, common, action);
  words->revision = -1;
  command->add_option("--revision", words->revision, "only if this is still the newest revision")
      ->check(CLI::NonNegativeNumber);
  command->footer("Example: lade jobs --status waiting_for_review; lade rows prices-7; lade approve prices-7");
  command = add_act(app, "reject", "End a job that waits for review; the target stays as it is", JobAct::reject, words,
                    common, action);
  command->add_option("--reason", words->reason, "why, in one line: whoever sent the file reads it");
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
  command->add_flag("--snapshot", words->snapshot, "only the definition that it runs by, in its parts, as JSON");
  command->callback([words, &common, &action] {
    action = [words, &common] {
      return ended(words->snapshot ? show_snapshot(words->job, common) : show(words->job, common), common);
    };
  });
  command = add_job_command(*sub, "progress", "How far a job has come: rows of both phases, counts by row state", words,
                            common);
  command->callback([words, &common, &action] {
    action = [words, &common] { return ended(show_progress(words->job, common), common); };
  });
  command = add_job_command(*sub, "watch", "Follow a job until it is finished or waits for review", words, common);
  command->footer(
      "The exit code is that of an import: 0 all rows in, 2 some failed, 3 failed, 5 cancelled, 7 in review.");
  command->callback([words, &common, &action] { action = [words, &common] { return watch_job(words->job, common); }; });
  add_acts(*sub, words, common, action);
  command = add_job_command(*sub, "delete", "Forget a finished job; rows that it loaded stay", words, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(remove(words->job, common), common); }; });
  add_review_commands(app, words, common, action);
}

}  // namespace lade::cli
