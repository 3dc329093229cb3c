#include "harvest/charset.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <unicode/ucnv.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <vector>

namespace lade::harvest {
namespace {

constexpr std::size_t kMetaBytes = 1024;
constexpr std::size_t kPieceUnits = 16 << 10;

std::string small(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\"'";
  while (!text.empty() && kBlanks.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && kBlanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

struct Mark {
  std::string_view bytes;
  const char* charset;
};
constexpr Mark kMarks[] = {{"\xEF\xBB\xBF", "utf-8"}, {"\xFE\xFF", "utf-16be"}, {"\xFF\xFE", "utf-16le"}};

// What browsers take a label for: the names of Latin 1 and ASCII mean windows-1252, and a <meta> that can be read as
// ASCII does not stand in UTF-16.
std::string meant_by(std::string_view label, bool is_meta) {
  std::string name = small(trimmed(label));
  for (const char* latin :
       {"iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "us-ascii", "ascii", "cp1252"})
    if (name == latin) return "windows-1252";
  if (name == "utf8") return "utf-8";
  if (is_meta && name.starts_with("utf-16")) return "utf-8";
  return name;
}

std::string charset_of_meta(std::string_view bytes) {
  static const RE2 pattern(R"((?is)<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([a-z0-9_:.-]+))");
  const std::string_view front = bytes.substr(0, kMetaBytes);
  re2::StringPiece found;
  if (!RE2::PartialMatch(re2::StringPiece(front.data(), front.size()), pattern, &found)) return "";
  return {found.data(), found.size()};
}

struct Close {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, Close>;

std::optional<Converter> converter_named(const std::string& name) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(name.c_str(), &status));
  if (U_FAILURE(status) || name.empty()) return std::nullopt;
  return converter;
}

// Piece by piece, so that memory stays near the text's own size.
std::string converted(std::string_view bytes, UConverter* from) {
  std::string text;
  text.reserve(bytes.size());
  std::vector<UChar> units(kPieceUnits);
  std::vector<char> utf8(kPieceUnits * 3);
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  UErrorCode status = U_ZERO_ERROR;
  const Converter to(ucnv_open("UTF-8", &status));
  do {
    status = U_ZERO_ERROR;
    UChar* filled = units.data();
    ucnv_toUnicode(from, &filled, units.data() + units.size(), &at, end, nullptr, true, &status);
    const bool is_full = status == U_BUFFER_OVERFLOW_ERROR;
    if (U_FAILURE(status) && !is_full) break;
    UErrorCode writing = U_ZERO_ERROR;
    const UChar* unit = units.data();
    char* out = utf8.data();
    ucnv_fromUnicode(to.get(), &out, utf8.data() + utf8.size(), &unit, filled, nullptr, !is_full, &writing);
    text.append(utf8.data(), out);
    if (!is_full) break;
  } while (true);
  return text;
}

Result<DecodedText> decoded(std::string_view bytes, const std::string& charset, std::string evidence) {
  const auto converter = converter_named(charset);
  if (!converter)
    return fail("charset_unknown", fmt::format("the page says that it is encoded as '{}', which is unknown", charset),
                "tell the site's owner, or give the encoding in the definition", ErrorKind::invalid);
  return DecodedText{converted(bytes, converter->get()), charset, std::move(evidence)};
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8(nullptr, 0, &length, bytes.data(), static_cast<int32_t>(bytes.size()), &status);
  return status == U_BUFFER_OVERFLOW_ERROR || U_SUCCESS(status);
}

std::string header_parameter(std::string_view header, std::string_view name) {
  for (std::size_t at = header.find(';'); at != std::string_view::npos; at = header.find(';', at + 1)) {
    const std::string_view rest = header.substr(at + 1);
    const std::string_view part = rest.substr(0, rest.find(';'));
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && small(trimmed(part.substr(0, equals))) == name)
      return std::string(trimmed(part.substr(equals + 1)));
  }
  return "";
}

Result<DecodedText> decode_page(std::string_view bytes, std::string_view content_type, bool is_html) {
  for (const Mark& mark : kMarks)
    if (bytes.starts_with(mark.bytes)) return decoded(bytes.substr(mark.bytes.size()), mark.charset, "byte order mark");
  if (const std::string label = header_parameter(content_type, "charset"); !label.empty())
    return decoded(bytes, meant_by(label, false), "header");
  if (const std::string label = is_html ? charset_of_meta(bytes) : ""; !label.empty())
    return decoded(bytes, meant_by(label, true), "meta");
  if (is_utf8(bytes)) return DecodedText{std::string(bytes), "utf-8", "content"};
  return decoded(bytes, "windows-1252", "default");
}

}  // namespace lade::harvest
