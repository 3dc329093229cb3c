#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/quality.h"

// How good records are, by what is stored of their pages, their names and their issues: the one place where that is
// put together, for row tasks, exports and questions alike.
namespace lade::store {

struct RecordPlace {
  std::int64_t job = 0;
  std::int64_t row = 0;
};

// In the order of the places, whatever jobs they are of; a statement for a thousand of them. Rows without one have no
// record to judge: their page has not come (or the records of its job do not have it yet), and nothing was asked about
// them. Whether a row was analysed, so that its names and issues are known, is for the caller to say.
Result<std::vector<std::optional<model::Quality>>> record_qualities(db::Connection& connection,
                                                                    std::span<const RecordPlace> places);

// How far a page can be trusted that was asked of `host` and came from `final_url`.
double source_quality_of(std::string_view host, std::string_view final_url);

}  // namespace lade::store
