#include "storage/storage.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/assert.h"

namespace lade::storage {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;

}  // namespace

Error stored_file_missing(const std::string& id) {
  return {"stored_file_missing", fmt::format("file {} is not in the storage", id),
          "upload it again, or bring back the storage's folder or bucket"};
}

Error stored_file_damaged(const std::string& id, std::string_view what) {
  return {"stored_file_damaged", fmt::format("file {} is not as it was stored: {}", id, what),
          "upload it again; check the disk"};
}

Upload::Upload(std::string id, std::unique_ptr<Destination> destination, const UploadOptions& options)
    : stored_{std::move(id)}, destination_(std::move(destination)), max_bytes_(options.max_bytes) {
  if (options.checksum) sum_.emplace();
}

Upload::Upload(Upload&& other) noexcept
    : stored_(std::move(other.stored_)),
      destination_(std::move(other.destination_)),
      sum_(std::move(other.sum_)),
      max_bytes_(other.max_bytes_),
      usable_(std::exchange(other.usable_, false)) {}

Upload::~Upload() = default;

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
  Result<void> written = destination_->write(bytes);
  if (beside) hashing_->wait();
  usable_ = written.has_value();
  return written;
}

Result<StoredFile> Upload::finish() {
  LADE_ASSERT(usable_);
  usable_ = false;
  LADE_TRY(destination_->finish());
  if (sum_) stored_.sha256 = sum_->finish();
  return stored_;
}

Result<StoredFile> Storage::store(ByteSource& source, const UploadOptions& options) const {
  LADE_ASSIGN(Upload upload, begin(options));
  std::vector<char> block(kBlockBytes);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, source.read(block));
    if (count == 0) return upload.finish();
    LADE_TRY(upload.write({block.data(), count}));
  }
}

Result<std::string> Storage::checksum_of(File& file) {
  Sha256 sum;
  std::vector<char> block(kBlockBytes);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, file.read(block));
    if (count == 0) return sum.finish();
    sum.add({block.data(), count});
  }
}

Result<void> Storage::verify(const StoredFile& stored) const {
  LADE_ASSIGN(File file, read(stored.id, stored.bytes));
  LADE_ASSIGN(const std::string sum, checksum_of(file));
  if (sum != stored.sha256) return fail(stored_file_damaged(stored.id, "its checksum differs"));
  return {};
}

std::optional<std::string> Storage::link_to(const std::string&, const LinkOptions&) const {
  return std::nullopt;
}

std::optional<std::string> Storage::link_to_upload(const std::string&, std::chrono::seconds) const {
  return std::nullopt;
}

}  // namespace lade::storage
