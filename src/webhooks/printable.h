#pragma once

#include <string>
#include <string_view>

namespace lade::webhooks {

// Foreign bytes as a line of text that any database and terminal takes: what is not printable ASCII is a dot, white
// space one space, and the secret, should it stand in there, three stars.
std::string printable(std::string bytes, std::string_view secret);

}  // namespace lade::webhooks
