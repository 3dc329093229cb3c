#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/faults.h"
#include "definition/names.h"
#include "definition/node.h"

// Readers of single values. Each gives the value, or a fault that names the key (`label`), the value found and what
// would be accepted.
namespace lade::definition {

// A name that the format has but this version does not build, and what to do instead.
struct Later {
  std::string_view name;
  std::string_view instead;
};

void report_unsupported(Place place, std::string_view label, const Later& later, Faults& faults);

// True for a map. Reports keys that are not `known`, and those of `later` as unsupported.
bool check_map(const Node& node, std::string_view label, std::span<const std::string_view> known,
               std::span<const Later> later, Faults& faults);
// Reports that `expected` stands nowhere or as something else.
void report_kind(const Node& node, std::string_view label, std::string_view expected, Faults& faults);
void report_missing(Place place, std::string_view label, std::string_view key, std::string_view expected,
                    Faults& faults);

std::optional<std::string> read_text(const Node& node, std::string_view label, Faults& faults);
std::optional<bool> read_boolean(const Node& node, std::string_view label, Faults& faults);
std::optional<std::int64_t> read_integer(const Node& node, std::string_view label, std::int64_t least,
                                         std::int64_t most, Faults& faults);
// A list of texts; one text is a list of one. Repeated and empty texts are faults.
std::vector<std::string> read_texts(const Node& node, std::string_view label, Faults& faults);
// A list of cells that mean blank, also an empty one. An unquoted null in it is the text that stands in the cells.
std::vector<std::string> read_null_values(const Node& node, std::string_view label, Faults& faults);
// A literal or a context value.
std::optional<FixedValue> read_fixed_value(const Node& node, std::string_view label, Faults& faults);
// lade's own tables and the databases' catalogues are nobody's target.
bool is_reserved_table(std::string_view name);
// A table's name, `table` or `schema.table`. lade's own and the databases' own tables are refused.
std::optional<std::string> read_table(const Node& node, std::string_view label, Faults& faults);
bool is_column_name(std::string_view text);
// False, with a fault, for a name that no column can have.
bool check_column_name(const Node& node, std::string_view label, Faults& faults);

// A name of the format's own: [a-z][a-z0-9_]*, at most 63 characters.
std::optional<std::string> read_slug(const Node& node, std::string_view label, Faults& faults);

void report_choice(const Node& node, std::string_view label, const std::vector<std::string_view>& names,
                   Faults& faults);

template <class Enumeration>
std::optional<Enumeration> read_choice(const Node& node, std::string_view label, Faults& faults) {
  // `blank: null` is a choice although YAML reads it as nothing.
  if (node.is_scalar() || node.is_null())
    for (const auto& named : kNames<Enumeration>)
      if (named.name == node.text) return named.value;
  report_choice(node, label, names_of<Enumeration>(), faults);
  return std::nullopt;
}

// Reads a choice into `into` when the map has the key.
template <class Enumeration>
bool read_choice_of(const Node& map, std::string_view key, std::string_view label, Enumeration& into, Faults& faults) {
  const Node* node = map.find(key);
  if (node == nullptr) return false;
  const auto value = read_choice<Enumeration>(*node, std::string(label) + "." + std::string(key), faults);
  if (value) into = *value;
  return value.has_value();
}

}  // namespace lade::definition
