#pragma once

#include "db/migrations.h"

namespace lade::store {

// The ninth migration: companies get settings, projects and users; sessions, tokens, links, the audit log; whose a job
// and a file are; answers that the API gives again. The module accounts writes most of it.
db::Migration accounts_migration();

}  // namespace lade::store
