#include "definition/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "definition/faults.h"
#include "definition/node.h"
#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::size_t kMaxColumns = 4096;
constexpr std::string_view kKeys[] = {"lade",       "definition", "name",       "note",      "source",    "columns",
                                      "checks",     "load",       "duplicates", "aggregate", "partition", "commit",
                                      "max_errors", "fail_when",  "review",     "lock"};
constexpr Later kLater[] = {
    {"keep", "files are kept until you delete them"},
    {"staging", "look at the failed rows in the result file"},
    {"steps", "columns, checks and load say what is done, in that order"},
    {"scope", "use a by-key strategy such as insert_or_update"},
    {"version", "use a by-key strategy such as insert_or_update"},
    {"valid_time", "map the dates as plain date columns"},
    {"valid_time_from", "map the dates as plain date columns"},
    {"temporal", "use a by-key strategy such as insert_or_update"},
    {"external_idents", "use a lookup"},
    {"link", "use a lookup, or a ref to an earlier load entry"},
    {"edit_info", "use fixed columns such as {value: $user} and {expression: now}"},
    {"handler", "compute the values before the import"},
    {"handlers", "compute the values before the import"},
    {"fetch", "fetch the pages before the import"},
    {"extract", "extract the values before the import"},
    {"resolve", "use a lookup"},
    {"sql", "use a lookup or a check"},
};

void check_version(const Node& root, Faults& faults) {
  const Node* version = root.find("lade");
  if (version == nullptr)
    return report_missing(root.place, "definition", "lade", "write 'lade: 1', the version of the format", faults);
  const auto number = read_integer(*version, "lade", 1, 1'000'000, faults);
  if (number && *number != 1)
    report_unsupported(version->place, "lade", {version->text, "this program reads version 1 of the format"}, faults);
}

void read_title(const Node& root, Definition& definition, Faults& faults) {
  if (const Node* slug = root.find("definition"))
    definition.slug = read_slug(*slug, "definition", faults).value_or("");
  else
    report_missing(root.place, "definition", "definition", "it names the definition, e.g. 'definition: price_list'",
                   faults);
  definition.name = definition.slug;
  if (const Node* name = root.find("name")) definition.name = read_text(*name, "name", faults).value_or("");
  if (const Node* note = root.find("note")) definition.note = read_text(*note, "note", faults).value_or("");
}

void read_columns(const Node& root, Definition& definition, Faults& faults) {
  const Node* columns = root.find("columns");
  if (columns == nullptr)
    return report_missing(root.place, "definition", "columns", "it is a map of data columns", faults);
  if (!columns->is_map()) return report_kind(*columns, "columns", "a map of data columns", faults);
  if (columns->size() == 0)
    return faults.error(columns->place, "definition_bad_value", "columns: is empty; at least one column is needed");
  if (columns->size() > kMaxColumns)
    return faults.error(columns->place, "definition_too_large",
                        fmt::format("columns: {} columns; at most {} are read", columns->size(), kMaxColumns));
  for (std::size_t i = 0; i < columns->size(); ++i)
    definition.columns.push_back(read_column(columns->key(i), columns->value(i), faults));
}

void read_lists(const Node& root, Definition& definition, Faults& faults) {
  if (const Node* checks = root.find("checks")) {
    if (!checks->is_list()) report_kind(*checks, "checks", "a list", faults);
    for (std::size_t i = 0; checks->is_list() && i < checks->size(); ++i)
      definition.checks.push_back(read_check(checks->items[i], fmt::format("checks[{}]", i + 1), faults));
  }
  const Node* load = root.find("load");
  if (load == nullptr) return report_missing(root.place, "definition", "load", "it lists the target tables", faults);
  if (!load->is_list()) return report_kind(*load, "load", "a list of target tables", faults);
  if (load->size() == 0)
    faults.error(load->place, "definition_bad_value", "load: is empty; at least one target table is needed");
  for (std::size_t i = 0; i < load->size(); ++i)
    definition.load.push_back(read_load_entry(load->items[i], fmt::format("load[{}]", i + 1), faults));
}

void read_definition(const Node& root, Definition& definition, Faults& faults) {
  if (!check_map(root, "definition", kKeys, kLater, faults)) return;
  check_version(root, faults);
  read_title(root, definition, faults);
  if (const Node* source = root.find("source")) definition.source = read_source(*source, faults);
  read_columns(root, definition, faults);
  read_lists(root, definition, faults);
  read_settings(root, definition, faults);
  if (definition.columns.empty()) return;
  check_columns(definition, root, faults);
  check_load(definition, root, faults);
}

}  // namespace

bool Parsed::valid() const {
  return std::all_of(faults.begin(), faults.end(), [](const Fault& fault) { return fault.warning; });
}

Parsed parse_definition(std::string_view yaml) {
  Parsed parsed;
  Faults faults;
  if (const auto root = read_yaml(yaml, faults)) read_definition(*root, parsed.definition, faults);
  parsed.faults = std::move(faults).take();
  return parsed;
}

Result<void> override_source(Definition& definition, std::string_view yaml) {
  Faults faults;
  const auto root = read_yaml(yaml, faults);
  if (root) definition.source = read_source(*root, faults, definition.source);
  const std::vector<Fault> found = std::move(faults).take();
  std::vector<std::string> messages;
  for (const Fault& fault : found)
    if (!fault.warning) messages.push_back(fault.message);
  if (messages.empty()) return {};
  return fail("source_invalid", fmt::format("{}", fmt::join(messages, "; ")), "docs/definitions.md lists the keys",
              ErrorKind::usage);
}

std::string describe(const std::vector<Fault>& faults, std::string_view file_name) {
  std::string text;
  for (const Fault& fault : faults) {
    text += file_name;
    if (fault.line > 0) text += fmt::format(":{}:{}", fault.line, fault.column);
    text += fmt::format(": {} {}: {}\n", fault.warning ? "warning" : "error", fault.code, fault.message);
  }
  return text;
}

}  // namespace lade::definition
