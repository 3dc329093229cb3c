#pragma once

#include "db/migrations.h"

namespace lade::store {

// The third migration: files, batches, what a job needs to outlive its process, and what its tasks leave behind.
db::Migration durable_jobs_migration();

}  // namespace lade::store
