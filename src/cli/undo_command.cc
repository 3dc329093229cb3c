#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <memory>

#include "api/views.h"
#include "cli/commands.h"
#include "cli/job_view.h"
#include "cli/settings.h"
#include "cli/site.h"
#include "cli/stop_on_signal.h"
#include "cli/watch.h"
#include "jobs/run_undo.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct UndoCommand {
  std::string job;
  bool preview = false;
  bool async = false;
  jobs::ImportOptions options;
};

void print_preview(const json::object& preview) {
  const auto line = [&](const char* name, const char* what) {
    const auto count = preview.at(name).to_number<std::int64_t>();
    if (count > 0) fmt::print("  {:<12} {:>12}  {}\n", name, grouped(count), what);
  };
  line("restored", "changed by the job: as they were before");
  line("removed", "new with the job");
  line("put_back", "deleted by the job");
  line("left", "changed since by others: they stay as they are");
  if (const json::value& version = preview.at("version"); version.is_object()) {
    const auto name = [&](const char* which) {
      const json::value& id = version.at(which);
      return id.is_null() ? std::string("none") : json::serialize(id);
    };
    fmt::print("  readers see version {} instead of {}\n", name("to"), name("from"));
  }
  for (const json::value& row : preview.at("examples").as_array()) {
    const json::value& key = row.at("key");
    fmt::print("    {}{}\n", std::string_view(row.at("message").as_string()),
               key.is_string() ? fmt::format(" [{}]", std::string_view(key.as_string())) : "");
  }
}

int show_preview(const UndoCommand& command, Site& site, const CommonOptions& common) {
  const auto preview = site.preview_undo(command.job);
  if (!preview) return report(preview.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(*preview));
  } else {
    fmt::print("{}\n", bold(fmt::format("undoing {} would do this:", command.job), STDOUT_FILENO));
    print_preview(*preview);
  }
  return kOk;
}

void print_undone(const store::JobRecord& undo) {
  using model::Outcome;
  fmt::print("{} {}, which undoes {}\n", bold(undo.slug, STDOUT_FILENO), undo.status(), undo.undoes);
  const auto line = [](const char* name, std::int64_t count, const char* what) {
    if (count > 0) fmt::print("  {:<12} {:>12}  {}\n", name, grouped(count), what);
  };
  line("restored", undo.rows[Outcome::updated], "");
  line("removed", undo.rows[Outcome::deleted], "");
  line("put back", undo.rows[Outcome::inserted], "");
  line("left", undo.rows[Outcome::skipped], "they stay as they are");
  line("unprocessed", undo.rows[Outcome::unprocessed], "");
  if (undo.rows[Outcome::skipped] > 0) fmt::print("  lade rows {} --state skipped lists them\n", undo.slug);
  if (!undo.error.empty()) fmt::print("  {}: {}\n", undo.error_code, undo.error);
}

int end(const Result<store::JobRecord>& undo, const CommonOptions& common) {
  if (!undo) return report(undo.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(api::to_json(*undo)));
  } else if (!common.quiet || undo->standing.outcome != model::JobOutcome::succeeded) {
    print_undone(*undo);
  }
  return exit_code(*undo);
}

int undo_here(UndoCommand& command, const CommonOptions& common) {
  command.options.database = db::limited_to(db::Access::write, common.database_url());
  if (auto set = set_place(common, command.options); !set) return report(set.error(), common.output);
  command.options.user = current_user();
  StopOnSignal stop;
  jobs::Progress progress;
  const auto undo = [&] {
    ProgressLine line(progress, common.output, common.quiet);
    return jobs::run_undo(command.job, command.options, progress, stop.token());
  }();
  return end(undo, common);
}

// The server's or other processes' workers do it.
int undo_there(const UndoCommand& command, Site& site, const CommonOptions& common) {
  const auto undo = site.act({JobAct::undo, command.job});
  if (!undo || command.async) return end(undo, common);
  return watch_job(undo->uuid, common);
}

int run(UndoCommand& command, const CommonOptions& common) {
  const auto server = server_of(common);
  if (!server) return report(server.error(), common.output);
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  if (command.preview) return show_preview(command, **site, common);
  // People see first what they are about to do; Ctrl-C stops it between two buckets.
  if (common.output == Output::text && !common.quiet && isatty(STDOUT_FILENO) != 0)
    if (const int code = show_preview(command, **site, common); code != kOk) return code;
  return server->empty() && !command.async ? undo_here(command, common) : undo_there(command, **site, common);
}

}  // namespace

void add_undo_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<UndoCommand>();
  CLI::App* sub = app.add_subcommand("undo", "Take back what a job has loaded; rows changed since by others stay");
  sub->add_option("JOB", command->job, "id, UUID or slug of the job")->required();
  sub->add_flag("--preview", command->preview, "only show what would be done");
  sub->add_flag("--async", command->async, "queue it for lade worker or lade serve and print the job");
  sub->add_option("--workers", command->options.workers, "threads and connections (default: one per core)");
  add_database_options(*sub, common);
  add_server_options(*sub, common);
  sub->footer(
      "An undo is a job: lade jobs shows it, and lade undo takes it back too.\n"
      "Examples:\n"
      "  lade undo prices-7 --preview\n"
      "  lade undo prices-7");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
