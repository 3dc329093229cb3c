#include "definition/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "definition/faults.h"
#include "definition/node.h"
#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kKeys[] = {
    "lade",      "definition",      "name",     "note",       "source",    "columns", "checks", "load",  "duplicates",
    "aggregate", "partition",       "commit",   "max_errors", "fail_when", "review",  "lock",   "steps", "strategy",
    "mode",      "valid_time_from", "expanded", "lineage",    "queue"};
constexpr Later kLater[] = {
    {"keep", "files are kept until you delete them"},
    {"staging", "look at the failed rows in the result file"},
    {"scope", "use a by-key strategy such as insert_or_update"},
    {"version", "use a by-key strategy such as insert_or_update"},
    {"handler", "compute the values before the import"},
    {"handlers", "compute the values before the import"},
    {"fetch", "fetch the pages before the import"},
    {"extract", "extract the values before the import"},
    {"resolve", "use a lookup"},
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

void read_load(const Node& root, Definition& definition, Faults& faults) {
  const Node* load = root.find("load");
  if (load == nullptr) return;
  if (!load->is_list()) return report_kind(*load, "load", "a list of target tables", faults);
  if (load->size() == 0)
    faults.error(load->place, "definition_bad_value", "load: is empty; at least one target table is needed");
  for (std::size_t i = 0; i < load->size(); ++i)
    definition.load.push_back(read_load_entry(load->items[i], fmt::format("load[{}]", i + 1), faults));
}

// A handler may take the file's columns as they are.
bool goes_to_handler(const Node& root) {
  const Node* load = root.find("load");
  return load != nullptr && load->is_list() && load->size() > 0 && load->items.front().find("handler") != nullptr;
}

// Steps bring columns and tables of their own.
void check_has_parts(const Node& root, Faults& faults) {
  if (root.find("steps") != nullptr) return;
  if (root.find("columns") == nullptr && !goes_to_handler(root))
    report_missing(root.place, "definition", "columns", "it is a map of data columns", faults);
  if (root.find("load") == nullptr)
    report_missing(root.place, "definition", "load", "it lists the target tables", faults);
}

void read_definition(const Node& root, Definition& definition, Faults& faults) {
  if (!check_map(root, "definition", kKeys, kLater, faults)) return;
  Outline outline;
  check_version(root, faults);
  read_title(root, definition, faults);
  if (const Node* source = root.find("source")) definition.source = read_source(*source, faults);
  check_has_parts(root, faults);
  read_columns(root, "", definition, outline, faults);
  read_checks(root, "", definition, outline, faults);
  read_steps(root, definition, outline, faults);
  read_load(root, definition, faults);
  read_settings(root, definition, faults);
  if (definition.columns.empty() && definition.steps.empty() && !goes_to_handler(root)) return;
  check_columns(definition, root, outline, faults);
  check_load(definition, root, outline, faults);
  check_steps(definition, root, outline, faults);
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

Result<void> override_handler(Definition& definition, const HandlerWishes& wishes) {
  if (definition.load.size() != 1 || !definition.load.front().handler)
    return fail("handler_not_used", fmt::format("the definition '{}' hands its rows to no handler", definition.slug),
                "leave out what is meant for one", ErrorKind::usage);
  HandlerTarget& target = *definition.load.front().handler;
  if (!wishes.name.empty()) target.name = wishes.name;
  if (wishes.batch_size > 0) target.batch_size = wishes.batch_size;
  if (wishes.options.empty()) return {};
  Faults faults;
  const auto given = read_yaml(wishes.options, faults);
  if (!given || !given->is_map())
    return fail("handler_options_invalid", "the options for the handler are no map of names and values", {},
                ErrorKind::usage);
  for (std::size_t i = 0; i < given->size(); ++i) {
    Node* known = nullptr;
    for (std::size_t j = 0; j < target.options.size(); ++j)
      if (target.options.key(j).text == given->key(i).text) known = &target.options.items[2 * j + 1];
    if (known != nullptr)
      *known = given->value(i);
    else
      target.options.items.insert(target.options.items.end(), {given->key(i), given->value(i)});
  }
  return {};
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
