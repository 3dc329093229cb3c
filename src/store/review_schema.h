#pragma once

#include "db/migrations.h"

namespace lade::store {

// The twenty-third migration: names that people have decided about, and those that they are asked about.
constexpr int kReviewSchema = 23;
db::Migration review_migration();

}  // namespace lade::store
