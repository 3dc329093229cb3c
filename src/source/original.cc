#include "source/original.h"

#include "source/spool.h"

namespace lade::source {
namespace {

Result<void> collect(Original& original, const Spooling& spooling) {
  StreamSource stream(original.file, spooling);
  LADE_ASSIGN(Spool spool, Spool::create(spooling));
  LADE_TRY(spool.copy(stream));
  original.bytes = spool.bytes();
  original.file = std::move(spool).take();
  original.collected = true;
  return {};
}

}  // namespace

Result<Original> open_original(const std::string& path, const std::filesystem::path& spool_folder,
                               std::uint64_t max_bytes, const std::stop_token& stop) {
  Original original;
  const bool standard_input = path == "-";
  original.name = standard_input ? "(standard input)" : path;
  const Spooling spooling{original.name, spool_folder, max_bytes, stop};
  if (standard_input) {
    original.file = File::standard_input();
  } else {
    LADE_ASSIGN(original.file, File::open(path));
  }
  if (standard_input || !original.file.is_regular()) {
    LADE_TRY(collect(original, spooling));
    return original;
  }
  LADE_ASSIGN(original.bytes, original.file.size());
  if (original.bytes > max_bytes) return fail(spooling.too_large());
  return original;
}

}  // namespace lade::source
