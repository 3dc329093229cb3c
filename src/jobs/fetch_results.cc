#include "jobs/fetch_results.h"

#include <vector>

#include "base/whole_file.h"
#include "store/files.h"

namespace lade::jobs {
namespace {

Result<std::string> copy_out(const storage::Folder& storage, const store::FileRecord& record,
                             const std::filesystem::path& folder) {
  const auto bytes = static_cast<std::uint64_t>(record.bytes);
  LADE_ASSIGN(const File stored, storage.read(record.uuid, bytes));
  const std::filesystem::path path = folder / record.name;
  LADE_ASSIGN(const auto file, WholeFile::create(path));
  FileRange range(stored, 0, bytes);
  std::vector<char> block(256 * 1024);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, range.read(block));
    if (count == 0) break;
    LADE_TRY(file->write({block.data(), count}));
  }
  LADE_TRY(file->finish());
  return path.string();
}

}  // namespace

Result<ResultFiles> fetch_results(db::Connection& connection, const storage::Folder& storage,
                                  const store::JobRecord& job, const std::filesystem::path& folder) {
  LADE_ASSIGN(const auto records, store::results_of(connection, job.id));
  ResultFiles files;
  if (records.empty()) return files;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(system_error(error.value(), "create", folder.string()));
  for (const store::FileRecord& record : records) {
    LADE_ASSIGN(std::string path, copy_out(storage, record, folder));
    (record.purpose == "failed"      ? files.failed
     : record.purpose == "succeeded" ? files.succeeded
                                     : files.unprocessed) = std::move(path);
  }
  return files;
}

}  // namespace lade::jobs
