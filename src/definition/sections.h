#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/faults.h"
#include "definition/node.h"

// The parts of a definition, each read from its node alone; what one part says about another is checked afterwards.
namespace lade::definition {

// Where the columns and checks of a definition stand in its text: some below `columns` and `checks`, others inside a
// step.
struct Outline {
  struct Part {
    std::string label;  // columns.birth_date, steps.legal_unit.checks[1]
    Place place;
    const Node* node;  // never null; lives as long as the tree
  };
  std::vector<Part> columns;  // as Definition::columns
  std::vector<Part> checks;   // as Definition::checks
};

// What is not said stays as in `source`.
Source read_source(const Node& node, Faults& faults, Source source = {});
// Every key gives a column, also a faulty one, so that references to it are not faults of their own.
DataColumn read_column(const Node& key, const Node& node, const std::string& label, Faults& faults);
Lookup read_lookup(const Node& node, std::string_view label, Faults& faults);
Check read_check(const Node& node, std::string_view label, Faults& faults);
// Conditions, column: value.
std::vector<std::pair<std::string, FixedValue>> read_where(const Node& node, const std::string& label, Faults& faults);
// A number of rows, a share of them, or both.
MaxErrors read_limit(const Node& node, std::string_view label, Faults& faults);
// What an entry with replace_set says about its set.
WholeSet read_set(const Node& entry, std::string_view label, Faults& faults);
LoadEntry read_load_entry(const Node& node, std::string_view label, Faults& faults);
// `columns` and `checks` of a definition, or of the step with this code; those that are there are added to the
// definition. A column that it has already is a fault and is left out.
void read_columns(const Node& map, const std::string& step, Definition& definition, Outline& outline, Faults& faults);
void read_checks(const Node& map, const std::string& step, Definition& definition, Outline& outline, Faults& faults);
// `steps`, in the order of their priorities, and their columns and checks.
void read_steps(const Node& root, Definition& definition, Outline& outline, Faults& faults);
std::optional<Temporal> read_temporal(const Node& node, std::string_view label, Faults& faults);
// Reads `duplicates`, `aggregate`, `partition`, `commit`, `fail_when`, `max_errors` of the whole definition.
void read_settings(const Node& root, Definition& definition, Faults& faults);

// Steps will add columns: a name that is not known may be one of them.
bool has_unknown_columns(const Definition& definition);

// What the parts say about each other: unknown columns, cycles, keys, references. Places come from `root`.
void check_columns(const Definition& definition, const Node& root, const Outline& outline, Faults& faults);
void check_load(const Definition& definition, const Node& root, const Outline& outline, Faults& faults);
// That steps which are named exist, and that what they need is said.
void check_steps(const Definition& definition, const Node& root, const Outline& outline, Faults& faults);

}  // namespace lade::definition
