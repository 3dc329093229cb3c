#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/background.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"
#include "base/sha256.h"

// Files at rest: written once, never changed. Each is named by an id that lade makes, or by a path with such an id in
// it (storage/storage_id.h), which is not used again. Who needs to find them again keeps these; the storage knows no
// names of people's files.
namespace lade::storage {

// A file as it was stored.
struct StoredFile {
  std::string id;  // UUIDv7, or its path
  std::uint64_t bytes = 0;
  std::string sha256 = {};  // empty: none was asked for
};

struct UploadOptions {
  std::string path = {};                        // where others look for it; empty: it gets an id
  std::optional<std::uint64_t> max_bytes = {};  // more is refused with upload_too_large
  bool checksum = true;                         // false for files that carry checksums of their own
};

// Where the bytes of one upload go. Its destruction without finish() leaves nothing.
class Destination : public ByteSink {
 public:
  // Makes it durable, name and all.
  virtual Result<void> finish() = 0;
};

// A file on its way into the storage; nothing of it is seen before finish(), and nothing is left of it without. Owned
// by one thread. After an error it can only be thrown away.
class Upload final : public ByteSink {
 public:
  Upload(std::string id, std::unique_ptr<Destination> destination, const UploadOptions& options);
  Upload(Upload&& other) noexcept;
  Upload& operator=(Upload&&) = delete;
  ~Upload() override;

  // Known from the beginning.
  const std::string& id() const { return stored_.id; }
  Result<void> write(std::string_view bytes) override;
  // Makes it durable, name and all.
  Result<StoredFile> finish();

 private:
  StoredFile stored_;
  std::unique_ptr<Destination> destination_;
  std::optional<Sha256> sum_;
  std::unique_ptr<Background> hashing_;
  std::optional<std::uint64_t> max_bytes_;
  bool usable_ = true;  // no error so far
};

// An address by which a browser reads a stored file without lade.
struct LinkOptions {
  std::chrono::seconds expires{3600};
  std::string disposition = {};  // Content-Disposition of the answer
  std::string type = {};         // its Content-Type
};

// A place for files that several processes and machines may share. Thread-safe.
class Storage {
 public:
  virtual ~Storage() = default;

  // The same for all who use this storage: a task that needs its files can be claimed by them only.
  virtual const std::string& id() const = 0;
  // Whether files could be stored now.
  virtual Result<void> check() const = 0;

  virtual Result<Upload> begin(const UploadOptions& options = {}) const = 0;
  // The whole of a stream.
  Result<StoredFile> store(ByteSource& source, const UploadOptions& options = {}) const;

  // The file, readable at any place. Fails with stored_file_missing, or with stored_file_damaged when its size is not
  // what was stored; who knows only a part of the file does not say it.
  virtual Result<File> read(const std::string& id, std::optional<std::uint64_t> bytes) const = 0;
  // Reads it through and compares size and checksum.
  Result<void> verify(const StoredFile& file) const;
  // A file that is not there is fine.
  virtual Result<void> remove(const std::string& id) const = 0;

  // Removes uploads that nobody finished and files that nobody wants, when they were written more than `age` ago: those
  // of a younger age may be about to be recorded. Gives how many.
  virtual Result<std::int64_t> remove_orphans(
      std::chrono::seconds age, const std::function<Result<bool>(const std::string& id)>& is_wanted) const = 0;

  // Addresses for those who have no part in lade: to read a file, and to write a new one. Nullopt where the storage has
  // none, as a folder.
  virtual std::optional<std::string> link_to(const std::string& id, const LinkOptions& options) const;
  virtual std::optional<std::string> link_to_upload(const std::string& id, std::chrono::seconds expires) const;
  // Size and checksum of a file that was written by such an address. Fails with stored_file_missing.
  virtual Result<StoredFile> measure(const std::string& id) const = 0;

 protected:
  // For measure(): reads the file through.
  static Result<std::string> checksum_of(File& file);
};

// The faults of stored files, the same in every storage.
Error stored_file_missing(const std::string& id);
Error stored_file_damaged(const std::string& id, std::string_view what);

}  // namespace lade::storage
