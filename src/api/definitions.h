#pragma once

#include "api/route.h"
#include "definition/parse.h"

namespace lade::api {

// A file to fill in, for the definition that the path names.
Result<http::Response> definition_template(Call& call);

// What is wrong with a definition, as a problem.
http::Response faulty(const std::vector<definition::Fault>& faults, const std::string& name);

// Which columns of a file are which of a definition (matching.cc).
Route match_route();

}  // namespace lade::api
