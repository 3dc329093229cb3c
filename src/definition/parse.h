#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "definition/definition.h"

namespace lade::definition {

// One thing wrong with a definition.
struct Fault {
  std::string code;     // definition_unknown_key, definition_bad_value, unsupported, …
  std::string message;  // what is wrong, the value, what would be accepted
  int line = 0;         // 1-based, 0 when the fault has no place
  int column = 0;
  bool warning = false;
};

// What parsing gave: the definition is usable only when no fault is an error.
struct Parsed {
  Definition definition;
  std::vector<Fault> faults;
  bool valid() const;
};

// Reads and validates YAML (JSON is YAML too). Finds every fault, not just the first. Never throws.
Parsed parse_definition(std::string_view yaml);

// Limits for failed rows as a definition writes them; empty: as they are.
struct Limits {
  std::string max_errors;  // 5 or 5%
  std::string fail_when;   // never, any_failed, all_failed
};
// Fails with limit_invalid.
Result<void> set_limits(Definition& definition, const Limits& limits);

// What a request says about how its file is read: keys of `source`, as a YAML or JSON map; the others stay. Fails with
// source_invalid, naming every fault.
Result<void> override_source(Definition& definition, std::string_view yaml);

// What a request says about the handler that gets the rows, over what the definition says: another one, some of its
// options (a JSON object), other batches. Fails with handler_not_used and handler_options_invalid.
struct HandlerWishes {
  std::string name = {};
  std::string options = {};
  std::int64_t batch_size = 0;  // 0: as the definition says
  bool given() const { return !name.empty() || !options.empty() || batch_size > 0; }
};
Result<void> override_handler(Definition& definition, const HandlerWishes& wishes);

// All faults in one message for people: "prices.yaml:12:5: error definition_unknown_key: …" a line each.
std::string describe(const std::vector<Fault>& faults, std::string_view file_name);

// The definition as canonical JSON: every setting, defaults included. It is the snapshot a job keeps, and
// parse_definition() of it gives the same definition.
std::string to_json(const Definition& definition);

// The JSON Schema (draft 7) of the format, docs/lade-definition.schema.json, embedded in the program.
std::string_view json_schema();

// A second opinion: what the schema alone says about the document. It knows structure, not what names refer to, so it
// accepts more than parse_definition(), never less; its messages are plainer. Faults have code definition_schema.
std::vector<Fault> check_schema(std::string_view yaml);

}  // namespace lade::definition
