#pragma once

#include <set>
#include <string>

#include "definition/definition.h"
#include "jobs/import.h"

// What a person has chosen for one file: which of its columns is which, what single values mean, whether somebody looks
// at it before it is loaded. It comes to stand in the definition that the job keeps, and nowhere else.
namespace lade::jobs {

bool has_choices(const ImportOptions& options);

// `definition` is whole, with what its steps add. Fails with choice_invalid, naming the column.
Result<void> apply_choices(definition::Definition& definition, const ImportOptions& options);

// The data columns for which a source column was chosen, or none.
std::set<std::string, std::less<>> chosen_columns(const ImportOptions& options);

// A name that stands for no column of a file.
inline constexpr std::string_view kNoColumn = "(not imported)";

}  // namespace lade::jobs
