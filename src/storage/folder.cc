#include "storage/folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/assert.h"
#include "base/id.h"
#include "storage/storage_id.h"

namespace lade::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".part";

fs::path unfinished_path(const fs::path& folder, const std::string& id) {
  return folder / (id + std::string(kUnfinished));
}

// Makes the folder of this file; the folders between it and `top` are made durable.
Result<void> make_folder(const fs::path& top, const fs::path& file) {
  std::error_code error;
  if (!fs::create_directories(file.parent_path(), error) && !error) return {};
  if (error) return fail(system_error(error.value(), "create", file.parent_path().string()));
  for (fs::path folder = file.parent_path(); folder != top; folder = folder.parent_path())
    LADE_TRY(sync_folder(folder.parent_path()));
  return {};
}

// A file was removed: the folder that has the id in its path, and what is below it, go when nothing is left in them.
void remove_folders(fs::path folder) {
  for (; ::rmdir(folder.c_str()) == 0 && !is_id(folder.filename().string()); folder = folder.parent_path()) {
  }
}

// A file that has a temporary name until it is whole.
class NewFile final : public Destination {
 public:
  NewFile(fs::path folder, std::string id, const std::string& name, File file)
      : folder_(std::move(folder)), from_(unfinished_path(folder_, id)), to_(folder_ / name), sink_(std::move(file)) {}
  ~NewFile() override {
    if (abandoned_) ::unlink(from_.c_str());
  }

  Result<void> write(std::string_view bytes) override { return sink_.write(bytes); }

  Result<void> finish() override {
    LADE_TRY(sink_.finish());
    LADE_TRY(rename());
    abandoned_ = false;
    return sync_folder(to_.parent_path());
  }

 private:
  // Whoever tidies up may remove an empty folder between the two steps.
  Result<void> rename() const {
    constexpr int kTimes = 3;
    for (int time = 1;; ++time) {
      LADE_TRY(make_folder(folder_, to_));
      if (::rename(from_.c_str(), to_.c_str()) == 0) return {};
      if (errno != ENOENT || time == kTimes) return fail(system_error(errno, "rename", from_.string()));
    }
  }

  const fs::path folder_, from_, to_;
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
  LADE_ASSERT(options.path.empty() || is_path(options.path));
  const std::string id = new_uuid(), &name = options.path.empty() ? id : options.path;
  LADE_ASSIGN(File file, File::create(unfinished_path(path_, id)));
  return Upload(name, std::make_unique<NewFile>(path_, id, name, std::move(file)), options);
}

Result<File> Folder::read(const std::string& id, std::optional<std::uint64_t> bytes) const {
  if (!is_name(id)) return fail(stored_file_missing(id));
  Result<File> file = File::open(path_ / id);
  if (!file && file.error().code == "file_not_found") return fail(stored_file_missing(id));
  if (!file || !bytes) return file;
  LADE_ASSIGN(const std::uint64_t size, file->size());
  if (size != *bytes) return fail(stored_file_damaged(id, fmt::format("it has {} bytes instead of {}", size, *bytes)));
  return file;
}

Result<StoredFile> Folder::measure(const std::string& id) const {
  LADE_ASSIGN(File file, read(id, std::nullopt));
  StoredFile stored{id};
  LADE_ASSIGN(stored.bytes, file.size());
  LADE_ASSIGN(stored.sha256, checksum_of(file));
  return stored;
}

Result<void> Folder::remove(const std::string& id) const {
  if (!is_name(id)) return fail(stored_file_missing(id));
  const fs::path path = path_ / id;
  if (::unlink(path.c_str()) != 0)
    return errno == ENOENT ? Result<void>() : fail(system_error(errno, "remove", path.string()));
  LADE_TRY(sync_folder(path.parent_path()));
  if (!is_id(id)) remove_folders(path.parent_path());
  return {};
}

// Another process may remove and rename what is looked at.
Result<std::int64_t> Folder::tidy(const fs::path& folder, const Tidying& tidying) const {
  std::error_code error;
  std::int64_t removed = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (entry->is_directory(gone) && !entry->is_symlink(gone)) {
      LADE_ASSIGN(const std::int64_t below, tidy(entry->path(), tidying));
      removed += below;
      continue;
    }
    std::string id = entry->path().lexically_relative(path_).generic_string();
    const bool unfinished = folder == path_ && id.ends_with(kUnfinished);
    if (unfinished) id.resize(id.size() - kUnfinished.size());
    if (!is_name(id)) continue;
    if (const auto written = entry->last_write_time(gone); gone || written > tidying.youngest) continue;
    if (!unfinished) {
      LADE_ASSIGN(const bool wanted, tidying.is_wanted(id));
      if (wanted) continue;
    }
    if (::unlink(entry->path().c_str()) != 0) continue;
    ++removed;
    if (folder != path_) remove_folders(folder);
  }
  if (error && folder == path_) return fail(system_error(error.value(), "read", path_.string()));
  return removed;
}

Result<std::int64_t> Folder::remove_orphans(std::chrono::seconds age,
                                            const std::function<Result<bool>(const std::string& id)>& is_wanted) const {
  return tidy(path_, {fs::file_time_type::clock::now() - age, is_wanted});
}

}  // namespace lade::storage
