#pragma once

#include "api/route.h"

namespace lade::api {

// A file to fill in, for the definition that the path names.
Result<http::Response> definition_template(Call& call);

}  // namespace lade::api
