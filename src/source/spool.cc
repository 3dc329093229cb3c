#include "source/spool.h"

#include <fmt/format.h>

#include <vector>

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::chrono::milliseconds kStopInterval{100};

}  // namespace

Error Spooling::too_large() const {
  return {"file_too_large", fmt::format("{}: more than {} bytes", name, max_bytes),
          "split the file, or raise --max-bytes", ErrorKind::invalid};
}

Result<void> Spooling::check_stop() const {
  if (stop.stop_requested()) return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
  return {};
}

Result<std::size_t> StreamSource::read(std::span<char> into) {
  while (!spooling_.stop.stop_requested() && !file_.wait_readable(kStopInterval)) continue;
  LADE_TRY(spooling_.check_stop());
  return file_.read(into);
}

Result<Spool> Spool::create(const Spooling& spooling) {
  LADE_ASSIGN(File file, File::temporary(spooling.folder));
  return Spool(std::move(file), spooling);
}

Result<void> Spool::write(std::string_view bytes) {
  LADE_TRY(spooling_->check_stop());
  bytes_ += bytes.size();
  if (bytes_ > spooling_->max_bytes) return fail(spooling_->too_large());
  return file_.write(bytes);
}

Result<void> Spool::copy(ByteSource& from) {
  std::vector<char> block(kBlockBytes);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, from.read(block));
    if (count == 0) return {};
    LADE_TRY(write({block.data(), count}));
  }
}

}  // namespace lade::source
