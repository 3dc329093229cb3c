#include "xlsx/workbook_part.h"

#include <fmt/format.h>

#include "xlsx/xml_reader.h"

namespace lade::xlsx {
namespace {

using Token = XmlReader::Token;
constexpr std::size_t kMostSheets = 10'000;
constexpr std::size_t kMostTabBytes = 4 * 1024 * 1024;

bool is_true(std::string_view text) {
  return text == "1" || text == "true" || text == "on";
}

}  // namespace

Result<WorkbookPart> read_workbook_part(ByteSource& source, const std::string& part) {
  XmlReader xml(source, part);
  WorkbookPart result;
  std::size_t bytes = 0;
  for (;;) {
    LADE_ASSIGN(const Token token, xml.next());
    if (token == Token::finish) return result;
    if (token != Token::start) continue;
    if (xml.depth() == 1 && xml.name() != "workbook") return fail(xml.damaged("the part is no workbook"));
    if (xml.name() == "workbookPr") result.from_1904 = is_true(xml.attribute("date1904"));
    if (xml.name() != "sheet" || xml.depth() != 3) continue;
    const std::string_view state = xml.attribute("state");
    WorkbookPart::Tab tab{.name = {}, .relation = {}, .hidden = state == "hidden" || state == "veryHidden"};
    tab.name = xml.attribute("name");
    tab.relation = xml.prefixed_attribute("id");
    bytes += tab.name.size() + tab.relation.size();
    if (result.tabs.size() == kMostSheets || bytes > kMostTabBytes) {
      return fail("workbook_too_large", fmt::format("{}: the workbook has too many sheets", xml.place()),
                  "split the workbook", ErrorKind::invalid);
    }
    result.tabs.push_back(std::move(tab));
  }
}

}  // namespace lade::xlsx
