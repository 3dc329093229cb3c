#pragma once

#include <cstdint>

#include "base/result.h"
#include "db/connection.h"

namespace lade::store {

// Pages of these rows of a job are `blocked` while a name of theirs is open or its row not sent yet (review_items.h),
// `failed` when it means nobody (both with resolution_failed), and `succeeded` again afterwards. In the transaction
// that changes the items.
Result<void> mark_pages(db::Connection& connection, std::int64_t job, std::int64_t first_row = 0,
                        std::int64_t last_row = INT64_MAX);

}  // namespace lade::store
