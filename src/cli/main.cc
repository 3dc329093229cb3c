#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/usage.h"

int main(int argc, char** argv) {
  using namespace lade::cli;
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{"lade loads other people's files into your database, and keeps the bill of lading."};
  app.set_version_flag("--version", "lade " LADE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all rows in, 1 usage, 2 finished with failed rows, 3 failed, 4 invalid, 5 cancelled, 6 cannot "
      "connect, 7 waiting for review, 8 the same job is live.\n"
      "Documentation: docs/ in the source tree; every error code is explained in docs/errors.md.");
  app.name("lade");
  app.failure_message(describe_usage_fault);
  CommonOptions common;
  Action action;
  add_import_commands(app, common, action);
  add_serve_command(app, common, action);
  add_worker_command(app, common, action);
  add_results_command(app, common, action);
  add_sniff_command(app, common, action);
  add_match_command(app, common, action);
  add_definition_commands(app, common, action);
  add_pack_commands(app, common, action);
  add_job_commands(app, common, action);
  add_undo_command(app, common, action);
  add_batch_commands(app, common, action);
  add_version_commands(app, common, action);
  add_rows_command(app, common, action);
  add_diff_command(app, common, action);
  add_fix_command(app, common, action);
  add_lineage_command(app, common, action);
  add_decision_commands(app, common, action);
  add_queue_commands(app, common, action);
  add_company_commands(app, common, action);
  add_user_commands(app, common, action);
  add_token_commands(app, common, action);
  add_audit_commands(app, common, action);
  add_admin_commands(app, common, action);
  add_handler_command(app, common, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kOk : kUsage;
  }
  return action();
}
