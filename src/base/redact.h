#pragma once

#include <string>
#include <string_view>

namespace lade {

// The text without what should be nobody's to read: user names and passwords in URLs, the values of parameters that are
// named like secrets (token, key, password, signature …), and what follows "Bearer" or "Basic". For errors and
// addresses that people and other systems get to see.
std::string redacted(std::string_view text);

}  // namespace lade
