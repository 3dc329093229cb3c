#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/remote_import.h"
#include "cli/settings.h"
#include "cli/site.h"
#include "cli/stop_on_signal.h"
#include "jobs/run_fix.h"

// Failed rows that are corrected and sent again: lade fix.
namespace lade::cli {
namespace {

struct FixCommand {
  jobs::FixDemand demand;
  std::int64_t row = 0;
  std::vector<std::string> cells;  // Column=text
  jobs::ImportOptions options;
};

// The row and its cells, unless there is a file.
Result<void> read_row(FixCommand& command) {
  const bool by_row = command.row > 0;
  if (by_row == !command.demand.file.empty() || by_row == command.cells.empty())
    return fail("option_invalid", "either a file is given, or --row with --set", "lade fix JOB failed.csv",
                ErrorKind::usage);
  if (!by_row) return {};
  jobs::Fix fix{command.row, {}};
  for (const std::string& cell : command.cells) {
    const auto equals = cell.find('=');
    if (equals == std::string::npos)
      return fail("option_invalid", fmt::format("--set '{}' names no text", cell), "--set \"Column=text\"",
                  ErrorKind::usage);
    fix.cells[cell.substr(0, equals)] = cell.substr(equals + 1);
  }
  command.demand.rows.push_back(std::move(fix));
  return {};
}

Result<jobs::Summary> fix_here(FixCommand& command, const CommonOptions& common, const std::stop_token& stop) {
  command.options.database = db::limited_to(db::Access::write, common.database_url());
  command.options.user = current_user();
  LADE_ASSIGN(const NamedSettings named, named_settings(common));
  LADE_TRY(apply(named, command.options));
  LADE_TRY(set_place(common, command.options));
  jobs::Progress progress;
  ProgressLine line(progress, common.output, common.quiet);
  return jobs::run_fix(command.demand, command.options, progress, stop);
}

Result<jobs::Summary> fix_there(const FixCommand& command, const std::string& server, const CommonOptions& common,
                                const std::stop_token& stop) {
  LADE_ASSIGN(const auto importer, RemoteImporter::open(server, command.options, common, stop));
  return importer->fix(command.demand);
}

int run(FixCommand& command, const CommonOptions& common) {
  command.options.data = common.data;
  StopOnSignal stop;
  const auto summary = [&]() -> Result<jobs::Summary> {
    LADE_TRY(read_row(command));
    LADE_ASSIGN(const std::string server, server_of(common));
    return server.empty() ? fix_here(command, common, stop.token()) : fix_there(command, server, common, stop.token());
  }();
  if (!summary) return report(summary.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", jobs::to_json(*summary));
  } else if (!common.quiet || summary->outcome != "succeeded") {
    print_summary(*summary);
  }
  return jobs::exit_code(*summary);
}

}  // namespace

void add_fix_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<FixCommand>();
  CLI::App* sub = app.add_subcommand("fix", "Correct failed rows of a job that has ended, and load only those");
  sub->add_option("JOB", command->demand.job, "id, UUID or slug of the job")->required();
  sub->add_option("FILE", command->demand.file,
                  "its failed file with rows corrected; rows that are left out stay failed");
  sub->add_option("--row", command->row, "instead of a file: one row, by its number as lade rows lists it")
      ->check(CLI::PositiveNumber);
  sub->add_option("--set", command->cells, "the text of a cell of that row: \"Column=text\"; repeatable")
      ->type_name("CELL");
  sub->add_option("--results-dir", command->options.results_folder, "folder for its new result files");
  add_database_options(*sub, common);
  add_settings_option(*sub, common);
  add_server_options(*sub, common);
  sub->footer(
      "Examples:\n"
      "  lade fix prices-7 failed.csv\n"
      "  lade fix prices-7 --row 12 --set \"Price=12.50\"");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
