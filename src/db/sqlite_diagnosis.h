#pragma once

#include <string_view>

#include "db/connection.h"

namespace lade::db {

// SQLite's extended result code and words, with the nearest SQLSTATE. The names of a CHECK and of an index on
// expressions stand in the words; those of other constraints need the catalogue.
Diagnosis diagnosis_of(int extended_code, std::string_view words);

// "t.a, t.b" of "UNIQUE constraint failed: t.a, t.b" and the like; empty when the words are others.
std::string_view violated_columns(std::string_view words);

}  // namespace lade::db
