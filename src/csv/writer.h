#pragma once

#include <span>
#include <string>
#include <string_view>

#include "csv/dialect.h"

// Writes what Reader reads back as the same fields (RFC 4180), in any dialect that has a quote and an escape. Both must
// be set: without them some text cannot be written.
namespace lade::csv {

// Appends one field, quoted when it holds the delimiter, a quote, a line end, or outer spaces.
void append_field(std::string& out, std::string_view text, const Dialect& dialect);
// Appends one field in quotes, whatever it holds.
void append_quoted_field(std::string& out, std::string_view text, const Dialect& dialect);
// Appends a whole record with CRLF at its end. A record of one empty field is written as "".
void append_record(std::string& out, std::span<const std::string_view> fields, const Dialect& dialect);

}  // namespace lade::csv
