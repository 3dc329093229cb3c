#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>

#include "cli/install_pack.h"
#include "cli/stop_on_signal.h"
#include "cli/usage.h"

namespace lade::cli {
namespace {

namespace json = boost::json;
using model::Outcome;

json::array array_of(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

int list(const CommonOptions& common) {
  for (const Pack& pack : packs()) {
    if (common.output == Output::text) {
      fmt::print("{:<12} {}\n", pack.slug, pack.note);
    } else {
      fmt::print("{}\n", json::serialize(json::object{{"pack", pack.slug}, {"name", pack.name}, {"note", pack.note}}));
    }
  }
  return kOk;
}

Result<void> show_file(const Pack& pack, const std::string& path) {
  const std::string_view text = pack.text(path);
  if (text.empty())
    return fail("pack_file_not_found", fmt::format("the pack {} has no file '{}'", pack.slug, path),
                fmt::format("lade packs show {} lists them", pack.slug), ErrorKind::invalid);
  fmt::print("{}", text);
  return {};
}

void show_pack(const Pack& pack, const CommonOptions& common) {
  const std::vector<std::string> tables = tables_of(pack.text(pack.sqlite_schema));
  if (common.output != Output::text) {
    json::array references;
    for (const auto& [file, definition] : pack.references)
      references.push_back(json::object{{"file", file}, {"definition", definition}});
    json::array files;
    for (const std::string_view path : pack.paths()) files.push_back(json::string(path));
    fmt::print("{}\n", json::serialize(json::object{{"pack", pack.slug},
                                                    {"name", pack.name},
                                                    {"note", pack.note},
                                                    {"tables", array_of(tables)},
                                                    {"definitions", array_of(pack.definitions)},
                                                    {"reference", std::move(references)},
                                                    {"files", std::move(files)}}));
    return;
  }
  fmt::print("{}: {}\n{}\n", pack.slug, pack.name, pack.note);
  fmt::print("\ntables\n  {}\n", fmt::join(tables, "\n  "));
  fmt::print("\nfiles (lade packs show {} FILE prints one)\n  {}\n", pack.slug, fmt::join(pack.paths(), "\n  "));
}

Result<void> show(const std::string& name, const std::string& file, const CommonOptions& common) {
  LADE_ASSIGN(const Pack pack, find_pack(name));
  if (!file.empty()) return show_file(pack, file);
  show_pack(pack, common);
  return {};
}

void print_installed(const Pack& pack, const Installed& installed) {
  fmt::print("tables       {} made", installed.tables_made.size());
  if (!installed.tables_kept.empty())
    fmt::print(", {} were there and stay as they are: {}", installed.tables_kept.size(),
               fmt::join(installed.tables_kept, ", "));
  fmt::print("\n");
  for (const auto& [file, summary] : installed.references)
    fmt::print("{:<36} {:>4} rows: {} inserted, {} updated, {} unchanged\n", file, summary.rows.read,
               summary.rows[Outcome::inserted], summary.rows[Outcome::updated], summary.rows[Outcome::unchanged]);
  for (const store::StoredDefinition& definition : installed.definitions)
    fmt::print("{:<36} version {}\n", definition.slug, definition.version);
  fmt::print("{} is installed\n", pack.slug);
}

json::object object_of(const Pack& pack, const Installed& installed) {
  json::array references, definitions;
  for (const auto& [file, summary] : installed.references)
    references.push_back(json::object{{"file", file},
                                      {"job_id", summary.job_id},
                                      {"read", summary.rows.read},
                                      {"inserted", summary.rows[Outcome::inserted]},
                                      {"updated", summary.rows[Outcome::updated]},
                                      {"unchanged", summary.rows[Outcome::unchanged]}});
  for (const store::StoredDefinition& definition : installed.definitions)
    definitions.push_back(json::object{{"slug", definition.slug}, {"version", definition.version}});
  return {{"pack", pack.slug},
          {"tables_made", array_of(installed.tables_made)},
          {"tables_kept", array_of(installed.tables_kept)},
          {"reference", std::move(references)},
          {"definitions", std::move(definitions)}};
}

Result<void> install(const std::string& name, const CommonOptions& common) {
  LADE_ASSIGN(const Pack pack, find_pack(name));
  StopOnSignal stop;
  LADE_ASSIGN(const Installed installed, install_pack(pack, common, stop.token()));
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(object_of(pack, installed)));
  } else if (!common.quiet) {
    print_installed(pack, installed);
  }
  return {};
}

void add_output_option(CLI::App& command, CommonOptions& common) {
  command.add_option("--output", common.output, "text or json (default: text)")
      ->transform(one_of({{"text", static_cast<int>(Output::text)}, {"json", static_cast<int>(Output::json)}}))
      ->type_name("FORMAT");
}

}  // namespace

void add_pack_commands(CLI::App& app, CommonOptions& common, Action& action) {
  CLI::App* sub = app.add_subcommand("packs", "Tables, reference data and definitions for one field of work");
  sub->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  auto file = std::make_shared<std::string>();
  CLI::App* command = sub->add_subcommand("list", "The packs that this program has");
  add_output_option(*command, common);
  command->callback([&common, &action] { action = [&common] { return list(common); }; });
  command = sub->add_subcommand("show", "What a pack consists of, or one of its files");
  command->add_option("NAME", *name, "of the pack")->required();
  command->add_option("FILE", *file, "one of its files, e.g. README.md");
  add_output_option(*command, common);
  command->callback([name, file, &common, &action] {
    action = [name, file, &common] {
      const auto shown = show(*name, *file, common);
      return shown ? int{kOk} : report(shown.error(), common.output);
    };
  });
  command = sub->add_subcommand(
      "install", "Make a pack's tables, load its reference data and store its definitions; may be done again");
  command->add_option("NAME", *name, "of the pack")->required();
  add_database_options(*command, common);
  command->callback([name, &common, &action] {
    action = [name, &common] {
      const auto installed = install(*name, common);
      return installed ? int{kOk} : report(installed.error(), common.output);
    };
  });
}

}  // namespace lade::cli
