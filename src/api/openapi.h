#pragma once

#include <boost/json.hpp>
#include <string_view>

namespace lade::api {

// The OpenAPI 3.1 description of routes(), with the schemas of docs/api-schemas.json.
boost::json::object openapi_document();

// docs/api-schemas.json, embedded in the program.
std::string_view api_schemas();

}  // namespace lade::api
