#include "source/original.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::chrono::milliseconds kStopInterval{100};

Error too_large(const std::string& name, std::uint64_t max_bytes) {
  return {"file_too_large", fmt::format("{}: more than {} bytes", name, max_bytes),
          "split the file, or raise --max-bytes", ErrorKind::invalid};
}

Result<void> collect(Original& original, const std::filesystem::path& spool_folder, std::uint64_t max_bytes,
                     const std::stop_token& stop) {
  LADE_ASSIGN(File spool, File::temporary(spool_folder));
  std::vector<char> block(kBlockBytes);
  for (;;) {
    while (!stop.stop_requested() && !original.file.wait_readable(kStopInterval)) continue;
    if (stop.stop_requested()) return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
    LADE_ASSIGN(const std::size_t count, original.file.read(block));
    if (count == 0) break;
    original.bytes += count;
    if (original.bytes > max_bytes) return fail(too_large(original.name, max_bytes));
    LADE_TRY(spool.write({block.data(), count}));
  }
  original.file = std::move(spool);
  original.collected = true;
  return {};
}

}  // namespace

Result<Original> open_original(const std::string& path, const std::filesystem::path& spool_folder,
                               std::uint64_t max_bytes, const std::stop_token& stop) {
  Original original;
  const bool standard_input = path == "-";
  original.name = standard_input ? "(standard input)" : path;
  if (standard_input) {
    original.file = File::standard_input();
  } else {
    LADE_ASSIGN(original.file, File::open(path));
  }
  if (standard_input || !original.file.is_regular()) {
    LADE_TRY(collect(original, spool_folder, max_bytes, stop));
    return original;
  }
  LADE_ASSIGN(original.bytes, original.file.size());
  if (original.bytes > max_bytes) return fail(too_large(path, max_bytes));
  return original;
}

}  // namespace lade::source
