// An archive that says anything must be refused or read within its limits; what ISA-L inflates, zlib must inflate too.
#include <zlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "zip/archive.h"

namespace {

using lade::File;
using lade::Result;

Result<std::string> drain(const lade::zip::Archive& archive, std::size_t entry) {
  LADE_ASSIGN(const auto source, archive.read(entry));
  std::string text;
  char buffer[1000];
  for (;;) {
    LADE_ASSIGN(const std::size_t count, source->read(buffer));
    if (count == 0) return text;
    text.append(buffer, count);
  }
}

// The deflated bytes of an entry, somewhere in the file, inflate to `text` by zlib as well.
bool inflates_to(std::string_view packed, std::string_view text) {
  z_stream stream = {};
  LADE_ASSERT(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  std::string out(text.size() + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int outcome = inflate(&stream, Z_FINISH);
  const bool same =
      outcome == Z_STREAM_END && stream.total_out == text.size() && out.compare(0, text.size(), text) == 0;
  inflateEnd(&stream);
  return same;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  File file = File::temporary(std::filesystem::temp_directory_path()).value();
  LADE_ASSERT(file.write(bytes));
  const lade::zip::Limits limits{.max_entries = 100, .max_bytes = 1'000'000, .max_ratio = 100, .free_bytes = 10'000};
  const auto archive = lade::zip::Archive::open(file, "fuzz.zip", limits);
  if (!archive) return 0;
  LADE_ASSERT(archive->entries().size() <= limits.max_entries);
  std::size_t total = 0;
  for (std::size_t index = 0; index < archive->entries().size(); ++index) {
    const auto& entry = archive->entries()[index];
    const auto text = drain(*archive, index);
    if (!text) continue;
    total += text->size();
    LADE_ASSERT(text->size() == entry.bytes && total <= limits.max_bytes);
    LADE_ASSERT(text->size() <= limits.free_bytes || text->size() / limits.max_ratio <= entry.packed_bytes);
    if (text->empty() || entry.packed_bytes == entry.bytes) continue;
    bool found = false;
    for (std::size_t at = 0; !found && at + entry.packed_bytes <= size; ++at) {
      found = inflates_to(bytes.substr(at, entry.packed_bytes), *text);
    }
    LADE_ASSERT(found);
  }
  return 0;
}
