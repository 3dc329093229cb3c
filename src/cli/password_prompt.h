#pragma once

#include <string>

#include "base/result.h"

namespace lade::cli {

// A new password: on a terminal asked for twice, without showing it; otherwise the first line of standard input. Fails
// with password_missing or passwords_differ.
Result<std::string> read_new_password();

}  // namespace lade::cli
