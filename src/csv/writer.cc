#include "csv/writer.h"

#include "base/assert.h"

namespace lade::csv {
namespace {

bool needs_quotes(std::string_view text, const Dialect& dialect) {
  if (text.empty()) return false;
  if (text.front() == ' ' || text.front() == '\t' || text.back() == ' ' || text.back() == '\t') return true;
  // At the start of a file it would be taken for a byte order mark.
  if (text.starts_with("\xEF\xBB\xBF")) return true;
  if (dialect.comment != 0 && text.front() == dialect.comment) return true;
  const char special[] = {dialect.delimiter, dialect.quote, '\n', '\r'};
  return text.find_first_of(std::string_view(special, sizeof special)) != std::string_view::npos;
}

}  // namespace

void append_quoted_field(std::string& out, std::string_view text, const Dialect& dialect) {
  LADE_ASSERT(dialect.quote != 0 && dialect.escape != 0);
  out.push_back(dialect.quote);
  for (const char byte : text) {
    if (byte == dialect.quote || byte == dialect.escape) out.push_back(dialect.escape);
    out.push_back(byte);
  }
  out.push_back(dialect.quote);
}

void append_field(std::string& out, std::string_view text, const Dialect& dialect) {
  if (needs_quotes(text, dialect)) {
    append_quoted_field(out, text, dialect);
  } else {
    out.append(text);
  }
}

void append_record(std::string& out, std::span<const std::string_view> fields, const Dialect& dialect) {
  // Alone on its line an empty field would read as a blank line.
  if (fields.size() == 1 && fields[0].empty()) append_quoted_field(out, {}, dialect);
  for (std::size_t column = 0; column < fields.size(); ++column) {
    if (column > 0) out.push_back(dialect.delimiter);
    append_field(out, fields[column], dialect);
  }
  out.append("\r\n");
}

}  // namespace lade::csv
