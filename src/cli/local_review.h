#pragma once

#include <boost/json.hpp>

#include "cli/site.h"

// Names that people decide about, in a database that this process opens: it also sends the rows that waited.
namespace lade::cli {

Result<boost::json::object> decide_here(const CommonOptions& common, const jobs::Decision& decision);
Result<boost::json::object> undo_here(const CommonOptions& common, std::int64_t item);
Result<boost::json::object> decide_in_bulk_here(const CommonOptions& common, const jobs::ReviewWish& wish,
                                                std::int64_t least, bool dry_run);

}  // namespace lade::cli
