#pragma once

#include <boost/json.hpp>

#include "base/result.h"
#include "http/message.h"

// Errors as problem+json (RFC 9457).
namespace lade::api {

// The status that an error is answered with.
int status_of(const Error& error);

// `type` is urn:lade:error:CODE, the code as docs/errors.md has it; `more` are further members. What lade itself or its
// database got wrong is told without its details, which are for the log.
http::Response problem(const Error& error, const boost::json::object& more = {});

http::Response json_response(int status, const boost::json::value& value);

// A list that comes in one page.
http::Response whole_list(boost::json::array items);

// What an ETag says, without its quotes; compressed answers have weak ones.
std::string_view bare_tag(std::string_view tag);

// What is not there, or not theirs: the two look the same.
Error not_found(std::string_view noun, std::string_view reference);

}  // namespace lade::api
