// Every file of the corpora that is no workbook is read or refused clearly, and how is recorded in text_outcomes.txt.
#include <fmt/format.h>

#include <chrono>
#include <map>

#include "corpus/corpus.h"
#include "csv/split.h"
#include "source/sniff.h"

namespace lade {
namespace {

namespace fs = std::filesystem;
using source::Input;
using source::Layout;
using source::Sniffed;

constexpr std::uint64_t kMaxBytes = 100'000'000;

bool is_workbook(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".xlsx" || extension == ".xlsm" || extension == ".xls" || extension == ".ooxml";
}

std::string shown(char byte) {
  return byte == '\0' ? "none" : byte == '\t' ? "tab" : byte == ' ' ? "space" : std::string(1, byte);
}

csv::ReaderOptions options_of(const Layout& layout) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.columns = layout.header.size();
  options.first_offset = layout.data_offset;
  options.first_line = layout.data_line;
  return options;
}

struct Rows {
  std::int64_t all = 0;
  std::size_t ragged = 0;
  std::size_t faulty = 0;

  bool operator==(const Rows&) const = default;
};

Result<Rows> count_rows(const Input& input, const csv::ReaderOptions& options, std::uint64_t chunk_bytes) {
  Rows rows;
  FileRange range(input.file, options.first_offset, input.bytes);
  LADE_ASSIGN(const csv::Split split,
              csv::split(range, options, chunk_bytes, [&](const csv::Batch& batch) -> Result<void> {
                rows.ragged += batch.ragged().size();
                rows.faulty += batch.faults().size();
                return {};
              }));
  rows.all = split.rows;
  return rows;
}

std::string described(const Sniffed& sniffed, const Rows& rows) {
  const source::Origin& origin = sniffed.origin;
  std::string text = fmt::format("{} rows x {} columns, {}, delimiter {}, quote {}", rows.all, sniffed.columns,
                                 origin.encoding, shown(sniffed.dialect.delimiter), shown(sniffed.dialect.quote));
  if (sniffed.dialect.escape != sniffed.dialect.quote && sniffed.dialect.quote != 0)
    text += fmt::format(", escape {}", shown(sniffed.dialect.escape));
  if (sniffed.dialect.comment != 0) text += fmt::format(", comment {}", sniffed.dialect.comment);
  if (sniffed.dialect.lone_cr) text += ", CR";
  if (!origin.compression.empty()) text += ", " + origin.compression;
  if (origin.bom) text += ", mark";
  if (!sniffed.has_header) text += ", no header";
  if (sniffed.skipped_lines > 0) text += fmt::format(", {} lines above", sniffed.skipped_lines);
  if (origin.bad_bytes > 0) text += fmt::format(", {} bad bytes from {}", origin.bad_bytes, origin.bad_offsets.front());
  if (rows.ragged > 0) text += fmt::format(", {} ragged", rows.ragged);
  if (rows.faulty > 0) text += fmt::format(", {} with stray quotes", rows.faulty);
  return text;
}

Result<std::string> outcome(const fs::path& path) {
  LADE_ASSIGN(const Input input, source::open_input(path, fs::temp_directory_path(), kMaxBytes));
  LADE_ASSIGN(const Sniffed sniffed, source::sniff(input));
  LADE_ASSIGN(const Layout layout, source::recognise(input, {}));
  csv::ReaderOptions options = options_of(layout);
  LADE_ASSIGN(const Rows rows, count_rows(input, options, 1 << 20));
  // Every way of reading gives the same rows.
  options.vectorised = false;
  EXPECT_EQ(count_rows(input, options, 1000).value(), rows);
  options.vectorised = true;
  options.block_bytes = 100;
  EXPECT_EQ(count_rows(input, options, 100).value(), rows);
  return described(sniffed, rows);
}

TEST_F(Corpus, EveryTextIsReadOrRefusedClearly) {
  std::vector<std::string> lines;
  std::map<std::string, std::size_t> refused;
  std::chrono::duration<double> longest{};
  for (const fs::path& path : files()) {
    if (is_workbook(path)) continue;
    SCOPED_TRACE(path);
    const auto begin = std::chrono::steady_clock::now();
    const auto result = outcome(path);
    longest = std::max<std::chrono::duration<double>>(longest, std::chrono::steady_clock::now() - begin);
    const std::string name = fs::relative(path, folder_).string();
    if (result) {
      lines.push_back(fmt::format("{}: {}", name, *result));
      continue;
    }
    std::string message = result.error().message;
    EXPECT_FALSE(result.error().hint.empty()) << message;
    const std::size_t named = message.find(path.string());
    if (named != std::string::npos) message.replace(named, path.string().size(), "FILE");
    EXPECT_EQ(message.find(path.string()), std::string::npos) << "named twice: " << message;
    ++refused[result.error().code];
    lines.push_back(fmt::format("{}: refused, {}: {}", name, result.error().code, message));
  }
  fmt::print("{} files, the longest took {:.2f} s", lines.size(), longest.count());
  for (const auto& [code, count] : refused) fmt::print("; {} {}", count, code);
  fmt::print("\n");
  expect_outcomes(source_folder_, "text_outcomes.txt", lines);
}

}  // namespace
}  // namespace lade
