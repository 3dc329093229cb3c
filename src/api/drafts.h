#pragma once

#include "api/route.h"
#include "store/drafts.h"

namespace lade::api {

// The draft, if it belongs to who asks; otherwise draft_not_found.
Result<store::Draft> require_draft(const Asked& asked, db::Connection& connection, std::string_view id);

// {"import": UUID, "rows": how many} of an import whose corrections another one is to take over; null: there are none.
Result<boost::json::value> corrections_json(db::Connection& connection, std::int64_t company, const std::string& job);

}  // namespace lade::api
