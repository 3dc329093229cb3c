#pragma once

#include <string>
#include <string_view>

namespace lade::http {

// Whether an Accept-Encoding field allows gzip.
bool accepts_gzip(std::string_view accept_encoding);
// Whether bodies of this content type get smaller by it.
bool is_compressible(std::string_view content_type);
std::string gzip(std::string_view text);
// The way back, of what is known to be whole.
std::string gunzip(std::string_view packed);

}  // namespace lade::http
