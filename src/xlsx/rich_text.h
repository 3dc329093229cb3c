#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "xlsx/xml_reader.h"

namespace lade::xlsx {

// Appends the text of the element whose start was given last (si or is), up to its end: runs joined, phonetic ones left
// out, _xHHHH_ resolved. Refuses texts of more than `max_characters`.
Result<void> read_rich_text(XmlReader& xml, std::size_t max_characters, std::string& to);

// The same of an element of plain text (v, t).
Result<void> read_plain_text(XmlReader& xml, std::size_t max_characters, std::string& to);

Error text_too_long(const XmlReader& xml, std::size_t max_characters);
bool longer_than(std::string_view text, std::size_t max_characters);

}  // namespace lade::xlsx
