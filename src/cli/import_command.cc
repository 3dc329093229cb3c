#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/usage.h"
#include "definition/parse.h"
#include "jobs/import.h"

namespace lade::cli {
namespace {

struct ImportCommand {
  std::string file;
  std::string definition;
  jobs::ImportOptions options;
};

std::string user_name() {
  const passwd* entry = getpwuid(getuid());
  return entry == nullptr ? std::to_string(getuid()) : entry->pw_name;
}

// Turns the first SIGINT or SIGTERM into a stop request; a second one ends the process at once. Signals are taken by a
// thread of its own, so nothing of the program ever runs inside a handler.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, kOver}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::jthread([this] {
      for (int signal = 0; sigwait(&signals_, &signal) == 0 && signal != kOver;)
        if (!stop_.request_stop()) std::_Exit(kCancelled);
    });
  }
  ~StopOnSignal() { pthread_kill(waiter_.native_handle(), kOver); }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() { return stop_.get_token(); }

 private:
  static constexpr int kOver = SIGUSR2;
  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread waiter_;
};

int run(ImportCommand& command, const CommonOptions& common) {
  auto text = find_definition_text(command.definition, common);
  if (!text) return report(text.error(), common.output);
  const definition::Parsed parsed = definition::parse_definition(text->text);
  if (!parsed.valid())
    return report({"definition_invalid", definition::describe(parsed.faults, text->name),
                   "lade definitions validate shows the same", ErrorKind::invalid},
                  common.output);
  // A file that does not exist has no target tables either: it is refused rather than made.
  const db::Access access = command.options.dry_run ? db::Access::read : db::Access::write;
  command.options.database = db::limited_to(access, common.database_url());
  command.options.data = common.data;
  command.options.user = user_name();
  jobs::Progress progress;
  StopOnSignal stop;
  auto summary = [&] {
    ProgressLine line(progress, common.output, common.quiet);
    return jobs::run_import(command.file, parsed.definition, text->text, command.options, progress, stop.token());
  }();
  if (!summary) return report(summary.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", jobs::to_json(*summary));
  } else if (!common.quiet || summary->outcome != "succeeded") {
    print_summary(*summary);
  }
  return jobs::exit_code(*summary);
}

void add_tuning(CLI::App& app, jobs::ImportOptions& options) {
  // For tests and measurements; the defaults are meant to be right.
  app.add_option("--block-bytes", options.block_bytes)->group("");
  app.add_option("--batch-rows", options.batch_rows)->group("");
  app.add_option("--chunk-bytes", options.chunk_bytes)->group("");
  app.add_option("--bucket-bytes", options.bucket_bytes)->group("");
  app.add_option("--staging-memory", options.staging_memory)->group("");
  app.add_option("--lookup-rows", options.lookup_rows)->group("");
}

void add_command(CLI::App& app, const char* name, const char* description, bool dry_run, CommonOptions& common,
                 Action& action) {
  auto command = std::make_shared<ImportCommand>();
  command->options.dry_run = dry_run;
  CLI::App* sub = app.add_subcommand(name, description);
  sub->add_option("FILE", command->file, "the file to load; - reads standard input, .gz is inflated")->required();
  sub->add_option("-d,--definition", command->definition,
                  "a definition: the path of a YAML file, or the slug of a stored one")
      ->required();
  add_database_options(*sub, common);
  using jobs::Results;
  sub->add_option("--results", command->options.results, "result files to write: failed, all or none (default: failed)")
      ->transform(one_of({{"failed", static_cast<int>(Results::failed)},
                          {"all", static_cast<int>(Results::all)},
                          {"none", static_cast<int>(Results::none)}}))
      ->type_name("WHICH");
  sub->add_option("--results-dir", command->options.results_folder, "folder for them (default: DATA/imports/JOB)");
  sub->add_option("--issues", command->options.issues_file, "write every issue to this file, one JSON object a line");
  sub->add_option("--workers", command->options.workers, "threads and connections (default: one per core)");
  sub->add_option("--max-bytes", command->options.max_bytes, "largest file accepted, after inflating")
      ->capture_default_str();
  add_tuning(*sub, command->options);
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace

void add_import_commands(CLI::App& app, CommonOptions& common, Action& action) {
  add_command(app, "import", "Load a file into the database by a definition", false, common, action);
  add_command(app, "plan", "Dry run: what import would do, by the same code, with nothing written", true, common,
              action);
}

}  // namespace lade::cli
