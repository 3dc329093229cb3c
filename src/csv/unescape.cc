#include "csv/reader.h"

namespace lade::csv {

std::string_view unescape(const Field& field, const Dialect& dialect, std::string& scratch) {
  if (!field.escaped) return field.raw;
  scratch.clear();
  std::string_view rest = field.raw;
  for (;;) {
    const std::size_t at = rest.find(dialect.escape);
    scratch.append(rest, 0, at);
    if (at == std::string_view::npos) return scratch;
    if (at + 1 == rest.size()) return scratch;
    scratch.push_back(rest[at + 1]);
    rest.remove_prefix(at + 2);
  }
}

}  // namespace lade::csv
