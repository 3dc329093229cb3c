#include <fmt/format.h>

#include <boost/json.hpp>
#include <functional>
#include <memory>

#include "cli/remote_import.h"
#include "cli/settings.h"
#include "cli/site.h"
#include "cli/stop_on_signal.h"
#include "cli/usage.h"
#include "definition/parse.h"
#include "jobs/batches.h"
#include "jobs/expand.h"
#include "jobs/import.h"

namespace lade::cli {
namespace {

struct ImportCommand {
  bool async = false;
  std::vector<std::string> files;
  std::string definition;
  jobs::ImportOptions options;
  const CLI::Option* issues = nullptr;
  const CLI::Option* workers = nullptr;
  const CLI::Option* batch_rows = nullptr;
  const CLI::Option* chunk_bytes = nullptr;
  const CLI::Option* bucket_bytes = nullptr;
};

boost::json::object object_of(const std::string& file, const Result<jobs::SubmittedJob>& job) {
  if (job) return {{"file", file}, {"job_id", job->uuid}, {"job", job->slug}, {"status", job->status}};
  const Error& error = job.error();
  return {{"file", file}, {"error", {{"code", error.code}, {"message", error.message}, {"hint", error.hint}}}};
}

void print_submitted(const Result<jobs::SubmittedJob>& job, const CommonOptions& common) {
  if (!job) {
    report(job.error(), Output::text);
    return;
  }
  fmt::print("{}\n", job->uuid);
  if (!common.quiet)
    fmt::print(stderr, "{} as {}: lade worker works on it, lade jobs watch {} shows it\n", job->status, job->slug,
               job->slug);
}

// One job for each file. A file that is refused does not keep the others back; the exit code is that of the first one.
using Submit = std::function<Result<jobs::SubmittedJob>(const std::string& file)>;
int submit_all(const ImportCommand& command, const Submit& submit, const CommonOptions& common,
               const std::stop_token& stop) {
  int code = kOk;
  const bool as_list = common.output == Output::json && command.files.size() > 1;
  boost::json::array list;
  for (const std::string& file : command.files) {
    const auto job = submit(file);
    if (!job && code == kOk) code = exit_code(job.error().kind);
    if (common.output == Output::text) {
      print_submitted(job, common);
    } else if (as_list) {
      list.push_back(object_of(file, job));
    } else {
      fmt::print("{}\n", boost::json::serialize(object_of(file, job)));
    }
    if (stop.stop_requested()) break;
  }
  if (as_list) fmt::print("{}\n", boost::json::serialize(boost::json::object{{"jobs", std::move(list)}}));
  return code;
}

// Request over flag over environment over file: only what the command line leaves open is taken from settings.
Result<void> apply_settings(ImportCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const NamedSettings named, named_settings(common));
  jobs::ImportOptions settings = command.options;
  LADE_TRY(apply(named, settings));
  command.options.handlers = settings.handlers;
  command.options.harvest = settings.harvest;
  if (!command.options.dry_run) LADE_TRY(set_mirror(named, command.options));
  if (command.options.mirror && !common.quiet)
    command.options.mirror->say = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  command.options.store_results = settings.store_results;
  command.options.result_bom = settings.result_bom;
  command.options.results_path = settings.results_path;
  if (command.workers->empty()) command.options.workers = settings.workers;
  if (command.batch_rows->empty()) command.options.batch_rows = settings.batch_rows;
  if (command.chunk_bytes->empty()) command.options.chunk_bytes = settings.chunk_bytes;
  if (command.bucket_bytes->empty()) command.options.bucket_bytes = settings.bucket_bytes;
  return {};
}

int conclude(const Result<jobs::Summary>& summary, const CommonOptions& common) {
  if (!summary) return report(summary.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", jobs::to_json(*summary));
  } else if (!common.quiet || summary->outcome != "succeeded") {
    print_summary(*summary);
  }
  return jobs::exit_code(*summary);
}

int import_here(ImportCommand& command, const CommonOptions& common) {
  const auto site = open_local_site(common);
  auto text = find_definition_text(command.definition, *site);
  if (!text) return report(text.error(), common.output);
  const definition::Parsed parsed = jobs::read_definition(text->text);
  if (!parsed.valid()) return report(definition_faults(parsed, text->name), common.output);
  // A file that does not exist has no target tables either: it is refused rather than made.
  const db::Access access = command.options.dry_run ? db::Access::read : db::Access::write;
  command.options.database = db::limited_to(access, common.database_url());
  if (auto applied = apply_settings(command, common); !applied) return report(applied.error(), common.output);
  if (auto set = set_place(common, command.options); !set) return report(set.error(), common.output);
  command.options.user = current_user();
  StopOnSignal stop;
  const auto submit = [&](const std::string& file) {
    return jobs::submit_import(file, parsed.definition, text->text, command.options, stop.token());
  };
  if (command.async) return submit_all(command, submit, common, stop.token());
  jobs::Progress progress;
  const auto summary = [&] {
    ProgressLine line(progress, common.output, common.quiet);
    return jobs::run_import(command.files.front(), parsed.definition, text->text, command.options, progress,
                            stop.token());
  }();
  return conclude(summary, common);
}

// What a server decides for itself, or does not tell.
Result<void> check_for_server(const ImportCommand& command) {
  for (const auto& [option, hint] :
       {std::pair(command.workers, "the server has its own workers"),
        std::pair(command.issues, "lade rows JOB --output ndjson has the failed rows with their issues")})
    if (option->count() > 0)
      return fail("option_invalid", fmt::format("{} is not for imports by a server", option->get_name()), hint,
                  ErrorKind::usage);
  return {};
}

int import_there(const ImportCommand& command, const std::string& server, const CommonOptions& common) {
  if (const auto checked = check_for_server(command); !checked) return report(checked.error(), common.output);
  StopOnSignal stop;
  auto importer = RemoteImporter::open(server, command.definition, command.options, common, stop.token());
  if (!importer) return report(importer.error(), common.output);
  const auto submit = [&](const std::string& file) { return (*importer)->submit(file); };
  if (command.async) return submit_all(command, submit, common, stop.token());
  return conclude((*importer)->run(command.files.front()), common);
}

int run(ImportCommand& command, const CommonOptions& common) {
  if (command.files.size() > 1 && !command.async)
    return report(
        {"option_invalid", fmt::format("{} files are given, and one is imported at a time", command.files.size()),
         "with --async they become jobs for lade worker", ErrorKind::usage},
        common.output);
  command.options.data = common.data;
  if (command.options.dry_run) return import_here(command, common);
  const auto server = server_of(common);
  if (!server) return report(server.error(), common.output);
  return server->empty() ? import_here(command, common) : import_there(command, *server, common);
}

// For tests and measurements; the defaults are meant to be right.
void add_tuning(CLI::App& app, ImportCommand& command) {
  jobs::ImportOptions& options = command.options;
  app.add_option("--block-bytes", options.block_bytes)->group("");
  command.batch_rows = app.add_option("--batch-rows", options.batch_rows)->group("");
  command.chunk_bytes = app.add_option("--chunk-bytes", options.chunk_bytes)->group("");
  command.bucket_bytes = app.add_option("--bucket-bytes", options.bucket_bytes)->group("");
  app.add_option("--staging-memory", options.staging_memory)->group("");
  app.add_option("--lookup-rows", options.lookup_rows)->group("");
}

// What only an import that makes a job takes.
void add_job_options(CLI::App& app, ImportCommand& command, CLI::Option& files, CommonOptions& common) {
  files.description(files.get_description() + "; several with --async");
  add_server_options(app, common);
  add_redis_option(app, common);
  CLI::Option* async =
      app.add_flag("--async", command.async, "store the file, queue the job for lade worker and print its id");
  app.add_option("--batch", command.options.batch, "put the job into the batch of this name (see lade batches)")
      ->needs(async)
      ->check([](const std::string& name) -> std::string {
        const auto checked = jobs::check_batch_name(name);
        return checked ? "" : fmt::format("{}: {}", checked.error().code, checked.error().message);
      });
  app.add_flag("--force", command.options.force, "also when a job that does the same has not ended yet");
  app.footer(
      "Examples:\n"
      "  lade import prices.csv -d prices.yaml\n"
      "  lade import monday/*.csv -d prices --async --batch monday");
}

// What is wrong with options for result files; empty: nothing.
std::string checked(const jobs::ImportOptions& options) {
  const auto valid = options.validate_results();
  return valid ? "" : fmt::format("{}: {}", valid.error().message, valid.error().hint);
}

void add_command(CLI::App& app, const char* name, const char* description, bool dry_run, CommonOptions& common,
                 Action& action) {
  auto command = std::make_shared<ImportCommand>();
  command->options.dry_run = dry_run;
  CLI::App* sub = app.add_subcommand(name, description);
  CLI::Option* files = sub->add_option("FILE", command->files,
                                       "the file to load; - reads standard input; CSV or XLSX, also as gz, zst or zip")
                           ->required();
  sub->add_option("-d,--definition", command->definition,
                  "a definition: the path of a YAML file, or the slug of a stored one")
      ->required();
  add_database_options(*sub, common);
  add_settings_option(*sub, common);
  add_source_options(*sub, command->options.source);
  sub->add_option("--time-context", command->options.time_context_ident,
                  "for which time the rows hold: ident of a row of the table time_context");
  sub->add_option("--valid-from", command->options.default_valid_from, "or their first day, 2024-01-01");
  sub->add_option("--valid-to", command->options.default_valid_to, "and their last day, 2024-12-31 or infinity");
  using jobs::Results;
  sub->add_option("--results", command->options.results,
                  "result files to store and bring: failed, all or none (default: failed)")
      ->transform(one_of({{"failed", static_cast<int>(Results::failed)},
                          {"all", static_cast<int>(Results::all)},
                          {"none", static_cast<int>(Results::none)}}))
      ->type_name("WHICH");
  sub->add_option("--results-dir", command->options.results_folder, "folder for them (default: DATA/imports/JOB)");
  sub->add_option("--results-format", command->options.output_format, "csv or xlsx (default: that of the file)")
      ->check([](const std::string& format) { return checked({.output_format = format}); })
      ->type_name("FORMAT");
  sub->add_option("--results-prefix", command->options.result_file_prefix, "of their names: letters, digits, - _ .")
      ->check([](const std::string& prefix) { return checked({.result_file_prefix = prefix}); })
      ->type_name("NAME");
  command->issues = sub->add_option("--issues", command->options.issues_file,
                                    "write every issue to this file, one JSON object a line");
  if (dry_run) {
    files->expected(1);
    command->options.first_changes = 20;
    sub->add_option("--diff", command->options.first_changes, "show so many changes, cell by cell")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--diff-file", command->options.diff_file,
                    "write all changes to this file, one JSON object a line");
  } else {
    add_job_options(*sub, *command, *files, common);
  }
  command->workers =
      sub->add_option("--workers", command->options.workers, "threads and connections (default: one per core)");
  sub->add_option("--max-bytes", command->options.max_bytes, "largest file accepted, after inflating")
      ->capture_default_str();
  add_tuning(*sub, *command);
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace

void add_import_commands(CLI::App& app, CommonOptions& common, Action& action) {
  add_command(app, "import", "Load a file into the database by a definition", false, common, action);
  add_command(app, "plan", "Dry run: what import would do, by the same code, with nothing written", true, common,
              action);
}

}  // namespace lade::cli
