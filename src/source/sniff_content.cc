#include "source/sniff_content.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace lade::source {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view kUnpack = "unpack it first and import the file inside";
constexpr std::string_view kSaveAsCsv = "open it and save it as \"CSV UTF-8\", then import that file";

constexpr std::array kSignatures = {
    Signature{"PK\x03\x04"sv, "a zip archive or an Excel workbook (.xlsx)", kSaveAsCsv},
    Signature{"PK\x05\x06"sv, "an empty zip archive", kUnpack},
    Signature{"\xD0\xCF\x11\xE0"sv, "an old Excel workbook (.xls)", kSaveAsCsv},
    Signature{"\x1F\x8B"sv, "compressed with gzip", kUnpack},
    Signature{"BZh"sv, "compressed with bzip2", kUnpack},
    Signature{"\xFD"
              "7zXZ"sv,
              "compressed with xz", kUnpack},
    Signature{"7z\xBC\xAF"sv, "a 7-Zip archive", kUnpack},
    Signature{"\x28\xB5\x2F\xFD"sv, "compressed with zstd", kUnpack},
    Signature{"%PDF-"sv, "a PDF document", "export the table from its source as CSV"},
    Signature{"PAR1"sv, "a Parquet file", "export it as CSV"},
    Signature{"SQLite format 3\0"sv, "a SQLite database", "export the table as CSV"},
    Signature{"\x89PNG"sv, "a PNG image", "choose the file that holds the table"},
};

constexpr std::array kMarkup = {"<!doctype"sv, "<html"sv, "<?xml"sv};

struct ByteOrderMark {
  std::string_view bytes;
  std::string_view encoding;
};

// UTF-32 before UTF-16, whose little-endian mark it begins with.
constexpr std::array kWideMarks = {ByteOrderMark{"\xFF\xFE\0\0"sv, "utf-32le"},
                                   ByteOrderMark{"\0\0\xFE\xFF"sv, "utf-32be"}, ByteOrderMark{"\xFF\xFE"sv, "utf-16le"},
                                   ByteOrderMark{"\xFE\xFF"sv, "utf-16be"}};
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

tl::unexpected<Error> refuse_encoding(std::string_view encoding, std::string_view reason) {
  return fail("unsupported_encoding", fmt::format("the file is {} ({}); only UTF-8 is accepted", encoding, reason),
              fmt::format("convert it, for example: iconv -f {} -t UTF-8 FILE > NEW_FILE", encoding),
              ErrorKind::invalid);
}

tl::unexpected<Error> refuse_content(std::string_view what, std::string_view hint) {
  return fail("not_a_csv", fmt::format("the file is no CSV: it is {}", what), std::string(hint), ErrorKind::invalid);
}

bool starts_with_markup(std::string_view sample) {
  return std::ranges::any_of(kMarkup, [&](std::string_view markup) {
    return std::ranges::equal(sample.substr(0, markup.size()), markup, [](char left, char right) {
      return std::tolower(static_cast<unsigned char>(left)) == right;
    });
  });
}

// Text in Latin letters as UTF-16 has a NUL in nearly every second byte.
std::string_view wide_without_mark(std::string_view sample) {
  std::array<std::size_t, 2> zeros{};
  for (std::size_t at = 0; at < sample.size(); ++at) zeros[at % 2] += sample[at] == '\0' ? 1 : 0;
  const std::size_t pairs = sample.size() / 2;
  if (pairs < 2) return {};
  if (zeros[1] * 10 >= pairs * 7 && zeros[0] * 10 <= pairs) return "utf-16le";
  if (zeros[0] * 10 >= pairs * 7 && zeros[1] * 10 <= pairs) return "utf-16be";
  return {};
}

// Control characters other than those that tables are written with.
bool looks_binary(std::string_view sample) {
  const auto controls = std::ranges::count_if(sample, [](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value < 0x09 || (value > 0x0D && value < 0x1A);
  });
  return static_cast<std::size_t>(controls) * 20 > sample.size();
}

// The sample may end inside a character.
bool is_utf8(std::string_view sample) {
  for (std::size_t cut = 0; cut < 4 && cut <= sample.size(); ++cut) {
    if (simdjson::validate_utf8(sample.data(), sample.size() - cut)) return true;
  }
  return false;
}

}  // namespace

Result<Content> sniff_content(std::string_view sample) {
  for (const ByteOrderMark& mark : kWideMarks) {
    if (sample.starts_with(mark.bytes)) return refuse_encoding(mark.encoding, "by its byte order mark");
  }
  for (const Signature& signature : kSignatures) {
    if (sample.starts_with(signature.bytes)) return refuse_content(signature.what, signature.hint);
  }
  if (starts_with_markup(sample)) return refuse_content("an HTML or XML document", kSaveAsCsv);
  if (const std::string_view wide = wide_without_mark(sample); !wide.empty()) {
    return refuse_encoding(wide, "every second byte is zero");
  }
  if (looks_binary(sample)) {
    return refuse_content("binary (more than 5 % of its bytes are control characters)",
                          "choose the file that holds the table as text");
  }
  Content content;
  content.bom = sample.starts_with(kUtf8Mark);
  const bool valid = is_utf8(sample);
  content.encoding = valid ? "utf-8" : "unknown";
  content.evidence = fmt::format("encoding: {}{}", valid ? "valid UTF-8" : "no valid UTF-8 (Windows-1252 or another)",
                                 content.bom ? ", with a byte order mark" : "");
  return content;
}

}  // namespace lade::source
