#pragma once

#include "api/route.h"
#include "store/drafts.h"

namespace lade::api {

// The draft, if it belongs to who asks; otherwise draft_not_found.
Result<store::Draft> require_draft(const Asked& asked, db::Connection& connection, std::string_view id);

}  // namespace lade::api
