#pragma once

#include <span>
#include <string>
#include <string_view>

#include "csv/dialect.h"

namespace lade::csv {

// Appends one field, quoted when it holds the delimiter, a quote, a line end, or outer spaces (RFC 4180).
void append_field(std::string& out, std::string_view text, const Dialect& dialect);
// Appends a whole record with CRLF at its end.
void append_record(std::string& out, std::span<const std::string_view> fields, const Dialect& dialect);

}  // namespace lade::csv
