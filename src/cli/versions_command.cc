#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <memory>

#include "base/moment.h"
#include "cli/account_commands.h"
#include "cli/site.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct VersionWords {
  std::string table;
  std::int64_t version = 0;
};

std::string text_at(const json::object& object, const char* name) {
  const json::value& value = object.at(name);
  return value.is_string() ? std::string(value.as_string()) : value.is_null() ? "" : json::serialize(value);
}

void print_versions(const json::array& versions) {
  fmt::print("{}\n", bold(fmt::format("{:>8}  {:<9}  {:>12}  {:<32}  {:<24}  {:<16}  {}", "version", "state", "rows",
                                      "table", "scope", "created", "import"),
                          STDOUT_FILENO));
  for (const json::value& item : versions) {
    const json::object& version = item.as_object();
    fmt::print("{:>8}  {:<9}  {:>12}  {:<32}  {:<24}  {:<16}  {}\n", text_at(version, "id"), text_at(version, "state"),
               grouped(version.at("rows").to_number<std::int64_t>()), text_at(version, "table"),
               text_at(version, "scope"), age_of(moment_of(text_at(version, "created_at"))),
               text_at(version, "import"));
    if (const std::string error = text_at(version, "error"); !error.empty()) fmt::print("{:>8}  {}\n", "", error);
  }
}

Result<void> list(const VersionWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(json::array versions, site->list_versions(words.table));
  if (common.output != Output::text)
    print_objects("versions", std::move(versions), common.output);
  else
    versions.empty() ? fmt::print("no versions\n") : print_versions(versions);
  return {};
}

Result<void> activate(const VersionWords& words, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const json::object version, site->activate_version(words.version));
  if (common.output != Output::text)
    fmt::print("{}\n", json::serialize(version));
  else if (!common.quiet)
    fmt::print("version {} of {} is {}\n", words.version, text_at(version, "table"), text_at(version, "state"));
  return {};
}

}  // namespace

void add_version_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<VersionWords>();  // shared by the options and the action
  CLI::App* sub = app.add_subcommand("versions", "Versions of data sets that imports have built (replace_set)");
  sub->require_subcommand(1);
  CLI::App* command = sub->add_subcommand("list", "All that are remembered, newest first");
  command->add_option("--table", words->table, "only of this target table");
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(list(*words, common), common); }; });
  command = sub->add_subcommand("activate", "Let readers see this version of its set again");
  command->add_option("version", words->version, "its number, as `lade versions list` shows it")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(activate(*words, common), common); }; });
}

}  // namespace lade::cli
