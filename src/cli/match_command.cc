#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "api/views.h"
#include "cli/site.h"
#include "definition/parse.h"
#include "jobs/match.h"
#include "jobs/open_source.h"
#include "store/schema.h"

namespace lade::cli {
namespace {

using definition::HeaderMatch;
using definition::MatchKind;

struct MatchCommand {
  std::string file;
  std::string definition;
  std::vector<std::string> given;
  bool save = false;
};

Result<std::vector<std::string>> header_of(const std::string& file, const definition::Definition& definition) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = ".";
  const source::Overrides overrides = jobs::overrides_of(definition);
  LADE_ASSIGN(const source::Input input, source::open_input(file, folder, jobs::ImportOptions().max_bytes, overrides));
  LADE_ASSIGN(source::Layout layout, source::recognise(input, overrides));
  return std::move(layout.header);
}

// What was said before; nothing where there is no database yet.
Result<std::vector<definition::KnownMatch>> known_here(const CommonOptions& common, const std::string& definition,
                                                       const std::vector<std::string>& header) {
  std::error_code error;
  const bool is_default = common.database.empty();
  if (is_default && !std::filesystem::exists(std::filesystem::path(common.data) / "lade.db", error)) return {};
  LADE_ASSIGN(const auto connection, open_store_to_read(common));
  if (connection == nullptr) return {};
  return jobs::known_matches(*connection, store::kDefaultCompany, definition, header);
}

Result<void> save(const CommonOptions& common, const jobs::MatchesToKeep& kept) {
  LADE_ASSIGN(const auto connection, open_or_create(common));
  LADE_TRY(store::migrate(*connection));
  return jobs::keep_matches(*connection, kept);
}

void print_missing(const definition::MissingColumn& column) {
  std::vector<std::string> similar;
  for (const definition::SimilarName& name : column.similar)
    similar.push_back(fmt::format("'{}' ({:.2f})", name.source_column, name.confidence));
  fmt::print("  {} ({}){}{}\n", column.data_column, column.required ? "required" : "optional",
             similar.empty() ? "" : "   similar: ", fmt::join(similar, ", "));
}

void print_text(const HeaderMatch& match, const std::string& slug, bool saved) {
  std::size_t width = 0;
  for (const auto& one : match.matches) width = std::max(width, one.source_column.size());
  for (const auto& one : match.matches)
    fmt::print("  {:<{}}  {:<10} {:.2f}  {}\n", one.source_column, width, definition::to_string(one.kind),
               one.confidence, one.data_column);
  if (!match.missing.empty()) fmt::print("missing\n");
  for (const definition::MissingColumn& column : match.missing) print_missing(column);
  if (!match.unmapped.empty()) fmt::print("unmapped: {}\n", fmt::join(match.unmapped, ", "));
  const bool guessed = std::any_of(match.matches.begin(), match.matches.end(), [](const auto& one) {
    return one.kind == MatchKind::similar || one.kind == MatchKind::given;
  });
  if (saved) {
    fmt::print("saved: imports by {} of files with this header follow it\n", slug);
  } else if (guessed) {
    fmt::print("not saved: an import takes exact and remembered columns only; --save keeps these\n");
  }
}

Result<int> run(const MatchCommand& command, const CommonOptions& common) {
  const auto site = open_local_site(common);
  LADE_ASSIGN(const NamedDefinition text, find_definition_text(command.definition, *site));
  const definition::Parsed parsed = definition::parse_definition(text.text);
  if (!parsed.valid()) return fail(definition_faults(parsed, text.name));
  const definition::Definition& definition = parsed.definition;
  LADE_ASSIGN(const std::vector<std::string> header, header_of(command.file, definition));
  LADE_ASSIGN(const auto known, known_here(common, definition.slug, header));
  HeaderMatch match = definition::match_header(definition, header, known);
  LADE_TRY(definition::give_matches(match, definition, header, command.given));
  if (command.save) LADE_TRY(save(common, {store::kDefaultCompany, definition.slug, header, match, current_user()}));
  if (common.output == Output::text) {
    print_text(match, definition.slug, command.save);
  } else {
    boost::json::object object = api::to_json(match);
    object["definition"] = definition.slug;
    object["saved"] = command.save;
    fmt::print("{}\n", boost::json::serialize(object));
  }
  return match.is_complete() ? int{kOk} : int{kInvalid};
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
  sub->callback([command, &common, &action] {
    action = [command, &common] {
      const auto code = run(*command, common);
      return code ? *code : report(code.error(), common.output);
    };
  });
}

}  // namespace lade::cli
