#include <fmt/format.h>
#include <boost/json.hpp>

#include <filesystem>
#include <thread>

#include "base/file.h"
#include "cli/commands.h"
#include "store/schema.h"

namespace lade::cli {
namespace {

int migrate(const CommonOptions& common) {
  auto connection = open_or_create(common);
  if (!connection) return report(connection.error(), common.output);
  auto count = store::migrate(**connection);
  if (!count) return report(count.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"migrations_run", *count},
                                                                  {"version", store::migrations().back().version}}));
  } else {
    fmt::print("{}: schema version {} ({} migrations run)\n", db::without_password(common.database_url()),
               store::migrations().back().version, *count);
  }
  return kOk;
}

// One thing that doctor looks at.
struct Finding {
  std::string what;
  bool good;
  std::string detail;
};

// The data folder, or the nearest existing one above it, where it would be made.
Finding look_at_folder(const std::string& data) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool exists = fs::exists(data, error);
  fs::path folder = fs::absolute(data, error);
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  if (auto file = File::temporary(folder); !file) return {"data folder", false, file.error().message};
  const auto space = fs::space(folder, error);
  constexpr std::uintmax_t kEnoughBytes = 1'000'000'000;
  return {"data folder", !error && space.available > kEnoughBytes,
          fmt::format("{}: {}, {:.1f} GB free", data, exists ? "writable" : "does not exist yet, can be made",
                      static_cast<double>(space.available) / 1e9)};
}

void look_at_database(const std::string& url, std::vector<Finding>& findings) {
  auto connection = db::connect(db::limited_to(db::Access::read, url));
  if (!connection) {
    findings.push_back(
        {"database", false,
         connection.error().message + (connection.error().hint.empty() ? "" : "; " + connection.error().hint)});
    return;
  }
  const bool sqlite = (*connection)->backend() == db::Backend::sqlite;
  auto version = (*connection)->query(sqlite ? "SELECT sqlite_version()" : "SELECT current_setting('server_version')");
  findings.push_back(
      {"database", version.has_value(),
       fmt::format("{}: {} {}", db::without_password(url), sqlite ? "SQLite" : "PostgreSQL",
                   version ? std::get<std::string>(version->front().front()) : version.error().message)});
  auto state = db::schema_state(**connection, store::migrations());
  if (!state) {
    findings.push_back({"schema", false, state.error().message});
  } else {
    findings.push_back({"schema", true,
                        state->is_current()
                            ? fmt::format("version {}", state->version)
                            : fmt::format("version {} of {}; the next import or lade migrate brings it up to date",
                                          state->version, state->known)});
  }
}

int doctor(const CommonOptions& common) {
  std::vector<Finding> findings;
  findings.push_back({"processors", true, fmt::format("{} cores", std::thread::hardware_concurrency())});
  findings.push_back(look_at_folder(common.data));
  look_at_database(common.database_url(), findings);
  bool good = true, connected = true;
  boost::json::array list;
  for (const Finding& finding : findings) {
    good = good && finding.good;
    if (finding.what == "database") connected = finding.good;
    list.push_back(boost::json::object{{"what", finding.what}, {"ok", finding.good}, {"detail", finding.detail}});
    if (common.output == Output::text)
      fmt::print("{:<5} {:<12} {}\n", finding.good ? "ok" : "FAIL", finding.what, finding.detail);
  }
  if (common.output != Output::text)
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"ok", good}, {"findings", std::move(list)}}));
  return good ? kOk : connected ? kFailed : kCannotConnect;
}

}  // namespace

void add_admin_commands(CLI::App& app, CommonOptions& common, Action& action) {
  CLI::App* command = app.add_subcommand("migrate", "Bring the database to this program's schema");
  add_database_options(*command, common);
  command->callback([&common, &action] { action = [&common] { return migrate(common); }; });
  command = app.add_subcommand("doctor", "Look whether everything that lade needs is there");
  add_database_options(*command, common);
  command->callback([&common, &action] { action = [&common] { return doctor(common); }; });
}

}  // namespace lade::cli
