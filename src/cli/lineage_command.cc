#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/site.h"

// Where stored rows come from: lade lineage.
namespace lade::cli {
namespace {

namespace json = boost::json;

struct LineageCommand {
  std::string table;
  std::vector<std::string> key;  // COLUMN=VALUE
  std::string job;
  std::int64_t limit = 50;
  std::string cursor;
};

std::string text_at(const json::object& row, const char* name) {
  const json::value& value = row.at(name);
  if (value.is_string()) return std::string(value.as_string());
  return value.is_null() ? "-" : json::serialize(value);
}

void print_row(const json::object& row) {
  std::string key;
  for (const auto& [column, value] : row.at("key").as_object())
    key += fmt::format("{}{}={}", key.empty() ? "" : " ", std::string_view(column),
                       value.is_null() ? "?" : std::string_view(value.as_string()));
  fmt::print("{} {}: {} by job {} ({}, row {}, line {}) at {} by {}{}\n", text_at(row, "table"), key,
             text_at(row, "action"), text_at(row, "job"), text_at(row, "file"), text_at(row, "row"),
             text_at(row, "line"), text_at(row, "at"), text_at(row, "by"),
             row.at("sha256").is_null() ? "" : ", sha256 " + text_at(row, "sha256"));
}

Result<json::object> ask(const LineageCommand& command, const CommonOptions& common) {
  if (command.job.empty() == command.table.empty())
    return fail("option_invalid", "either a table with a key is given, or --job", "lade lineage item code=7",
                ErrorKind::usage);
  LADE_ASSIGN(const auto site, open_site(common));
  if (!command.job.empty()) return site->lineage_of_job(command.job, command.cursor, command.limit);
  jobs::LineageDemand demand{.table = command.table, .key = {}};
  for (const std::string& part : command.key) {
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      return fail("option_invalid", fmt::format("'{}' names no value", part), "COLUMN=VALUE", ErrorKind::usage);
    demand.key.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  LADE_ASSIGN(json::array items, site->lineage_of_row(demand));
  return json::object{{"items", std::move(items)}, {"next", nullptr}};
}

int run(const LineageCommand& command, const CommonOptions& common) {
  const auto found = ask(command, common);
  if (!found) return report(found.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(*found));
    return kOk;
  }
  for (const json::value& row : found->at("items").as_array()) print_row(row.as_object());
  if (found->at("items").as_array().empty()) fmt::print("nothing is known of it\n");
  if (found->at("next").is_string()) fmt::print("more with --cursor {}\n", text_at(*found, "next"));
  return kOk;
}

}  // namespace

void add_lineage_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<LineageCommand>();
  CLI::App* sub = app.add_subcommand("lineage", "Which jobs have written a stored row, or what a job has written");
  sub->add_option("TABLE", command->table, "the target table");
  sub->add_option("KEY", command->key, "its key: COLUMN=VALUE, for each column");
  sub->add_option("--job", command->job, "instead: all rows that this job has written");
  sub->add_option("--limit", command->limit, "at most so many of a job's rows")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  sub->add_option("--cursor", command->cursor, "where the page begins, as the one before said");
  add_database_options(*sub, common);
  add_server_options(*sub, common);
  sub->footer(
      "Examples:\n"
      "  lade lineage price_list_item cat=A sel=12\n"
      "  lade lineage --job prices-7");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
