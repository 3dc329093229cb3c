// The small parts of a workbook: whatever they say, they are read or refused; number formats take any code and any
// number. The first byte chooses.
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/bytes.h"
#include "xlsx/number_format.h"
#include "xlsx/package.h"
#include "xlsx/styles.h"
#include "xlsx/workbook_part.h"

namespace {

using namespace lade::xlsx;

void read_styles(std::string_view part) {
  lade::MemorySource source(part);
  const auto styles = Styles::read(source, "styles");
  if (!styles) return;
  for (const std::uint32_t style : {0U, 1U, 7U, 0xFFFF'FFFFU}) {
    LADE_ASSERT(!styles->code(style).empty());
    if (styles->kind(style) == FormatKind::zeros) LADE_ASSERT(!styles->zeros(style).padded("12", true).empty());
  }
}

void read_workbook(std::string_view part) {
  lade::MemorySource source(part);
  const auto workbook = read_workbook_part(source, "workbook");
  if (!workbook) LADE_ASSERT(workbook.error().code.starts_with("workbook_"));
}

// The first 8 bytes are the number.
void show_number(std::string_view text) {
  double value = 0;
  if (text.size() < sizeof value) return;
  std::memcpy(&value, text.data(), sizeof value);
  const std::string_view code = text.substr(sizeof value);
  const NumberFormat format = NumberFormat::parse(code);
  LADE_ASSERT(!format.sections().empty() && format.sections().size() <= 4);
  LADE_ASSERT(format.display(value).size() <= 2000 + 32 * code.size());
  LADE_ASSERT(format.display(12345.678).size() <= 2000 + 32 * code.size());
  format.display("text");
  if (format.kind() == FormatKind::zeros) LADE_ASSERT(format.zero_pattern().places >= 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: read_styles(text); break;
    case 1: read_workbook(text); break;
    case 2: show_number(text); break;
    default: LADE_ASSERT(resolve_target("xl/workbook.xml", text).find("../") != 0); break;
  }
  return 0;
}
