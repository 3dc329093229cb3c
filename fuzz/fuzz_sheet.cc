// The fast path of a sheet must give what the tokenizer alone gives, with windows of any size; the same of shared
// strings. The first byte chooses the window and which of the two is read.
#include <filesystem>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "xlsx/shared_strings.h"
#include "xlsx/sheet_parser.h"

namespace {

using namespace lade::xlsx;
using lade::MemorySource;

// A small workbook for the cells to refer to.
struct Surroundings {
  Surroundings() : strings(std::filesystem::temp_directory_path(), 1 << 20) {
    constexpr std::string_view kStyles =
        "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"00000\"/></numFmts><cellXfs><xf numFmtId=\"0\"/>"
        "<xf numFmtId=\"14\"/><xf numFmtId=\"22\"/><xf numFmtId=\"46\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>";
    MemorySource source(kStyles);
    styles = Styles::read(source, "styles").value();
    for (const std::string_view text : {"", "one", "two & three"}) LADE_ASSERT(strings.append(text));
    LADE_ASSERT(strings.finish());
  }
  Styles styles;
  StringTable strings;
  Limits limits;
};

std::string read_sheet(std::string_view part, Surroundings& around, SheetParser::Options options) {
  MemorySource source(part);
  SheetParser parser(source, "sheet", {around.styles, around.strings, around.limits}, options);
  std::string seen;
  Row row;
  for (;;) {
    const auto more = parser.next(row);
    if (!more) return seen + more.error().code;
    if (!*more) return seen + std::to_string(parser.merged_ranges().size());
    seen += std::to_string(row.number);
    std::uint32_t least = 0;
    for (const Cell& cell : row.cells) {
      LADE_ASSERT(cell.column >= least && !cell.text.empty());
      least = cell.column + 1;
      seen += "|" + std::to_string(cell.column) + "," + std::to_string(static_cast<int>(cell.kind)) + "," +
              std::to_string(cell.style) + "=";
      seen += cell.text;
    }
  }
}

std::string read_strings(std::string_view part, const Surroundings& around, SharedStringOptions options,
                         std::size_t memory) {
  MemorySource source(part);
  StringTable table(std::filesystem::temp_directory_path(), memory);
  const auto read = read_shared_strings(source, "strings", around.limits, table, options);
  if (!read) return read.error().code;
  std::string seen;
  for (std::size_t index = 0; index < table.size(); ++index) seen.append(table.at(index).value()).push_back('|');
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Surroundings around;
  if (size < 1) return 0;
  const std::size_t block = data[0] % 2 == 0 ? 1U + data[0] / 2 : 4096;
  const std::string_view part(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string sheet = read_sheet(part, around, {.block_bytes = 64 * 1024, .fast = false});
  LADE_ASSERT(read_sheet(part, around, {.block_bytes = 64 * 1024, .fast = true}) == sheet);
  LADE_ASSERT(read_sheet(part, around, {.block_bytes = block, .fast = true}) == sheet);
  const std::string strings = read_strings(part, around, {.block_bytes = 64 * 1024, .fast = false}, 1 << 20);
  LADE_ASSERT(read_strings(part, around, {.block_bytes = block, .fast = true}, 1) == strings);
  return 0;
}
