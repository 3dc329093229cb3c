#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "api/views.h"
#include "cli/remote_site.h"
#include "definition/parse.h"
#include "jobs/expand.h"
#include "jobs/match.h"
#include "jobs/open_source.h"
#include "store/schema.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct MatchCommand {
  std::string file;
  std::string definition;
  std::vector<std::string> given;
  bool save = false;
};

Result<definition::Definition> definition_named(const std::string& name, Site& site, std::string& text) {
  LADE_ASSIGN(NamedDefinition named, find_definition_text(name, site));
  definition::Parsed parsed = definition::parse_definition(named.text);
  if (!parsed.valid()) return fail(definition_faults(parsed, named.name));
  text = std::move(named.text);
  return std::move(parsed.definition);
}

Result<std::vector<std::string>> header_of(const std::string& file, const definition::Definition& definition) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = ".";
  const source::Overrides overrides = jobs::overrides_of(definition);
  LADE_ASSIGN(const source::Input input, source::open_input(file, folder, jobs::ImportOptions().max_bytes, overrides));
  LADE_ASSIGN(source::Layout layout, source::recognise(input, overrides));
  return std::move(layout.header);
}

}  // namespace

Result<definition::Definition> expanded_here(const definition::Definition& definition, const CommonOptions& common) {
  if (definition.steps.empty()) return definition;
  LADE_ASSIGN(const auto connection, db::connect(db::limited_to(db::Access::read, common.database_url())));
  return jobs::expanded(definition, *connection);
}

namespace {

// What was said before; nothing where there is no database yet.
Result<std::vector<definition::KnownMatch>> known_here(const CommonOptions& common, const std::string& definition,
                                                       const std::vector<std::string>& header) {
  std::error_code error;
  const bool is_default = common.database.empty();
  if (is_default && !std::filesystem::exists(std::filesystem::path(common.data) / "lade.db", error))
    return std::vector<definition::KnownMatch>();
  LADE_ASSIGN(const auto connection, open_store_to_read(common));
  if (connection == nullptr) return std::vector<definition::KnownMatch>();
  return jobs::known_matches(*connection, store::kDefaultCompany, definition, header);
}

Result<void> save(const CommonOptions& common, const jobs::MatchesToKeep& kept) {
  LADE_ASSIGN(const auto connection, open_or_create(common));
  LADE_TRY(store::migrate(*connection));
  return jobs::keep_matches(*connection, kept);
}

// What the API answers, too.
Result<json::object> match_here(const MatchCommand& command, const CommonOptions& common) {
  const auto site = open_local_site(common);
  std::string text;
  LADE_ASSIGN(const definition::Definition named, definition_named(command.definition, *site, text));
  LADE_ASSIGN(const definition::Definition definition, expanded_here(named, common));
  LADE_ASSIGN(const std::vector<std::string> header, header_of(command.file, definition));
  LADE_ASSIGN(const auto known, known_here(common, definition.slug, header));
  definition::HeaderMatch match = definition::match_header(definition, header, known);
  LADE_TRY(definition::give_matches(match, definition, header, command.given));
  if (command.save) LADE_TRY(save(common, {store::kDefaultCompany, definition.slug, header, match, current_user()}));
  json::object object = api::to_json(match);
  object["definition"] = definition.slug;
  object["saved"] = command.save;
  return object;
}

Result<json::object> match_by_server(const MatchCommand& command, const std::string& server,
                                     const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_remote_site(server, common));
  RemoteMatch match{command.file, command.definition, command.given, command.save};
  if (names_file(command.definition)) {
    std::string text;
    LADE_ASSIGN(const definition::Definition definition, definition_named(command.definition, *site, text));
    LADE_ASSIGN(const store::StoredDefinition stored, site->save_definition(definition, text));
    match.definition = stored.slug;
  }
  return site->match(match);
}

std::string_view text_at(const json::value& object, const char* name) {
  return object.at(name).as_string();
}

void print_missing(const json::value& column) {
  std::string similar;
  for (const json::value& name : column.at("similar").as_array())
    similar += fmt::format("{} '{}' ({:.2f})", similar.empty() ? "   similar:" : ",", text_at(name, "source_column"),
                           name.at("confidence").to_number<double>());
  fmt::print("  {} ({}){}\n", text_at(column, "data_column"), column.at("required").as_bool() ? "required" : "optional",
             similar);
}

void print_text(const json::object& match) {
  const json::array& matches = match.at("matches").as_array();
  std::size_t width = 0;
  bool guessed = false;
  for (const json::value& one : matches) width = std::max(width, text_at(one, "source_column").size());
  for (const json::value& one : matches) {
    const std::string_view kind = text_at(one, "kind");
    guessed = guessed || kind == "similar" || kind == "given";
    fmt::print("  {:<{}}  {:<10} {:.2f}  {}\n", text_at(one, "source_column"), width, kind,
               one.at("confidence").to_number<double>(), text_at(one, "data_column"));
  }
  if (!match.at("missing").as_array().empty()) fmt::print("missing\n");
  for (const json::value& column : match.at("missing").as_array()) print_missing(column);
  std::string unmapped;
  for (const json::value& name : match.at("unmapped").as_array())
    unmapped += fmt::format("{}{}", unmapped.empty() ? "unmapped: " : ", ", std::string_view(name.as_string()));
  if (!unmapped.empty()) fmt::print("{}\n", unmapped);
  if (match.at("saved").as_bool()) {
    fmt::print("saved: imports by {} of files with this header follow it\n",
               std::string_view(match.at("definition").as_string()));
  } else if (guessed) {
    fmt::print("not saved: an import takes exact and remembered columns only; --save keeps these\n");
  }
}

Result<int> run(const MatchCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const std::string server, server_of(common));
  LADE_ASSIGN(const json::object match,
              server.empty() ? match_here(command, common) : match_by_server(command, server, common));
  try {
    common.output == Output::text ? print_text(match) : fmt::print("{}\n", json::serialize(match));
    return match.at("complete").as_bool() ? int{kOk} : int{kInvalid};
  } catch (const std::exception&) {
    return fail("server_answer_invalid", "the server's answer is no match of columns",
                "is it another version of lade?");
  }
}

}  // namespace

void add_match_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<MatchCommand>();
  CLI::App* sub = app.add_subcommand("match", "Show which columns of a file are which columns of a definition");
  sub->add_option("FILE", command->file, "the file; - reads standard input")->required();
  sub->add_option("--definition,-d", command->definition, "YAML file, or slug of a stored definition")->required();
  sub->add_option("--set", command->given, "\"File column=data column\"; may be given several times")
      ->type_name("MATCH")
      ->expected(1)
      ->take_all();
  sub->add_flag("--save", command->save, "keep it: imports of files with this header follow it");
  add_database_options(*sub, common);
  add_server_options(*sub, common);
  sub->callback([command, &common, &action] {
    action = [command, &common] {
      const auto code = run(*command, common);
      return code ? *code : report(code.error(), common.output);
    };
  });
}

}  // namespace lade::cli
