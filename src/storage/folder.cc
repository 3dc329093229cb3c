#include "storage/folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/id.h"
#include "storage/storage_id.h"

namespace lade::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".part";

fs::path unfinished_path(const fs::path& folder, const std::string& id) {
  return folder / (id + std::string(kUnfinished));
}

// A file that has a temporary name until it is whole.
class NewFile final : public Destination {
 public:
  NewFile(fs::path folder, std::string id, File file)
      : folder_(std::move(folder)), id_(std::move(id)), sink_(std::move(file)) {}
  ~NewFile() override {
    if (abandoned_) ::unlink(unfinished_path(folder_, id_).c_str());
  }

  Result<void> write(std::string_view bytes) override { return sink_.write(bytes); }

  Result<void> finish() override {
    LADE_TRY(sink_.finish());
    const fs::path from = unfinished_path(folder_, id_), to = folder_ / id_;
    if (::rename(from.c_str(), to.c_str()) != 0) return fail(system_error(errno, "rename", from.string()));
    abandoned_ = false;
    Result<void> synced = sync_folder(folder_);
    if (!synced) ::unlink(to.c_str());
    return synced;
  }

 private:
  const fs::path folder_;
  const std::string id_;
  FileSink sink_;
  bool abandoned_ = true;  // the file still has its temporary name
};

}  // namespace

Result<Folder> Folder::open(const fs::path& path) {
  std::error_code error;
  const bool created = fs::create_directories(path, error);
  // What people upload is not for everybody on this machine.
  if (created && !error) fs::permissions(path, fs::perms::owner_all, error);
  if (error) return fail(system_error(error.value(), "create", path.string()));
  LADE_ASSIGN(std::string id, storage_id(path));
  return Folder(path, std::move(id));
}

Result<void> Folder::check() const {
  LADE_ASSIGN(Upload probe, begin());
  return probe.write("ready?");  // thrown away
}

Result<Upload> Folder::begin(const UploadOptions& options) const {
  std::string id = new_uuid();
  LADE_ASSIGN(File file, File::create(unfinished_path(path_, id)));
  return Upload(id, std::make_unique<NewFile>(path_, id, std::move(file)), options);
}

Result<File> Folder::open_file(const std::string& id) const {
  if (!is_id(id)) return fail(stored_file_missing(id));
  Result<File> file = File::open(path_ / id);
  if (!file && file.error().code == "file_not_found") return fail(stored_file_missing(id));
  return file;
}

Result<File> Folder::read(const std::string& id, std::uint64_t bytes) const {
  LADE_ASSIGN(File file, open_file(id));
  LADE_ASSIGN(const std::uint64_t size, file.size());
  if (size != bytes) return fail(stored_file_damaged(id, fmt::format("it has {} bytes instead of {}", size, bytes)));
  return file;
}

Result<StoredFile> Folder::measure(const std::string& id) const {
  LADE_ASSIGN(File file, open_file(id));
  StoredFile stored{id};
  LADE_ASSIGN(stored.bytes, file.size());
  LADE_ASSIGN(stored.sha256, checksum_of(file));
  return stored;
}

Result<void> Folder::remove(const std::string& id) const {
  if (!is_id(id)) return fail(stored_file_missing(id));
  const fs::path path = path_ / id;
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
