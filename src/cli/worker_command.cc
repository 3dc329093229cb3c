#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/settings.h"
#include "cli/stop_on_signal.h"
#include "jobs/work.h"

namespace lade::cli {
namespace {

struct WorkerCommand {
  unsigned workers = 0;
  bool until_idle = false;
  std::string queue;
};

int run(const WorkerCommand& command, const CommonOptions& common) {
  const auto named = named_settings(common);
  if (!named) return report(named.error(), common.output);
  auto settings = queue::read_settings(*named);
  if (!settings) return report(settings.error(), common.output);
  if (command.workers != 0) settings->concurrency = command.workers;
  jobs::WorkOptions options;
  options.here.database = common.database_url();
  if (auto set = set_place(common, options.here); !set) return report(set.error(), common.output);
  options.settings = *settings;
  options.name = fmt::format("{} ({})", host_name(), getpid());
  options.queue = command.queue;
  options.until_idle = command.until_idle;
  const bool quiet = common.quiet;
  options.say = [quiet](std::string_view text) {
    if (!quiet) fmt::print(stderr, "{}\n", text);
  };
  options.report = [](const Error& error) { fmt::print(stderr, "{}: {}\n", error.code, error.message); };
  if (auto applied = apply(*named, options.here); !applied) return report(applied.error(), common.output);
  if (auto set = set_mirror(*named, options.here); !set) return report(set.error(), common.output);
  if (options.here.mirror) options.here.mirror->say = options.say;
  if (auto applied = apply(*named, options.deliveries); !applied) return report(applied.error(), common.output);
  options.here.workers = static_cast<unsigned>(settings->concurrency);
  if (auto valid = options.here.validate(); !valid) return report(valid.error(), common.output);
  StopOnSignal stop;
  auto worked = jobs::work_on_jobs(options, stop.token());
  if (!worked && worked.error().kind != ErrorKind::cancelled) return report(worked.error(), common.output);
  return kOk;
}

}  // namespace

void add_worker_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<WorkerCommand>();
  CLI::App* sub = app.add_subcommand("worker", "Work on queued jobs until it is stopped");
  add_database_options(*sub, common);
  add_settings_option(*sub, common);
  add_redis_option(*sub, common);
  sub->add_option("--workers", command->workers, "threads (default: QUEUE_CONCURRENCY, or 4)");
  sub->add_option(
      "--queue", command->queue,
      "only tasks of this queue, which definitions name (default: of all; 'default' also has the webhooks)");
  sub->add_flag("--until-idle", command->until_idle, "end when no task is left");
  sub->footer(
      "SIGINT and SIGTERM stop it: running tasks are given back. Settings are read from the environment by the names "
      "in "
      "docs/settings.md.\n"
      "Example: lade import prices.csv -d prices --async && lade worker --until-idle");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
