#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "drafting/draft.h"

namespace lade::drafting {

// Drafts a definition from a Frictionless Table Schema, or from the resource of a Data Package (datapackage.json) whose
// path ends with `file` (empty: its only one): types, formats, constraints, missing values, primary key, and how the
// file is written. What a definition cannot say stands in a comment. Fails with schema_invalid, naming the fault.
Result<Draft> draft_from_schema(std::string_view schema, const std::string& file, const std::string& table);

}  // namespace lade::drafting
