#include "storage/folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/assert.h"
#include "base/id.h"
#include "storage/storage_id.h"

namespace lade::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".part";
constexpr std::size_t kBlockBytes = 256 * 1024;

fs::path unfinished_path(const fs::path& folder, const std::string& id) {
  return folder / (id + std::string(kUnfinished));
}

Error missing(const std::string& id) {
  return {"stored_file_missing", fmt::format("file {} is not in the storage", id),
          "upload it again, or bring back the storage's folder"};
}

Error damaged(const std::string& id, std::string_view what) {
  return {"stored_file_damaged", fmt::format("file {} is not as it was stored: {}", id, what),
          "upload it again; check the disk"};
}

}  // namespace

Upload::Upload(fs::path folder, std::string id, File file, const UploadOptions& options)
    : folder_(std::move(folder)), stored_{std::move(id)}, sink_(std::move(file)), max_bytes_(options.max_bytes) {
  if (options.checksum) sum_.emplace();
}

Upload::Upload(Upload&& other) noexcept
    : folder_(std::move(other.folder_)),
      stored_(std::move(other.stored_)),
      sink_(std::move(other.sink_)),
      sum_(std::move(other.sum_)),
      max_bytes_(other.max_bytes_),
      usable_(std::exchange(other.usable_, false)),
      abandoned_(std::exchange(other.abandoned_, false)) {}

Upload::~Upload() {
  if (abandoned_) ::unlink(unfinished_path(folder_, stored_.id).c_str());
}

Result<void> Upload::write(std::string_view bytes) {
  LADE_ASSERT(usable_);
  usable_ = false;
  stored_.bytes += bytes.size();
  if (max_bytes_ && stored_.bytes > *max_bytes_)
    return fail("upload_too_large", fmt::format("the file is larger than {} bytes", *max_bytes_),
                "split the file, or raise the limit", ErrorKind::invalid);
  // Hashing takes as long as writing: large pieces are hashed beside it.
  constexpr std::size_t kWorthwhile = 64 * 1024;
  const bool beside = sum_ && bytes.size() >= kWorthwhile;
  if (beside && !hashing_) hashing_ = std::make_unique<Background>();
  if (beside)
    hashing_->start([&] { sum_->add(bytes); });
  else if (sum_)
    sum_->add(bytes);
  Result<void> written = sink_.write(bytes);
  if (beside) hashing_->wait();
  usable_ = written.has_value();
  return written;
}

Result<StoredFile> Upload::finish() {
  LADE_ASSERT(usable_);
  usable_ = false;
  LADE_TRY(sink_.finish());
  const fs::path from = unfinished_path(folder_, stored_.id), to = folder_ / stored_.id;
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(system_error(errno, "rename", from.string()));
  abandoned_ = false;
  if (Result<void> synced = sync_folder(folder_); !synced) {
    ::unlink(to.c_str());
    return fail(std::move(synced).error());
  }
  if (sum_) stored_.sha256 = sum_->finish();
  return stored_;
}

Result<Folder> Folder::open(const fs::path& path) {
  std::error_code error;
  const bool created = fs::create_directories(path, error);
  // What people upload is not for everybody on this machine.
  if (created && !error) fs::permissions(path, fs::perms::owner_all, error);
  if (error) return fail(system_error(error.value(), "create", path.string()));
  LADE_ASSIGN(std::string id, storage_id(path));
  return Folder(path, std::move(id));
}

Result<fs::path> Folder::path_of(const std::string& id) const {
  if (!is_id(id)) return fail(missing(id));
  return path_ / id;
}

Result<Upload> Folder::begin(const UploadOptions& options) const {
  std::string id = new_uuid();
  LADE_ASSIGN(File file, File::create(unfinished_path(path_, id)));
  return Upload(path_, std::move(id), std::move(file), options);
}

Result<StoredFile> Folder::store(ByteSource& source, const UploadOptions& options) const {
  LADE_ASSIGN(Upload upload, begin(options));
  std::vector<char> block(kBlockBytes);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, source.read(block));
    if (count == 0) return upload.finish();
    LADE_TRY(upload.write({block.data(), count}));
  }
}

Result<File> Folder::read(const std::string& id, std::uint64_t bytes) const {
  LADE_ASSIGN(const fs::path path, path_of(id));
  Result<File> file = File::open(path);
  if (!file && file.error().code == "file_not_found") return fail(missing(id));
  if (!file) return file;
  LADE_ASSIGN(const std::uint64_t size, file->size());
  if (size != bytes) return fail(damaged(id, fmt::format("it has {} bytes instead of {}", size, bytes)));
  return file;
}

Result<void> Folder::verify(const StoredFile& stored) const {
  LADE_ASSIGN(File file, read(stored.id, stored.bytes));
  Sha256 sum;
  std::vector<char> block(kBlockBytes);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, file.read(block));
    if (count == 0) break;
    sum.add({block.data(), count});
  }
  if (sum.finish() != stored.sha256) return fail(damaged(stored.id, "its checksum differs"));
  return {};
}

Result<void> Folder::remove(const std::string& id) const {
  LADE_ASSIGN(const fs::path path, path_of(id));
  if (::unlink(path.c_str()) == 0) return sync_folder(path_);
  if (errno == ENOENT) return {};
  return fail(system_error(errno, "remove", path.string()));
}

Result<std::int64_t> Folder::remove_orphans(std::chrono::seconds age,
                                            const std::function<Result<bool>(const std::string& id)>& is_wanted) const {
  std::error_code error;
  std::int64_t removed = 0;
  const auto youngest = fs::file_time_type::clock::now() - age;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    std::string id = entry->path().filename().string();
    const bool unfinished = id.ends_with(kUnfinished);
    if (unfinished) id.resize(id.size() - kUnfinished.size());
    if (!is_id(id)) continue;
    // Another process may have removed or renamed it meanwhile.
    std::error_code gone;
    if (const auto written = entry->last_write_time(gone); gone || written > youngest) continue;
    if (!unfinished) {
      LADE_ASSIGN(const bool wanted, is_wanted(id));
      if (wanted) continue;
    }
    if (::unlink(entry->path().c_str()) == 0) ++removed;
  }
  if (error) return fail(system_error(error.value(), "read", path_.string()));
  return removed;
}

}  // namespace lade::storage
