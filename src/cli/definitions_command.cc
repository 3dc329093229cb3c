#include <fmt/format.h>
#include <boost/json.hpp>

#include <memory>

#include "api/views.h"
#include "base/whole_file.h"
#include "cli/site.h"
#include "definition/parse.h"
#include "jobs/expand.h"
#include "jobs/template.h"
#include "store/definitions.h"

namespace lade::cli {
namespace {

int validate(const std::vector<std::string>& files, const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  int code = kOk;
  for (const std::string& file : files) {
    auto text = find_definition_text(file, **site);
    if (!text) {
      code = report(text.error(), common.output);
      continue;
    }
    definition::Parsed parsed = jobs::read_definition(text->text);
    // The shipped JSON Schema is the second opinion: a document that only one of the two accepts is a fault of lade.
    if (parsed.valid())
      for (definition::Fault& fault : definition::check_schema(text->text)) parsed.faults.push_back(std::move(fault));
    if (!parsed.valid()) code = kInvalid;
    if (common.output != Output::text) {
      fmt::print("{}\n", boost::json::serialize(boost::json::object{
                             {"file", file}, {"valid", parsed.valid()}, {"faults", api::faults_json(parsed.faults)}}));
    } else {
      if (!parsed.faults.empty()) fmt::print(stderr, "{}\n", definition::describe(parsed.faults, file));
      if (parsed.valid())
        fmt::print("{}: valid ({}, {} columns)\n", file, parsed.definition.slug, parsed.definition.columns.size());
    }
  }
  return code;
}

Result<void> add(const std::string& file, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const NamedDefinition text, find_definition_text(file, *site));
  const definition::Parsed parsed = jobs::read_definition(text.text);
  if (!parsed.valid()) {
    const std::string faults = definition::describe(parsed.faults, file);
    // It is kept for its author to go on with, unless nobody can tell what it is called.
    const bool has_slug = !parsed.definition.slug.empty();
    if (has_slug) LADE_TRY(site->save_draft(parsed, text.text));
    return fail("definition_invalid", faults, has_slug ? "it was stored as invalid; no import can use it" : "",
                ErrorKind::invalid);
  }
  LADE_ASSIGN(const store::StoredDefinition stored, site->save_definition(parsed.definition, text.text));
  fmt::print("{} version {}\n", stored.slug, stored.version);
  return {};
}

int list(const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  const auto definitions = (*site)->list_definitions();
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

struct TemplateCommand {
  std::string name, format = "xlsx", file;
};

Result<void> write_template(const TemplateCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const NamedDefinition text, find_definition_text(command.name, *site));
  const definition::Parsed parsed = definition::parse_definition(text.text);
  if (!parsed.valid()) return fail(definition_faults(parsed, text.name));
  const std::filesystem::path path =
      command.file.empty() ? parsed.definition.slug + "." + command.format : command.file;
  LADE_ASSIGN(const auto file, WholeFile::create(path));
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  LADE_ASSIGN(const definition::Definition definition, expanded_here(parsed.definition, common));
  LADE_TRY(jobs::write_template(definition, command.format, folder, *file));
  LADE_TRY(file->finish());
  if (!common.quiet) fmt::print("{}\n", path.string());
  return {};
}

void add_template_command(CLI::App& sub, CommonOptions& common, Action& action) {
  auto command = std::make_shared<TemplateCommand>();
  CLI::App* app = sub.add_subcommand("template", "Write a file for people to fill in, with a sample row");
  app->add_option("NAME", command->name, "slug or YAML file")->required();
  app->add_option("FILE", command->file, "where to (default: SLUG.xlsx)");
  app->add_option("--format", command->format, "xlsx (with comments and drop-down lists) or csv")
      ->check(CLI::IsMember({"xlsx", "csv"}))
      ->capture_default_str();
  add_database_options(*app, common);
  add_server_options(*app, common);
  app->callback([command, &common, &action] {
    action = [command, &common] {
      const auto written = write_template(*command, common);
      return written ? int{kOk} : report(written.error(), common.output);
    };
  });
}

int show(const std::string& name, const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  const auto text = find_definition_text(name, **site);
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
  command->alias("check");
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([files, &common, &action] { action = [files, &common] { return validate(*files, common); }; });
  command = sub->add_subcommand("add", "Store a definition as the next version of its slug");
  command->add_option("FILE", *name, "a YAML file")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([name, &common, &action] {
    action = [name, &common] {
      const auto added = add(*name, common);
      return added ? int{kOk} : report(added.error(), common.output);
    };
  });
  command = sub->add_subcommand("list", "The stored definitions");
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([&common, &action] { action = [&common] { return list(common); }; });
  command = sub->add_subcommand("show", "A definition as it was written; with --output json all its settings");
  command->add_option("NAME", *name, "slug or YAML file")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([name, &common, &action] { action = [name, &common] { return show(*name, common); }; });
  add_definition_part_commands(*sub, common, action);
  add_infer_command(*sub, common, action);
  add_template_command(*sub, common, action);
  command = sub->add_subcommand("schema", "Print the JSON Schema of definitions");
  command->callback([&action] {
    action = [] {
      fmt::print("{}\n", definition::json_schema());
      return int{kOk};
    };
  });
}

}  // namespace lade::cli
