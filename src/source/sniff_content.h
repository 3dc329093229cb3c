#pragma once

#include <string_view>

#include "base/result.h"

namespace lade::source {

// Refuses by its first bytes what is no table of text: not_a_csv (documents, databases, images, JSON, markup),
// unsupported_compression (bzip2, xz, 7-Zip, tar). Workbooks, gzip, zstd and zip are not its business.
Result<void> check_content(std::string_view beginning);

// Refuses with not_a_csv what has too many control characters for a text of one byte a character or of UTF-8.
Result<void> check_text(std::string_view sample);

}  // namespace lade::source
