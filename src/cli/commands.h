#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "cli/terminal.h"
#include "db/connection.h"

namespace lade::cli {

// What several commands take.
struct CommonOptions {
  std::string database;            // --database, LADE_DATABASE; default: a SQLite file in the data folder
  std::string data = "lade-data";  // --data, LADE_DATA
  std::string storage;             // --storage, LADE_STORAGE: s3://…; empty: a folder in the data folder
  Output output = Output::text;
  bool quiet = false;
  std::string settings;  // --settings, LADE_SETTINGS: a file of named settings
  // --harvest-allow, --harvest-ports, --harvest-ignore-robots: what may be fetched, over the settings of these names.
  std::vector<std::string> harvest_allow, harvest_ports;
  bool harvest_ignore_robots = false;
  std::string handlers;  // --handlers: the file of row handlers, over the setting HANDLERS_FILE
  std::string redis;     // --redis: where progress is mirrored, over the setting REDIS_URL

  std::string server;      // --server; empty: none
  std::string token;       // --token
  std::string token_file;  // --token-file
  std::string ca_file;     // --ca-file, LADE_CA_FILE

  // The database to use: the one that was named, or a file in the data folder.
  std::string database_url() const;
};

// Each adds its command to the program; the chosen one puts what is to be done into `action`.
using Action = std::function<int()>;
void add_import_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_results_command(CLI::App& app, CommonOptions& common, Action& action);
void add_worker_command(CLI::App& app, CommonOptions& common, Action& action);
void add_serve_command(CLI::App& app, CommonOptions& common, Action& action);
void add_sniff_command(CLI::App& app, CommonOptions& common, Action& action);
void add_match_command(CLI::App& app, CommonOptions& common, Action& action);
void add_definition_commands(CLI::App& app, CommonOptions& common, Action& action);
// Below `lade definitions`.
void add_definition_part_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_infer_command(CLI::App& definitions, CommonOptions& common, Action& action);
void add_pack_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_job_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_undo_command(CLI::App& app, CommonOptions& common, Action& action);
void add_batch_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_version_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_fix_command(CLI::App& app, CommonOptions& common, Action& action);
void add_lineage_command(CLI::App& app, CommonOptions& common, Action& action);
void add_decision_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_rows_command(CLI::App& app, CommonOptions& common, Action& action);
// Below `lade rows`.
void add_review_row_commands(CLI::App& rows, CommonOptions& common, Action& action);
void add_diff_command(CLI::App& app, CommonOptions& common, Action& action);
void add_queue_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_company_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_user_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_token_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_audit_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_admin_commands(CLI::App& app, CommonOptions& common, Action& action);
void add_handler_command(CLI::App& app, CommonOptions& common, Action& action);

// A session that may write; makes the data folder and the SQLite file when they are missing.
Result<std::unique_ptr<db::Connection>> open_or_create(const CommonOptions& common);
// A session with lade's own tables that changes nothing; null when the database has none of them.
Result<std::unique_ptr<db::Connection>> open_store_to_read(const CommonOptions& common);
// The definition with what its steps add to it on this database; one without steps as it is.
Result<definition::Definition> expanded_here(const definition::Definition& definition, const CommonOptions& common);
// A session with lade's own tables as this program has them; null when the database has none of them. Fails with
// schema_outdated when some are missing.
Result<std::unique_ptr<db::Connection>> open_current_store(const CommonOptions& common, db::Access access);

// Who runs the program, and where.
std::string current_user();
std::string host_name();

// --database, --data and --storage; the second adds --output and --quiet.
void add_place_options(CLI::App& command, CommonOptions& common);
void add_database_options(CLI::App& command, CommonOptions& common);
// --server and what goes with it, for commands that a server can carry out.
void add_server_options(CLI::App& command, CommonOptions& common);
// How the file is read, over what the definition says: --sheet, --encoding … and --source KEY=VALUE, collected in
// `source` as JSON.
void add_source_options(CLI::App& command, std::string& source);
// --settings and --handlers.
void add_settings_option(CLI::App& command, CommonOptions& common);
// --redis, for commands that work on jobs.
void add_redis_option(CLI::App& command, CommonOptions& common);

// The whole of a small text file.
Result<std::string> read_all(const std::string& path);

}  // namespace lade::cli
