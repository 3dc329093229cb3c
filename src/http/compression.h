#pragma once

#include <string>
#include <string_view>

namespace lade::http {

// Whether an Accept-Encoding field allows gzip.
bool accepts_gzip(std::string_view accept_encoding);
// Whether bodies of this content type get smaller by it.
bool is_compressible(std::string_view content_type);
std::string gzip(std::string_view text);

}  // namespace lade::http
