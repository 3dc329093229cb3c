#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/background.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"
#include "base/sha256.h"

// Files at rest: written once, named by ids that lade makes, never changed. Who needs to find them again keeps their
// ids; the storage knows no names of people's files.
namespace lade::storage {

// A file as it was stored.
struct StoredFile {
  std::string id;  // UUIDv7
  std::uint64_t bytes = 0;
  std::string sha256 = {};  // empty: none was asked for
};

struct UploadOptions {
  std::optional<std::uint64_t> max_bytes = {};  // more is refused with upload_too_large
  bool checksum = true;                         // false for files that carry checksums of their own
};

// A file on its way into the storage; nothing of it is seen before finish(), and nothing is left of it without. Owned
// by one thread. After an error it can only be thrown away.
class Upload final : public ByteSink {
 public:
  Upload(Upload&& other) noexcept;
  Upload& operator=(Upload&&) = delete;
  ~Upload() override;

  // Known from the beginning.
  const std::string& id() const { return stored_.id; }
  Result<void> write(std::string_view bytes) override;
  // Makes it durable, name and all.
  Result<StoredFile> finish();

 private:
  friend class Folder;
  Upload(std::filesystem::path folder, std::string id, File file, const UploadOptions& options);

  std::filesystem::path folder_;
  StoredFile stored_;
  FileSink sink_;
  std::optional<Sha256> sum_;
  std::unique_ptr<Background> hashing_;
  std::optional<std::uint64_t> max_bytes_;
  bool usable_ = true;     // no error so far
  bool abandoned_ = true;  // the file still has its temporary name
};

// A storage in a local folder, which may be shared by several processes and machines.
class Folder {
 public:
  // Makes the folder and its storage id when they do not exist; several processes may do so at once.
  static Result<Folder> open(const std::filesystem::path& path);

  // The same for all who use this folder: a task that needs its files can be claimed by them only.
  const std::string& id() const { return id_; }

  Result<Upload> begin(const UploadOptions& options = {}) const;
  // The whole of a stream.
  Result<StoredFile> store(ByteSource& source, const UploadOptions& options = {}) const;

  // The file, readable at any place. Fails with stored_file_missing, or with stored_file_damaged when its size is not
  // what was stored.
  Result<File> read(const std::string& id, std::uint64_t bytes) const;
  // Reads it through and compares size and checksum.
  Result<void> verify(const StoredFile& file) const;
  // A file that is not there is fine.
  Result<void> remove(const std::string& id) const;

  // Removes uploads that nobody finished and files that nobody wants, when they were written more than `age` ago: those
  // of a younger age may be about to be recorded. Gives how many.
  Result<std::int64_t> remove_orphans(std::chrono::seconds age,
                                      const std::function<Result<bool>(const std::string& id)>& is_wanted) const;

 private:
  Folder(std::filesystem::path path, std::string id) : path_(std::move(path)), id_(std::move(id)) {}
  Result<std::filesystem::path> path_of(const std::string& id) const;

  std::filesystem::path path_;
  std::string id_;
};

}  // namespace lade::storage
