#pragma once

#include <string>

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "store/definitions.h"

namespace lade::jobs {

// A definition in the form of its tables: source columns, data columns, mappings.
store::StoredDefinition to_stored(const definition::Definition& definition, const std::string& text);

// Stores a valid definition as the next version of its slug, unless the newest says the same.
Result<store::StoredDefinition> save_definition(db::Connection& connection, const definition::Definition& definition,
                                                const std::string& text, std::int64_t company = store::kDefaultCompany);

}  // namespace lade::jobs
