#pragma once

#include "base/result.h"
#include "db/connection.h"

namespace lade::db {

// The error for what a database said: its code and kind follow from the SQLSTATE, its message holds the database's
// words. `lost`: the session is gone, whatever the SQLSTATE says.
Error error_of(const Diagnosis& diagnosis, bool lost = false);

// Statements and parameters travel as C strings: one holding a NUL byte is refused instead of being cut.
Error nul_in_text();

}  // namespace lade::db
