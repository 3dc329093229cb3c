#include <fmt/format.h>
#include <boost/json.hpp>

#include <memory>

#include "base/file.h"
#include "cli/site.h"
#include "definition/patch.h"

// What a stored definition consists of, and how single settings of it are changed.
namespace lade::cli {
namespace {

namespace json = boost::json;

// The value of a member as a cell of a table.
std::string cell(const json::value& item, std::string_view name) {
  const json::value& value = item.at(json::string_view(name.data(), name.size()));
  if (value.is_null()) return "-";
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

void print_step(const json::value& step) {
  fmt::print("{:>5}  {:<32} {:<24} {}\n", cell(step, "priority"), cell(step, "code"), cell(step, "kind"),
             cell(step, "name"));
}

void print_column(const json::value& column) {
  fmt::print("{:<36} {:<14} {:<13} {:<32} {}\n", cell(column, "column_name"), cell(column, "column_type"),
             cell(column, "purpose"), cell(column, "step_code"),
             column.at("is_uniquely_identifying").as_bool() ? "identifying" : "");
}

void print_mapping(const json::value& item) {
  const json::value& mapping = item.at("mapping");
  const std::string origin = !mapping.at("source_column_name").is_null() ? cell(mapping, "source_column_name")
                             : !mapping.at("source_value").is_null()
                                 ? "value " + cell(mapping, "source_value")
                                 : "expression " + cell(mapping, "source_expression");
  fmt::print("{:<36} <- {}\n", cell(mapping, "target_data_column_name"), origin);
}

struct Part {
  const char* command;
  const char* description;
  const char* part;
  void (*print)(const json::value& item);
};
constexpr Part kParts[] = {
    {"steps", "The steps of a stored definition in the order in which they run", "steps", print_step},
    {"columns", "What becomes of a row of the file, column by column", "data-columns", print_column},
    {"mappings", "Where the value of each data column comes from", "mappings", print_mapping},
};

Result<void> show(const Part& part, const std::string& slug, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const json::array items, site->definition_part(slug, part.part));
  if (common.output == Output::json) {
    fmt::print("{}\n", json::serialize(items));
    return {};
  }
  for (const json::value& item : items) {
    if (common.output == Output::text)
      part.print(item);
    else
      fmt::print("{}\n", json::serialize(item));
  }
  return {};
}

struct EditCommand {
  DefinitionEdit edit;
  std::vector<std::string> settings;
  std::string file;
};

Result<void> edit(EditCommand& command, const CommonOptions& common) {
  if (command.file.empty()) {
    LADE_ASSIGN(command.edit.patch, definition::patch_of(command.settings));
  } else {
    LADE_ASSIGN(command.edit.patch, read_all(command.file));
  }
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const store::StoredDefinition stored, site->edit_definition(command.edit));
  if (!stored.valid)
    return fail("definition_invalid", stored.validation_error, "it was stored as invalid; no import can use it",
                ErrorKind::invalid);
  if (!common.quiet) fmt::print("{} version {}\n", stored.slug, stored.version);
  return {};
}

void add_edit_command(CLI::App& sub, CommonOptions& common, Action& action) {
  auto command = std::make_shared<EditCommand>();
  CLI::App* app = sub.add_subcommand("edit", "Change settings of a stored definition; the result is its next version");
  app->add_option("SLUG", command->edit.slug, "slug of a stored definition")->required();
  CLI::Option* set = app->add_option("--set", command->settings,
                                     "PATH=VALUE, e.g. steps.legal_unit.priority=20; null removes; may be repeated");
  app->add_option("--patch", command->file, "a file with a JSON merge patch (RFC 7386) over the settings")
      ->excludes(set);
  app->add_flag("--draft", command->edit.draft, "store it also with faults; no import can use it then");
  app->footer(
      "Example: lade definitions edit legal_units --set review=always --set columns.name.required=true\n"
      "lade definitions show SLUG --output json has all settings; lists such as load are replaced as a whole.");
  add_database_options(*app, common);
  add_server_options(*app, common);
  app->callback([command, &common, &action] {
    action = [command, &common] {
      const auto edited = edit(*command, common);
      return edited ? int{kOk} : report(edited.error(), common.output);
    };
  });
}

}  // namespace

void add_definition_part_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto slug = std::make_shared<std::string>();
  for (const Part& part : kParts) {
    CLI::App* command = app.add_subcommand(part.command, part.description);
    command->add_option("SLUG", *slug, "slug of a stored definition")->required();
    add_database_options(*command, common);
    add_server_options(*command, common);
    command->callback([slug, &part, &common, &action] {
      action = [slug, &part, &common] {
        const auto shown = show(part, *slug, common);
        return shown ? int{kOk} : report(shown.error(), common.output);
      };
    });
  }
  add_edit_command(app, common, action);
}

}  // namespace lade::cli
