#include "xlsx/styles.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "xlsx/xml_reader.h"

namespace lade::xlsx {
namespace {

using Token = XmlReader::Token;
// Excel has at most 65,490 cell formats and some hundred number formats.
constexpr std::size_t kMostStyles = 1'000'000;
constexpr std::size_t kMostFormats = 65'536;
constexpr std::size_t kMostCodeBytes = 8 * 1024 * 1024;

std::uint32_t number_of(std::string_view text, std::uint32_t otherwise) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

}  // namespace

class StylesReader {
 public:
  explicit StylesReader(XmlReader& xml) : xml_(xml) {}

  Result<Styles> read() {
    for (;;) {
      LADE_ASSIGN(const Token token, xml_.next());
      if (token == Token::finish) return finish();
      if (token != Token::start || xml_.depth() == 1) continue;
      if (xml_.name() == "numFmts") {
        LADE_TRY(read_children("numFmt"));
      } else if (xml_.name() == "cellXfs") {
        LADE_TRY(read_children("xf"));
      } else {
        LADE_TRY(xml_.skip_element());
      }
    }
  }

 private:
  Result<void> read_children(std::string_view wanted) {
    const std::size_t inside = xml_.depth();
    while (xml_.depth() >= inside) {
      LADE_ASSIGN(const Token token, xml_.next());
      if (token != Token::start) continue;
      if (xml_.name() == wanted) LADE_TRY(wanted == "xf" ? add_style() : add_format());
      LADE_TRY(xml_.skip_element());
    }
    return {};
  }

  Result<void> add_format() {
    const std::uint32_t id = number_of(xml_.attribute("numFmtId"), 0);
    const std::string code(xml_.attribute("formatCode"));
    if (code.empty() || code.size() > NumberFormat::kLongestCode) return {};
    code_bytes_ += code.size();
    if (codes_.size() == kMostFormats || code_bytes_ > kMostCodeBytes) return fail(too_many("number formats"));
    codes_.emplace(id, code);
    return {};
  }

  Result<void> add_style() {
    if (ids_.size() == kMostStyles) return fail(too_many("cell formats"));
    ids_.push_back(number_of(xml_.attribute("numFmtId"), 0));
    return {};
  }

  // The order of the two lists is not relied upon.
  Styles finish() {
    Styles styles;
    std::unordered_map<std::uint32_t, std::uint32_t> index_of;
    for (const std::uint32_t id : ids_) {
      const auto [found, added] = index_of.emplace(id, static_cast<std::uint32_t>(styles.formats_.size()));
      if (added) styles.formats_.push_back(format(id));
      styles.format_of_style_.push_back(found->second);
    }
    return styles;
  }

  Styles::Format format(std::uint32_t id) const {
    const auto own = codes_.find(id);
    Styles::Format result;
    result.code = own != codes_.end() ? std::string_view(own->second) : built_in_format(id);
    const NumberFormat parsed = NumberFormat::parse(result.code);
    result.kind = parsed.kind();
    if (result.kind == FormatKind::zeros) result.zeros = parsed.zero_pattern();
    return result;
  }

  Error too_many(std::string_view what) const {
    return {"workbook_too_large", fmt::format("{}: the workbook has too many {}", xml_.place(), what),
            "open it in a spreadsheet program and save it again, or export the sheet as CSV", ErrorKind::invalid};
  }

  XmlReader& xml_;
  std::unordered_map<std::uint32_t, std::string> codes_;
  std::size_t code_bytes_ = 0;
  std::vector<std::uint32_t> ids_;
};

Styles::Styles() : formats_{{"General", FormatKind::number, {}}} {}

Result<Styles> Styles::read(ByteSource& source, const std::string& part) {
  XmlReader xml(source, part);
  return StylesReader(xml).read();
}

}  // namespace lade::xlsx
