#include "xlsx/rich_text.h"

#include <fmt/format.h>

#include "xlsx/cell_text.h"
#include "xlsx/utf8.h"

namespace lade::xlsx {
namespace {

using Token = XmlReader::Token;
// A character takes at most this as _xHHHH_; a longer text is not read to its end to be refused.
constexpr std::size_t kMostBytesPerCharacter = 7;

// The pieces of text of an element until it is closed; elements within it are left out.
Result<void> read_pieces(XmlReader& xml, std::size_t max_characters, std::string& raw) {
  for (;;) {
    LADE_ASSIGN(const Token token, xml.next());
    if (token == Token::end) return {};
    if (token == Token::start) {
      LADE_TRY(xml.skip_element());
      continue;
    }
    raw += xml.text();
    if (raw.size() > kMostBytesPerCharacter * max_characters) return fail(text_too_long(xml, max_characters));
  }
}

}  // namespace

Error text_too_long(const XmlReader& xml, std::size_t max_characters) {
  return {"workbook_too_large", fmt::format("{}: a cell has more than {} characters", xml.place(), max_characters),
          "shorten the text: a cell of a spreadsheet holds no more", ErrorKind::invalid};
}

bool longer_than(std::string_view text, std::size_t max_characters) {
  return text.size() > max_characters && count_characters(text) > max_characters;
}

Result<void> read_plain_text(XmlReader& xml, std::size_t max_characters, std::string& to) {
  const std::size_t begin = to.size();
  LADE_TRY(read_pieces(xml, max_characters, to));
  if (has_escape(std::string_view(to).substr(begin))) {
    const std::string raw = to.substr(begin);
    to.resize(begin);
    append_unescaped(raw, to);
  }
  if (longer_than(to, max_characters)) return fail(text_too_long(xml, max_characters));
  return {};
}

Result<void> read_rich_text(XmlReader& xml, std::size_t max_characters, std::string& to) {
  const std::size_t inside = xml.depth();
  while (xml.depth() >= inside) {
    LADE_ASSIGN(const Token token, xml.next());
    if (token != Token::start) continue;
    if (xml.name() == "t") {
      LADE_TRY(read_plain_text(xml, max_characters, to));
    } else if (xml.name() != "r") {
      LADE_TRY(xml.skip_element());
    }
  }
  return {};
}

}  // namespace lade::xlsx
