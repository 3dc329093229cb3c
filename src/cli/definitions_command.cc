#include <fmt/format.h>
#include <boost/json.hpp>

#include <memory>

#include "cli/commands.h"
#include "definition/parse.h"
#include "jobs/definitions.h"
#include "store/definitions.h"
#include "store/schema.h"

namespace lade::cli {
namespace {

boost::json::array faults_json(const std::vector<definition::Fault>& faults) {
  boost::json::array list;
  for (const definition::Fault& fault : faults)
    list.push_back(boost::json::object{{"code", fault.code},
                                       {"severity", fault.warning ? "warning" : "error"},
                                       {"message", fault.message},
                                       {"line", fault.line},
                                       {"column", fault.column}});
  return list;
}

int validate(const std::vector<std::string>& files, const CommonOptions& common) {
  int code = kOk;
  for (const std::string& file : files) {
    auto text = find_definition_text(file, common);
    if (!text) {
      code = report(text.error(), common.output);
      continue;
    }
    definition::Parsed parsed = definition::parse_definition(text->text);
    // The shipped JSON Schema is the second opinion: a document that only one of the two accepts is a fault of lade.
    if (parsed.valid())
      for (definition::Fault& fault : definition::check_schema(text->text)) parsed.faults.push_back(std::move(fault));
    if (!parsed.valid()) code = kInvalid;
    if (common.output != Output::text) {
      fmt::print("{}\n", boost::json::serialize(boost::json::object{
                             {"file", file}, {"valid", parsed.valid()}, {"faults", faults_json(parsed.faults)}}));
    } else {
      if (!parsed.faults.empty()) fmt::print(stderr, "{}\n", definition::describe(parsed.faults, file));
      if (parsed.valid())
        fmt::print("{}: valid ({}, {} columns)\n", file, parsed.definition.slug, parsed.definition.columns.size());
    }
  }
  return code;
}

int add(const std::string& file, const CommonOptions& common) {
  auto text = find_definition_text(file, common);
  if (!text) return report(text.error(), common.output);
  const definition::Parsed parsed = definition::parse_definition(text->text);
  auto connection = open_or_create(common);
  if (!connection) return report(connection.error(), common.output);
  if (auto migrated = store::migrate(**connection); !migrated) return report(migrated.error(), common.output);
  if (!parsed.valid()) {
    store::StoredDefinition stored;
    stored.slug = parsed.definition.slug;
    stored.name = parsed.definition.name;
    stored.source_text = text->text;
    stored.strategy = "unknown";
    stored.validation_error = definition::describe(parsed.faults, file);
    if (!stored.slug.empty())
      if (auto saved = store::save_definition(**connection, stored); !saved)
        return report(saved.error(), common.output);
    return report({"definition_invalid", stored.validation_error,
                   stored.slug.empty() ? "" : "it was stored as invalid; no import can use it", ErrorKind::invalid},
                  common.output);
  }
  auto stored = jobs::save_definition(**connection, parsed.definition, text->text);
  if (!stored) return report(stored.error(), common.output);
  fmt::print("{} version {}\n", stored->slug, stored->version);
  return kOk;
}

int list(const CommonOptions& common) {
  auto connection = open_store_to_read(common);
  if (!connection) return report(connection.error(), common.output);
  Result<std::vector<store::StoredDefinition>> definitions;
  if (*connection != nullptr) definitions = store::list_definitions(**connection);
  if (!definitions) return report(definitions.error(), common.output);
  for (const store::StoredDefinition& d : *definitions) {
    if (common.output == Output::text) {
      fmt::print("{:<32} version {:<4} {:<8} {}\n", d.slug, d.version, d.valid ? "valid" : "invalid", d.name);
    } else {
      fmt::print("{}\n", boost::json::serialize(boost::json::object{
                             {"slug", d.slug}, {"version", d.version}, {"valid", d.valid}, {"name", d.name}}));
    }
  }
  if (definitions->empty() && common.output == Output::text)
    fmt::print("no definitions are stored; add one: lade definitions add FILE\n");
  return kOk;
}

int show(const std::string& name, const CommonOptions& common) {
  auto text = find_definition_text(name, common);
  if (!text) return report(text.error(), common.output);
  if (common.output == Output::text) {
    fmt::print("{}{}", text->text, text->text.ends_with('\n') ? "" : "\n");
    return kOk;
  }
  const definition::Parsed parsed = definition::parse_definition(text->text);
  if (!parsed.valid())
    return report({"definition_invalid", definition::describe(parsed.faults, name), {}, ErrorKind::invalid},
                  common.output);
  fmt::print("{}\n", definition::to_json(parsed.definition));
  return kOk;
}

}  // namespace

void add_definition_commands(CLI::App& app, CommonOptions& common, Action& action) {
  CLI::App* sub = app.add_subcommand("definitions", "Check, store and show definitions");
  sub->require_subcommand(1);
  auto files = std::make_shared<std::vector<std::string>>();
  auto name = std::make_shared<std::string>();
  CLI::App* command = sub->add_subcommand("validate", "Name every fault of definitions, with its place");
  command->add_option("FILE", *files, "YAML files, or slugs of stored definitions")->required();
  add_database_options(*command, common);
  command->callback([files, &common, &action] { action = [files, &common] { return validate(*files, common); }; });
  command = sub->add_subcommand("add", "Store a definition as the next version of its slug");
  command->add_option("FILE", *name, "a YAML file")->required();
  add_database_options(*command, common);
  command->callback([name, &common, &action] { action = [name, &common] { return add(*name, common); }; });
  command = sub->add_subcommand("list", "The stored definitions");
  add_database_options(*command, common);
  command->callback([&common, &action] { action = [&common] { return list(common); }; });
  command = sub->add_subcommand("show", "A definition as it was written; with --output json all its settings");
  command->add_option("NAME", *name, "slug or YAML file")->required();
  add_database_options(*command, common);
  command->callback([name, &common, &action] { action = [name, &common] { return show(*name, common); }; });
  command = sub->add_subcommand("schema", "Print the JSON Schema of definitions");
  command->callback([&action] {
    action = [] {
      fmt::print("{}\n", definition::json_schema());
      return int{kOk};
    };
  });
}

}  // namespace lade::cli
