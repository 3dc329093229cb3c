#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "definition/parse.h"
#include "store/definitions.h"

namespace lade::jobs {

// A definition in the form of its tables: steps, source columns, data columns, mappings.
store::StoredDefinition to_stored(const definition::Definition& definition, const std::string& text);

// The data columns of a definition made of steps as Statbus declares them: what comes from the file is text, what
// becomes of it has a column of its own (typed_birth_date, derived_valid_from), and metadata belongs to no step.
std::vector<store::StoredDefinition::DataColumn> staging_columns(const definition::Definition& definition);

// Stores a valid definition as the next version of its slug, unless the newest says the same. Fails with step_conflict.
Result<store::StoredDefinition> save_definition(db::Connection& connection, const definition::Definition& definition,
                                                const std::string& text, std::int64_t company = store::kDefaultCompany);

// Stores a definition with faults, for its author to go on with; no job can use it. Fails with definition_invalid when
// the faults leave it without a slug.
Result<store::StoredDefinition> save_draft(db::Connection& connection, const definition::Parsed& parsed,
                                           const std::string& text, std::int64_t company = store::kDefaultCompany);

}  // namespace lade::jobs
