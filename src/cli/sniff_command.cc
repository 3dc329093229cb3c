#include <fmt/format.h>
#include <boost/json.hpp>

#include <filesystem>
#include <memory>

#include "api/views.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include "source/input.h"
#include "source/sniff.h"

namespace lade::cli {
namespace {

std::string shown(char c) {
  if (c == '\0') return "none";
  if (c == '\t') return "tab";
  return std::string(1, c);
}

void print_json(const std::string& file, const source::Sniffed& sniffed) {
  boost::json::object object{{"file", file}};
  for (const auto& [name, value] : api::to_json(sniffed)) object[name] = value;
  fmt::print("{}\n", boost::json::serialize(object));
}

void print_text(const std::string& file, const source::Sniffed& sniffed) {
  const source::Origin& origin = sniffed.origin;
  fmt::print("{}: CSV, {}{}\n", file, origin.encoding, origin.bom ? " with byte order mark" : "");
  fmt::print("  delimiter {}   quote {}   escape {}   {} columns\n", shown(sniffed.dialect.delimiter),
             shown(sniffed.dialect.quote), shown(sniffed.dialect.escape), sniffed.columns);
  if (sniffed.has_header) fmt::print("  header: {}\n", fmt::join(sniffed.header, " | "));
  if (!sniffed.has_header) fmt::print("  no header found; set source.header_row: 0 to read it so\n");
  fmt::print("evidence\n");
  for (const std::string& line : sniffed.evidence) fmt::print("  {}\n", line);
}

int run(const std::string& file, const CommonOptions& common) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = ".";
  auto input = source::open_input(file, folder, 10'000'000'000);
  if (!input) return report(input.error(), common.output);
  auto sniffed = source::sniff(*input);
  if (!sniffed) return report(sniffed.error(), common.output);
  common.output == Output::text ? print_text(input->name, *sniffed) : print_json(input->name, *sniffed);
  return kOk;
}

}  // namespace

void add_sniff_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto file = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("sniff", "Show how a file would be read, and why");
  sub->add_option("FILE", *file, "the file; - reads standard input")->required();
  sub->add_option("--output", common.output, "text or json (default: text)")
      ->transform(one_of({{"text", static_cast<int>(Output::text)}, {"json", static_cast<int>(Output::json)}}))
      ->type_name("FORMAT");
  sub->callback([file, &common, &action] { action = [file, &common] { return run(*file, common); }; });
}

}  // namespace lade::cli
