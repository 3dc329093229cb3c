#include "source/sniff_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace lade::source {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view what;
  std::string_view hint;
  std::size_t at = 0;
};

constexpr std::string_view kSaveAsCsv = "open it and save it as \"CSV UTF-8\", then import that file";
constexpr std::string_view kChooseTable = "choose the file that holds the table";

constexpr std::array kDocuments = {
    Signature{"%PDF-"sv, "a PDF document", "export the table from its source as CSV"},
    Signature{"PAR1"sv, "a Parquet file", "export it as CSV"},
    Signature{"SQLite format 3\0"sv, "a SQLite database", "export the table as CSV"},
    Signature{"\x89PNG"sv, "a PNG image", kChooseTable},
    Signature{"\xFF\xD8\xFF"sv, "a JPEG image", kChooseTable},
    Signature{"\x7F"
              "ELF"sv,
              "a program", kChooseTable},
    Signature{"{\\rtf"sv, "an RTF document", kSaveAsCsv},
};

constexpr std::array kPackings = {
    Signature{"BZh"sv, "compressed with bzip2", "unpack it first (bunzip2 FILE), or send it as gzip or zstd"},
    Signature{"\xFD"
              "7zXZ\0"sv,
              "compressed with xz", "unpack it first (unxz FILE), or send it as gzip or zstd"},
    Signature{"7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive", "unpack it first, or send the file inside as zip or gzip"},
    Signature{"Rar!\x1A\x07"sv, "a RAR archive", "unpack it first, or send the file inside as zip or gzip"},
    Signature{"\x04\x22\x4D\x18"sv, "compressed with lz4", "unpack it first (unlz4 FILE), or send it as gzip or zstd"},
    Signature{"ustar"sv, "a tar archive", "unpack it first (tar -xf FILE) and send the file inside", 257},
};

constexpr std::array kMarkup = {"<!doctype"sv, "<html"sv, "<?xml"sv, "<table"sv};

bool has(std::string_view beginning, const Signature& signature) {
  return beginning.size() >= signature.at && beginning.substr(signature.at).starts_with(signature.bytes);
}

tl::unexpected<Error> refuse_content(std::string_view what, std::string_view hint) {
  return fail("not_a_csv", fmt::format("the file is no CSV: it is {}", what), std::string(hint), ErrorKind::invalid);
}

std::string_view without_leading_space(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

bool starts_with_markup(std::string_view text) {
  return std::ranges::any_of(kMarkup, [&](std::string_view markup) {
    return std::ranges::equal(text.substr(0, markup.size()), markup, [](char left, char right) {
      return std::tolower(static_cast<unsigned char>(left)) == right;
    });
  });
}

// An object, or a list of objects or lists; a table may well begin with a bracket.
bool starts_with_json(std::string_view text) {
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return false;
  const std::string_view inner = without_leading_space(text.substr(1));
  if (inner.empty()) return false;
  return text.front() == '{' ? inner.front() == '"' || inner.front() == '}'
                             : inner.front() == '{' || inner.front() == '[' || inner.front() == ']';
}

}  // namespace

Result<void> check_content(std::string_view beginning) {
  for (const Signature& signature : kDocuments)
    if (has(beginning, signature)) return refuse_content(signature.what, signature.hint);
  for (const Signature& signature : kPackings) {
    if (has(beginning, signature))
      return fail("unsupported_compression", fmt::format("the file is {}, which lade does not unpack", signature.what),
                  std::string(signature.hint), ErrorKind::invalid);
  }
  const std::string_view text = without_leading_space(beginning);
  if (starts_with_markup(text)) return refuse_content("an HTML or XML document", kSaveAsCsv);
  if (starts_with_json(text)) return refuse_content("JSON", "convert it to CSV first, one row an object");
  return {};
}

Result<void> check_text(std::string_view sample) {
  // Those that tables are written with are left out: tabs, line ends, form feeds, substitutes, escapes, separators.
  const auto controls = std::ranges::count_if(sample, [](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value < 0x09 || (value > 0x0D && value < 0x1A);
  });
  if (static_cast<std::size_t>(controls) * 20 <= sample.size()) return {};
  return refuse_content("binary (more than 5 % of its bytes are control characters)",
                        "choose the file that holds the table as text");
}

}  // namespace lade::source
