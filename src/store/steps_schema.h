#pragma once

#include "db/migrations.h"

namespace lade::store {

// Definitions made of steps, the thirteenth migration. Column names are those of Statbus' import system.
db::Migration steps_migration();

}  // namespace lade::store
