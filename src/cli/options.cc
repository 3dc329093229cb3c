#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include "store/schema.h"

namespace lade::cli {
namespace json = boost::json;

Result<std::string> read_all(const std::string& path) {
  LADE_ASSIGN(File file, File::open(path));
  std::string text;
  std::string block(64 * 1024, '\0');
  for (;;) {
    LADE_ASSIGN(const std::size_t count, file.read(block));
    if (count == 0) return text;
    text.append(block, 0, count);
    if (text.size() > 1024 * 1024)
      return fail("definition_too_large", fmt::format("{}: more than 1 MiB", path),
                  "is this really a definition, or a file of settings?", ErrorKind::invalid);
  }
}

std::string CommonOptions::database_url() const {
  return database.empty() ? "sqlite:" + (std::filesystem::path(data) / "lade.db").string() : database;
}

Result<std::unique_ptr<db::Connection>> open_or_create(const CommonOptions& common) {
  std::error_code error;
  if (common.database.empty()) std::filesystem::create_directories(common.data, error);
  if (error)
    return fail("data_folder", fmt::format("{}: cannot create the folder: {}", common.data, error.message()),
                "name another one with --data", ErrorKind::invalid);
  return db::connect(common.database_url());
}

Result<std::unique_ptr<db::Connection>> open_store_to_read(const CommonOptions& common) {
  LADE_ASSIGN(auto connection, db::connect(db::limited_to(db::Access::read, common.database_url())));
  LADE_ASSIGN(const db::SchemaState state, db::schema_state(*connection, store::migrations()));
  if (state.version == 0) connection.reset();
  return connection;
}

Result<std::unique_ptr<db::Connection>> open_current_store(const CommonOptions& common, db::Access access) {
  LADE_ASSIGN(auto connection, db::connect(db::limited_to(access, common.database_url())));
  LADE_ASSIGN(const db::SchemaState state, db::schema_state(*connection, store::migrations()));
  if (state.version == 0) return nullptr;
  if (!state.is_current())
    return fail("schema_outdated",
                fmt::format("{}: lade's tables have version {}, this program needs {}",
                            db::without_password(common.database_url()), state.version, state.known),
                "run lade migrate", ErrorKind::invalid);
  return connection;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string current_user() {
  const passwd* entry = getpwuid(getuid());
  return entry == nullptr ? std::to_string(getuid()) : entry->pw_name;
}

void add_place_options(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--database", common.database,
                  "sqlite:PATH or postgresql://… (default: a SQLite file in the data folder)")
      ->envname("LADE_DATABASE");
  if (const char* folder = std::getenv("IMPORT_DATA_DIR")) common.data = folder;
  command.add_option("--data", common.data, "folder for lade's files")->envname("LADE_DATA")->capture_default_str();
  command
      .add_option("--storage", common.storage,
                  "where files are stored: s3://BUCKET/PREFIX?endpoint=URL (default: a folder in the data folder)")
      ->envname("LADE_STORAGE");
}

void add_database_options(CLI::App& command, CommonOptions& common) {
  add_place_options(command, common);
  command.add_option("--output", common.output, "text, json or ndjson (default: text)")
      ->transform(one_of({{"text", static_cast<int>(Output::text)},
                          {"json", static_cast<int>(Output::json)},
                          {"ndjson", static_cast<int>(Output::ndjson)}}))
      ->type_name("FORMAT");
  command.add_flag("--quiet,-q", common.quiet, "no progress, no summary; errors and exit code only");
}

void add_server_options(CLI::App& command, CommonOptions& common) {
  command.add_option("--server", common.server,
                     "address of a lade server that does it, instead of a database: https://… (LADE_SERVER)");
  command.add_option("--token-file", common.token_file, "file with the server's API token");
  command.add_option("--token", common.token,
                     "the token itself, which other users of the machine can see (LADE_TOKEN)");
  command.add_option("--ca-file", common.ca_file, "certificates to trust instead of the system's (PEM)")
      ->envname("LADE_CA_FILE");
}

void add_source_options(CLI::App& command, std::string& source) {
  const auto set = [&source](std::string_view key, const std::string& value) {
    json::object object = source.empty() ? json::object() : json::parse(source).as_object();
    json::error_code error;
    json::value parsed = json::parse(value, error);
    // Numbers and lists as such; everything else is text.
    object[key] = !error && (parsed.is_int64() || parsed.is_array()) ? std::move(parsed) : json::value(value);
    source = json::serialize(object);
  };
  for (const auto& [option, key, description] :
       {std::tuple("--sheet", "sheet", "of a workbook: its name, or its place from 1 on"),
        std::tuple("--encoding", "encoding", "of a text file, e.g. windows-1252 (default: found out)"),
        std::tuple("--delimiter", "delimiter", "one character, or tab, comma, semicolon, pipe (default: found out)"),
        std::tuple("--header-row", "header_row", "line of the header; 0: there is none (default: found out)")})
    command
        .add_option_function<std::string>(
            option, [set, key](const std::string& value) { set(key, value); }, description)
        ->group("How the file is read");
  command
      .add_option_function<std::vector<std::string>>(
          "--source",
          [set](const std::vector<std::string>& pairs) {
            for (const std::string& pair : pairs) {
              const std::size_t equals = pair.find('=');
              if (equals == std::string::npos) throw CLI::ValidationError("--source", pair + ": KEY=VALUE is expected");
              set(pair.substr(0, equals), pair.substr(equals + 1));
            }
          },
          "any key of the definition's source section, e.g. skip_rows=2")
      ->type_name("KEY=VALUE")
      ->group("How the file is read");
}

void add_settings_option(CLI::App& command, CommonOptions& common) {
  command.add_option("--settings", common.settings, "file of NAME=VALUE settings (docs/settings.md)")
      ->envname("LADE_SETTINGS");
  command.add_option("--handlers", common.handlers, "file of row handlers (docs/handlers.md; HANDLERS_FILE)");
  command
      .add_option("--harvest-allow", common.harvest_allow,
                  "networks and hosts that pages may be fetched from besides the public internet (LADE_HARVEST_ALLOW)")
      ->delimiter(',');
  command
      .add_option("--harvest-ports", common.harvest_ports,
                  "ports that pages may be fetched from besides 80 and 443 (LADE_HARVEST_PORTS)")
      ->delimiter(',');
  command.add_flag("--harvest-ignore-robots", common.harvest_ignore_robots,
                   "definitions may say `robots: ignore` (LADE_HARVEST_IGNORE_ROBOTS)");
}

void add_redis_option(CLI::App& command, CommonOptions& common) {
  command.add_option("--redis", common.redis,
                     "Redis that shows how far jobs are: redis://HOST:PORT/DB or unix:PATH (REDIS_URL; password: "
                     "REDIS_PASSWORD)");
}

}  // namespace lade::cli
