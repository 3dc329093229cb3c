// The sets of texts in many encodings: lade reads at least as many right as uchardet alone would.
#include <fmt/format.h>
#include <uchardet/uchardet.h>

#include <memory>
#include <optional>

#include "corpus/corpus.h"
#include "source/decoder.h"
#include "source/input.h"

namespace lade {
namespace {

namespace fs = std::filesystem;

struct Sample {
  fs::path path;
  std::string encoding;
};

std::string without_mark(std::string text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// The text of the bytes; nothing when the encoding is not known or some of them mean nothing in it.
std::optional<std::string> text_in(const std::string& encoding, std::string_view bytes) {
  auto decoder = source::Decoder::open(encoding);
  if (!decoder) return {};
  std::string text;
  (*decoder)->decode(bytes, true, text);
  if ((*decoder)->bad_bytes() > 0) return {};
  return without_mark(text);
}

std::string uchardet_says(std::string_view bytes) {
  const std::unique_ptr<uchardet, void (*)(uchardet*)> detector(uchardet_new(), uchardet_delete);
  uchardet_handle_data(detector.get(), bytes.data(), bytes.size());
  uchardet_data_end(detector.get());
  const std::string answer = uchardet_get_charset(detector.get());
  return answer == "UHC" ? "windows-949" : answer;
}

struct Answer {
  std::string name;
  std::optional<std::string> text;
};

Answer lade_reads(const fs::path& path) {
  const auto input = source::open_input(path, fs::temp_directory_path(), 10'000'000);
  if (!input) return {input.error().code, {}};
  std::string text(input->bytes, '\0');
  EXPECT_TRUE(input->file.read_at(0, text));
  return {input->origin.encoding, without_mark(text)};
}

class Encodings : public Corpus {
 protected:
  // What the sets say about their files: by the file's name, or in the tests of the project that they come from.
  std::vector<Sample> samples() const {
    std::vector<Sample> result;
    for (const fs::path& path : files("uchardet")) result.push_back({path, path.stem().string()});
    const std::pair<const char*, const char*> legacy[] = {{"arabic-1", "windows-1256"},  {"chinese", "big5"},
                                                          {"french-1", "windows-1252"},  {"greek", "windows-1253"},
                                                          {"greek-2", "windows-1253"},   {"hebrew-2", "windows-1255"},
                                                          {"korean", "windows-949"},     {"hebrew-3", "windows-1255"},
                                                          {"russian", "x-mac-cyrillic"}, {"turkish", "windows-1254"}};
    for (const fs::path& path : files("charset-normalizer")) {
      if (path.extension() != ".txt") continue;
      std::string encoding = "utf-8";
      for (const auto& [name, known] : legacy)
        if (path.stem() == fmt::format("sample-{}", name)) encoding = known;
      result.push_back({path, encoding});
    }
    const std::pair<const char*, const char*> wide[] = {
        {".utf16le", "utf-16le"}, {".utf16be", "utf-16be"},    {".utf32le", "utf-32le"},    {".utf32be", "utf-32be"},
        {".utf8", "utf-8"},       {".iso88591", "iso-8859-1"}, {".win1252", "windows-1252"}};
    for (const fs::path& path : files("phpspreadsheet-csv"))
      for (const auto& [part, encoding] : wide)
        if (path.stem().string().find(part) != std::string::npos) result.push_back({path, encoding});
    return result;
  }
};

TEST_F(Encodings, AtLeastAsManyAreReadRightAsByUchardet) {
  std::vector<std::string> lines;
  std::size_t ours = 0;
  std::size_t theirs = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.path);
    const std::string bytes = content_of(sample.path);
    const auto expected = text_in(sample.encoding, bytes);
    const Answer lade = lade_reads(sample.path);
    const std::string said = uchardet_says(bytes);
    const bool we_are_right = expected && lade.text == expected;
    const bool they_are_right = expected && text_in(said == "ASCII" ? "utf-8" : said, bytes) == expected;
    ours += we_are_right ? 1 : 0;
    theirs += they_are_right ? 1 : 0;
    lines.push_back(fmt::format("{}: is {}, lade {} {}, uchardet {} {}", fs::relative(sample.path, folder_).string(),
                                sample.encoding, lade.name, we_are_right ? "right" : "wrong",
                                said.empty() ? "nothing" : said, they_are_right ? "right" : "wrong"));
  }
  fmt::print("{} texts: lade reads {} right, uchardet {}\n", lines.size(), ours, theirs);
  EXPECT_GE(ours, theirs);
  expect_outcomes(source_folder_, "encoding_outcomes.txt", lines);
}

}  // namespace
}  // namespace lade
