#pragma once

#include <libpq-fe.h>

#include <string_view>

#include "db/connection.h"

namespace lade::db {

// What the server said in a refused answer. `copied_table`: the plain name of the table a COPY went to, to find the
// guilty row in the context.
Diagnosis diagnosis_of(const PGresult* answer, std::string_view copied_table = {});

// The name that messages show for a quoted, maybe qualified table.
std::string plain_name(std::string_view quoted);

}  // namespace lade::db
