#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/multipart.h"

namespace lade::http {

Error multipart_invalid(std::string_view what);

// A parameter behind the semicolons of a field such as Content-Disposition; a quoted one without its quotes. nullopt
// when there is none, or when what stands before it is not well-formed.
std::optional<std::string> parameter_of(std::string_view field, std::string_view name);

// Reads the lines of a part's head, each with its line end. Fails with multipart_invalid.
Result<Part> parse_part_head(std::string_view head);

}  // namespace lade::http
