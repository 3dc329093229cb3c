#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/connection.h"
#include "store/review_items.h"

namespace lade::jobs {

// high: 90 and more; medium: 70 and more; low.
std::string_view confidence_level(double confidence);

// Which questions somebody wants to see, in words.
struct ReviewWish {
  std::string status = "open";  // open, decided, withdrawn, all
  std::string confidence = {};  // high, medium, low; empty: any
  std::string min = {};         // of the best candidate, from 0 to 100, both inclusive; empty: any
  std::string max = {};
  std::string table = {};
  std::string batch = {};  // name or id
  std::string job = {};    // id, UUID or slug
  std::int64_t cursor = 0;
  std::int64_t limit = 50;
};
// Fails with request_invalid, job_not_found and batch_not_found.
Result<store::ReviewFilter> filter_of(db::Connection& connection, const ReviewWish& wish, std::int64_t company);

}  // namespace lade::jobs
