#pragma once

#include <span>

#include "base/result.h"
#include "db/connection.h"
#include "db/migrations.h"

namespace lade::store {

// lade's own tables (lade_*) with those of the queue, oldest migration first.
std::span<const db::Migration> migrations();

// Brings the database to this program's schema. Gives the number of migrations run.
Result<int> migrate(db::Connection& connection);

}  // namespace lade::store
