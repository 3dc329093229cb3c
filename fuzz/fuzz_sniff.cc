// Any bytes as a file: opened (whatever they are compressed and encoded with), recognised and shown, or refused with a
// code; never more than the limit comes out of them. The first two bytes choose what is given.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/assert.h"
#include "source/sniff.h"

namespace {

constexpr std::uint64_t kMaxBytes = 1 << 20;

lade::source::Overrides overrides_from(std::uint8_t first, std::uint8_t second) {
  lade::source::Overrides overrides;
  if ((first & 1) != 0) overrides.delimiter = ",;\t|"[first >> 1 & 3];
  if ((first & 8) != 0) overrides.quote = '\'';
  if ((first & 16) != 0) overrides.comment = '#';
  if ((first & 32) != 0) overrides.expected = {"id", "name"};
  if ((first & 64) != 0) overrides.header_row = second % 4;
  if ((first & 128) != 0) overrides.skip_rows = second % 3;
  constexpr const char* kEncodings[] = {"", "", "", "", "utf-8", "windows-1252", "utf-16", "shift_jis"};
  overrides.encoding = kEncodings[second >> 5];
  return overrides;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto overrides = overrides_from(data[0], data[1]);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto folder = std::filesystem::temp_directory_path();
  auto file = lade::File::temporary(folder);
  LADE_ASSERT(file && file->write_at(0, bytes));
  const auto input = lade::source::as_input(std::move(*file), "input", folder, kMaxBytes, overrides);
  LADE_ASSERT(input || !input.error().code.empty());
  if (!input) return 0;
  LADE_ASSERT(input->bytes <= kMaxBytes || !input->spooled);
  const auto sniffed = lade::source::sniff(*input, overrides);
  LADE_ASSERT(!sniffed || (sniffed->columns > 0 && sniffed->rows.size() <= 20 && !sniffed->evidence.empty()));
  return 0;
}
