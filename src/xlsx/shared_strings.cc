#include "xlsx/shared_strings.h"

#include <fmt/format.h>

#include "xlsx/cell_text.h"
#include "xlsx/plain_element.h"
#include "xlsx/rich_text.h"

namespace lade::xlsx {
namespace {

using Token = XmlReader::Token;
constexpr std::size_t kMostStrings = 200'000'000;

class SharedStrings {
 public:
  SharedStrings(XmlReader& xml, const Limits& limits, StringTable& table, bool fast)
      : xml_(xml), limits_(limits), table_(table), fast_(fast) {}

  Result<void> read() {
    for (;;) {
      if (fast_ && xml_.depth() == 1 && xml_.at_markup()) LADE_TRY(read_plain());
      LADE_ASSIGN(const Token token, xml_.next());
      if (token == Token::finish) return table_.finish();
      if (token != Token::start || xml_.depth() == 1) continue;
      if (xml_.name() == "si") {
        text_.clear();
        LADE_TRY(read_rich_text(xml_, limits_.max_text, text_));
        LADE_TRY(append(text_));
      } else {
        LADE_TRY(xml_.skip_element());
      }
    }
  }

 private:
  // Strings without anything special, as nearly all are, as far as the window has them whole.
  Result<void> read_plain() {
    ByteWindow& window = xml_.window();
    const char* at = window.begin();
    for (;;) {
      const PlainElement found = plain_text_element(at, window.end(), "<si><t", "</t></si>");
      if (found.end == nullptr || longer_than(found.text, limits_.max_text)) break;
      if (found.escaped) {
        text_.clear();
        append_unescaped(found.text, text_);
        LADE_TRY(append(text_));
      } else {
        LADE_TRY(append(found.text));
      }
      at = found.end;
    }
    window.consume_to(at);
    return {};
  }

  Result<void> append(std::string_view text) {
    if (table_.size() == kMostStrings) {
      return fail("workbook_too_large",
                  fmt::format("{}: the workbook has more than {} shared strings", xml_.place(), kMostStrings),
                  "split the workbook", ErrorKind::invalid);
    }
    return table_.append(text);
  }

  XmlReader& xml_;
  const Limits& limits_;
  StringTable& table_;
  const bool fast_;
  std::string text_;
};

}  // namespace

Result<void> read_shared_strings(ByteSource& source, const std::string& part, const Limits& limits, StringTable& table,
                                 const SharedStringOptions& options) {
  XmlReader xml(source, part, {.block_bytes = options.block_bytes});
  return SharedStrings(xml, limits, table, options.fast).read();
}

}  // namespace lade::xlsx
