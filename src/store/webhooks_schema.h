#pragma once

#include "db/migrations.h"

namespace lade::store {

// The eleventh migration: webhooks, and what is delivered to them.
db::Migration webhooks_migration();

}  // namespace lade::store
