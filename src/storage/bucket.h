#pragma once

#include <atomic>
#include <filesystem>

#include "storage/s3_client.h"
#include "storage/storage.h"

namespace lade::storage {

struct BucketOptions {
  S3Options s3;
  std::string prefix = {};                        // of all keys; empty, or it ends with a slash
  std::filesystem::path cache = {};               // a folder of this machine for blocks that were read
  std::uint64_t cache_bytes = 256 * 1024 * 1024;  // on its disk
  // Who has made the storage's id looks again after this time: a storage that knows no conditions may have taken
  // another's meanwhile.
  std::chrono::milliseconds settle{500};
  std::size_t part_bytes = 8 * 1024 * 1024;  // of an upload: that much is held in memory
};

// A storage in a bucket that speaks S3. A file is the object `<prefix><id>` or `<prefix><path>`; it is seen when it is
// whole. What is read
// of one is fetched in blocks and kept in a bounded cache: a worker that reads a chunk fetches that chunk.
class Bucket final : public Storage {
 public:
  // Reads the storage's id, or makes it. Fails when the bucket is not there or the keys are wrong, and with
  // storage_damaged.
  static Result<std::unique_ptr<Bucket>> open(const BucketOptions& options);

  const std::string& id() const override { return id_; }
  Result<void> check() const override;
  Result<Upload> begin(const UploadOptions& options = {}) const override;
  Result<File> read(const std::string& id, std::optional<std::uint64_t> bytes) const override;
  Result<void> remove(const std::string& id) const override;
  // Lists the whole bucket: not more than once an hour, and in between nothing is done.
  Result<std::int64_t> remove_orphans(
      std::chrono::seconds age, const std::function<Result<bool>(const std::string& id)>& is_wanted) const override;
  std::optional<std::string> link_to(const std::string& id, const LinkOptions& options) const override;
  std::optional<std::string> link_to_upload(const std::string& id, std::chrono::seconds expires) const override;
  Result<StoredFile> measure(const std::string& id) const override;

 private:
  struct Inside;
  explicit Bucket(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  Result<void> read_id();
  using IsWanted = std::function<Result<bool>(const std::string& id)>;
  Result<std::int64_t> abort_uploads(std::chrono::sys_seconds youngest, const IsWanted& is_wanted) const;

  std::shared_ptr<const Inside> inside_;  // shared with uploads and files under way, which may outlive the bucket
  std::string id_;
  mutable std::atomic<std::int64_t> tidied_ = 0;  // when orphans were looked for, in seconds since 1970
};

}  // namespace lade::storage
