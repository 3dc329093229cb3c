#include "csv/dialect.h"

#include <fmt/format.h>

namespace lade::csv {
namespace {

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

Result<void> refuse(std::string_view what, char byte, std::string_view why) {
  return fail("dialect_invalid", fmt::format("the {} (byte 0x{:02x}) {}", what, static_cast<unsigned char>(byte), why),
              "choose different single bytes that are no line ends, for example , and \" and \\ and #",
              ErrorKind::invalid);
}

Result<void> validate_comment(const Dialect& dialect) {
  const char comment = dialect.comment;
  if (comment == 0) return {};
  if (is_line_end(comment)) return refuse("comment", comment, "is a line end");
  if (comment == dialect.delimiter) return refuse("comment", comment, "is also the delimiter");
  if (comment == dialect.quote) return refuse("comment", comment, "is also the quote");
  return {};
}

}  // namespace

Result<void> validate(const Dialect& dialect) {
  LADE_TRY(validate_comment(dialect));
  if (is_line_end(dialect.delimiter)) return refuse("delimiter", dialect.delimiter, "is a line end");
  if (dialect.quote == 0) return {};
  if (is_line_end(dialect.quote)) return refuse("quote", dialect.quote, "is a line end");
  if (dialect.quote == dialect.delimiter) return refuse("quote", dialect.quote, "is also the delimiter");
  if (dialect.escape == 0 || dialect.escape == dialect.quote) return {};
  if (is_line_end(dialect.escape)) return refuse("escape", dialect.escape, "is a line end");
  if (dialect.escape == dialect.delimiter) return refuse("escape", dialect.escape, "is also the delimiter");
  return {};
}

}  // namespace lade::csv
