#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::harvest {

struct DecodedText {
  std::string text;      // UTF-8, without a byte order mark
  std::string charset;   // that it was taken for, by its usual name
  std::string evidence;  // byte order mark, header, meta, content or default
};

// The text of a page as UTF-8. How it is encoded is said by, in this order: its byte order mark, the header
// (`content_type`), for HTML a <meta> among its first 1024 bytes; without them it is UTF-8 when all of it is, otherwise
// windows-1252. What has no meaning becomes U+FFFD. Fails with charset_unknown when the header or meta names an
// encoding that does not exist.
Result<DecodedText> decode_page(std::string_view bytes, std::string_view content_type, bool is_html);

bool is_utf8(std::string_view bytes);

// The value of a parameter of a header such as "text/html; charset=utf-8"; empty without one.
std::string header_parameter(std::string_view header, std::string_view name);

}  // namespace lade::harvest
