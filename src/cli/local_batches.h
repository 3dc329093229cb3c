#pragma once

#include <boost/json.hpp>
#include <string>

#include "cli/site.h"

// Batches of a database that this process opens.
namespace lade::cli {

Result<jobs::BatchOutcome> act_on_batch(db::Connection& connection, const BatchDemand& demand,
                                        const std::string& actor);
// As the API gives it.
Result<boost::json::object> part_of_batch(db::Connection& connection, const store::BatchRecord& batch,
                                          const BatchView& view);

}  // namespace lade::cli
