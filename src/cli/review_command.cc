#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/site.h"

// Single rows of a job that waits for review: lade rows show, lade rows edit.
namespace lade::cli {
namespace {

namespace json = boost::json;

struct ReviewCommand {
  std::string job;
  jobs::Correction correction;
  std::vector<std::string> cells;  // Column=text
  std::int64_t revision = -1;
};

void print_row(const json::object& row) {
  const auto version = row.at("version").to_number<std::int64_t>();
  fmt::print("row {} (line {}){}\n", row.at("row").to_number<std::int64_t>(), row.at("line").to_number<std::int64_t>(),
             version == 0 ? "" : fmt::format(", version {}", version));
  for (const auto& [column, text] : row.at("values").as_object())
    fmt::print("  {}: {}\n", std::string_view(column), std::string_view(text.as_string()));
  for (const json::value& issue : row.at("issues").as_array()) {
    const auto text = [&](const char* name) {
      const json::value& value = issue.at(name);
      return value.is_string() ? std::string(value.as_string()) : std::string();
    };
    const std::string column = text("column"), value = text("value");
    fmt::print("{}: {}{}: {}{}\n", text("severity"), text("code"), column.empty() ? "" : " in " + column,
               text("message"), value.empty() ? "" : fmt::format(" ('{}')", value));
  }
  if (row.at("issues").as_array().empty()) fmt::print("nothing is wrong with it\n");
}

int show_answer(const Result<json::object>& row, const CommonOptions& common) {
  if (!row) return report(row.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(*row));
  } else if (!common.quiet) {
    print_row(*row);
  }
  return kOk;
}

Result<json::object> show(const ReviewCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  return site->show_row(command.job, command.correction.row);
}

Result<json::object> edit(ReviewCommand& command, const CommonOptions& common) {
  for (const std::string& cell : command.cells) {
    const auto equals = cell.find('=');
    if (equals == std::string::npos)
      return fail("option_invalid", fmt::format("--set '{}' names no text", cell), "--set \"Column=text\"",
                  ErrorKind::usage);
    command.correction.cells[cell.substr(0, equals)] = cell.substr(equals + 1);
  }
  if (command.revision >= 0) command.correction.revision = command.revision;
  LADE_ASSIGN(const auto site, open_site(common));
  return site->correct_row(command.job, command.correction);
}

CLI::App* add_row_command(CLI::App& rows, const char* name, const char* description, ReviewCommand& command,
                          CommonOptions& common) {
  CLI::App* sub = rows.add_subcommand(name, description);
  sub->add_option("JOB", command.job, "id, UUID or slug of the job")->required();
  sub->add_option("ROW", command.correction.row, "its number in the file, as lade rows lists it")
      ->required()
      ->check(CLI::PositiveNumber);
  add_database_options(*sub, common);
  add_server_options(*sub, common);
  return sub;
}

}  // namespace

void add_review_row_commands(CLI::App& rows, CommonOptions& common, Action& action) {
  auto command = std::make_shared<ReviewCommand>();
  CLI::App* sub = add_row_command(rows, "show", "One row as it stands now, with all its issues", *command, common);
  sub->callback([command, &common, &action] {
    action = [command, &common] { return show_answer(show(*command, common), common); };
  });
  sub = add_row_command(rows, "edit", "Correct cells of a row while its job waits for review", *command, common);
  sub->add_option("--set", command->cells, "the text of a cell, by its column in the file: \"Column=text\"; repeatable")
      ->required()
      ->type_name("CELL");
  sub->add_option("--revision", command->revision, "only if this is still the newest revision")
      ->check(CLI::NonNegativeNumber);
  sub->footer("Example: lade rows edit prices-7 12 --set \"Price=12.50\" --set \"Unit=\"");
  sub->callback([command, &common, &action] {
    action = [command, &common] { return show_answer(edit(*command, common), common); };
  });
}

}  // namespace lade::cli
