#include "base/whole_file.h"

#include <system_error>

namespace lade {

Result<std::unique_ptr<WholeFile>> WholeFile::create(std::filesystem::path path) {
  LADE_ASSIGN(File file, File::create(unfinished(path)));
  return std::unique_ptr<WholeFile>(new WholeFile(std::move(path), std::move(file)));
}

WholeFile::~WholeFile() {
  std::error_code ignored;
  if (!finished_) std::filesystem::remove(unfinished(path_), ignored);
}

Result<void> WholeFile::finish() {
  LADE_TRY(sink_.finish());
  std::error_code error;
  std::filesystem::rename(unfinished(path_), path_, error);
  if (error) return fail(system_error(error.value(), "rename", unfinished(path_).string()));
  finished_ = true;
  return {};
}

}  // namespace lade
