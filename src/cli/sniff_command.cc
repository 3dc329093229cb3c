#include <fmt/format.h>
#include <boost/json.hpp>

#include <filesystem>
#include <memory>

#include "api/views.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include "jobs/open_source.h"
#include "source/column_evidence.h"
#include "source/sniff.h"

namespace lade::cli {
namespace {

constexpr std::size_t kShownRows = 5;
constexpr std::size_t kShownWidth = 24;

struct SniffCommand {
  std::string file;
  std::string source;
  std::int64_t rows = 0;
};

struct Finding {
  source::Input input;
  source::Sniffed sniffed;
  std::vector<source::ColumnEvidence> columns;
};

std::string cut(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (text.size() <= kShownWidth) return text;
  std::size_t end = kShownWidth - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string cut(const std::vector<std::string>& cells) {
  std::vector<std::string> shorter;
  for (const std::string& cell : cells) shorter.push_back(cut(cell));
  return fmt::format("{}", fmt::join(shorter, " | "));
}

void print_file(const Finding& found) {
  const source::Origin& origin = found.sniffed.origin;
  const csv::Dialect& dialect = found.sniffed.dialect;
  const std::string packed = origin.compression.empty() ? "" : fmt::format(" in {}", origin.compression);
  if (origin.format == "xlsx") {
    fmt::print("{}: XLSX{}, sheet '{}' of {}\n", found.input.name, packed, origin.sheet, cut(origin.sheets));
  } else {
    fmt::print("{}: CSV{}, {}{}\n", found.input.name, packed, origin.encoding,
               origin.bom ? " with byte order mark" : "");
    fmt::print("  delimiter {}   quote {}   escape {}   {} columns{}\n", api::shown(dialect.delimiter),
               api::shown(dialect.quote), api::shown(dialect.escape), found.sniffed.columns,
               dialect.comment == '\0' ? "" : fmt::format("   comments begin with {}", dialect.comment));
  }
  if (origin.bad_bytes > 0)
    fmt::print("  {} bytes mean nothing in {}; the first at {}\n", origin.bad_bytes, origin.encoding,
               fmt::join(origin.bad_offsets, ", "));
  if (found.sniffed.has_header)
    fmt::print("  header in line {}: {}\n", found.sniffed.header_line, fmt::join(found.sniffed.header, " | "));
  else
    fmt::print("  no header found; set source.header_row: 0 to read it so\n");
}

std::string type_of(const source::ColumnEvidence& column) {
  if (column.readings.empty()) return "text";
  const source::TypeReading& first = column.readings.front();
  std::string text = first.type;
  if (!first.locale.empty()) text += " " + first.locale;
  if (!first.format.empty()) text += " " + first.format;
  return column.ambiguous ? text + " ?" : text;
}

void print_columns(const std::vector<source::ColumnEvidence>& columns) {
  fmt::print("columns\n");
  for (const source::ColumnEvidence& column : columns) {
    fmt::print("  {:<24} {:<28} {:>3} % filled   {}\n", cut(column.name), type_of(column),
               column.cells == 0 ? 0 : (column.cells - column.blank) * 100 / column.cells, cut(column.samples));
    if (!column.readings.empty() && !column.readings.front().evidence.empty())
      fmt::print("  {:<24} {}\n", "", column.readings.front().evidence);
    if (!column.note.empty()) fmt::print("  {:<24} {}\n", "", column.note);
  }
}

void print_text(const Finding& found) {
  print_file(found);
  if (!found.columns.empty()) print_columns(found.columns);
  fmt::print("first rows\n");
  for (std::size_t i = 0; i < std::min(kShownRows, found.sniffed.rows.size()); ++i)
    fmt::print("  {}\n", cut(found.sniffed.rows[i]));
  fmt::print("evidence\n");
  for (const std::string& line : found.sniffed.evidence) fmt::print("  {}\n", line);
}

void print_json(const Finding& found) {
  boost::json::object object{{"file", found.input.name}};
  for (const auto& [name, value] : api::to_json(found.sniffed)) object[name] = value;
  boost::json::array& columns = object["column_evidence"].emplace_array();
  for (const source::ColumnEvidence& column : found.columns) columns.push_back(api::to_json(column));
  fmt::print("{}\n", boost::json::serialize(object));
}

Result<Finding> find(const SniffCommand& command) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = ".";
  jobs::ImportOptions options;
  options.source = command.source;
  LADE_ASSIGN(const definition::Definition definition, jobs::for_request({}, options));
  const source::Overrides overrides = jobs::overrides_of(definition);
  Finding found;
  LADE_ASSIGN(found.input, source::open_input(command.file, folder, options.max_bytes, overrides));
  LADE_ASSIGN(found.sniffed, source::sniff(found.input, overrides));
  LADE_ASSIGN(const source::Layout layout, source::recognise(found.input, overrides));
  LADE_ASSIGN(found.columns, source::column_evidence(found.input, layout, command.rows));
  return found;
}

int run(const SniffCommand& command, const CommonOptions& common) {
  const auto found = find(command);
  if (!found) return report(found.error(), common.output);
  common.output == Output::text ? print_text(*found) : print_json(*found);
  return kOk;
}

}  // namespace

void add_sniff_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<SniffCommand>();
  CLI::App* sub = app.add_subcommand("sniff", "Show how a file would be read, and why");
  sub->add_option("FILE", command->file, "the file; - reads standard input")->required();
  sub->add_option("--rows", command->rows, "rows that are looked at for what columns show (default: all)")
      ->check(CLI::NonNegativeNumber);
  add_source_options(*sub, command->source);
  sub->add_option("--output", common.output, "text or json (default: text)")
      ->transform(one_of({{"text", static_cast<int>(Output::text)}, {"json", static_cast<int>(Output::json)}}))
      ->type_name("FORMAT");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
