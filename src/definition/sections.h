#pragma once

#include <optional>
#include <string_view>

#include "definition/definition.h"
#include "definition/faults.h"
#include "definition/node.h"

// The parts of a definition, each read from its node alone; what one part says about another is checked afterwards.
namespace lade::definition {

// What is not said stays as in `source`.
Source read_source(const Node& node, Faults& faults, Source source = {});
// Every key gives a column, also a faulty one, so that references to it are not faults of their own.
DataColumn read_column(const Node& key, const Node& node, Faults& faults);
Lookup read_lookup(const Node& node, std::string_view label, Faults& faults);
Check read_check(const Node& node, std::string_view label, Faults& faults);
LoadEntry read_load_entry(const Node& node, std::string_view label, Faults& faults);
// Reads `duplicates`, `aggregate`, `partition`, `commit`, `fail_when`, `max_errors` of the whole definition.
void read_settings(const Node& root, Definition& definition, Faults& faults);

// What the parts say about each other: unknown columns, cycles, keys, references. Places come from `root`.
void check_columns(const Definition& definition, const Node& root, Faults& faults);
void check_load(const Definition& definition, const Node& root, Faults& faults);

}  // namespace lade::definition
