#pragma once

#include <string_view>

#include "base/result.h"

namespace lade::remote {

// What an answer with an error status means: problem+json as lade writes it, or whatever stands between here and there.
Error error_of(int status, std::string_view body);

}  // namespace lade::remote
