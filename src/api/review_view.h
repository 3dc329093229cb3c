#pragma once

#include <boost/json.hpp>

#include "jobs/decide.h"
#include "jobs/review_wish.h"
#include "store/review_items.h"

// What people decide about, as JSON; the command line prints it too.
namespace lade::api {

boost::json::object to_json(const store::ReviewItem& item);
boost::json::object to_json(const jobs::Decided& decided);
boost::json::object to_json(const jobs::BulkDecided& bulk, bool dry_run);

}  // namespace lade::api
