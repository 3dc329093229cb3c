#include "storage/bucket.h"

#include <fmt/format.h>

#include <thread>

#include "base/assert.h"
#include "base/id.h"
#include "storage/block_cache.h"
#include "storage/storage_id.h"

namespace lade::storage {

struct Bucket::Inside {
  BucketOptions options;
  S3Client client;
  std::unique_ptr<BlockCache> cache;

  explicit Inside(const BucketOptions& given) : options(given), client(given.s3) {}
  std::string key_of(std::string_view name) const { return options.prefix + std::string(name); }
};

namespace {

constexpr std::string_view kIdName = "storage_id";
constexpr std::chrono::hours kTidyPause{1};
constexpr std::size_t kMostParts = 10'000;

std::chrono::sys_seconds this_second() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// A file is put as a whole when it is small, otherwise part by part.
template <class Inside>
class NewObject final : public Destination {
 public:
  NewObject(std::shared_ptr<const Inside> inside, std::string key) : inside_(std::move(inside)), key_(std::move(key)) {}
  ~NewObject() override {
    // What cannot be aborted now goes with the orphans.
    if (!upload_.empty()) (void)inside_->client.abort_upload(key_, upload_);
  }

  Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, inside_->options.part_bytes - part_.size());
      part_.append(piece);
      bytes.remove_prefix(piece.size());
      if (part_.size() == inside_->options.part_bytes && !bytes.empty()) LADE_TRY(put_part());
    }
    return {};
  }

  Result<void> finish() override {
    if (upload_.empty()) {
      LADE_TRY(inside_->client.put(key_, part_));
      return {};
    }
    LADE_TRY(put_part());
    LADE_TRY(inside_->client.finish_upload(key_, upload_, tags_, bytes_));
    upload_.clear();
    return {};
  }

 private:
  Result<void> put_part() {
    if (tags_.size() == kMostParts)
      return fail("upload_too_large",
                  fmt::format("the file has more than {} parts of {} bytes", kMostParts, part_.size()),
                  "split the file", ErrorKind::invalid);
    if (upload_.empty()) {
      LADE_ASSIGN(upload_, inside_->client.begin_upload(key_));
    }
    const int number = static_cast<int>(tags_.size()) + 1;
    LADE_ASSIGN(std::string tag, inside_->client.put_part(key_, upload_, number, part_));
    tags_.push_back(std::move(tag));
    bytes_ += part_.size();
    part_.clear();
    return {};
  }

  const std::shared_ptr<const Inside> inside_;
  const std::string key_;
  std::string part_;  // what is not sent yet
  std::string upload_;
  std::vector<std::string> tags_;
  std::uint64_t bytes_ = 0;  // sent
};

template <class Inside>
class ObjectContent final : public FileContent {
 public:
  ObjectContent(std::shared_ptr<const Inside> inside, std::string id, std::uint64_t bytes)
      : inside_(std::move(inside)), id_(std::move(id)), bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) const override {
    return inside_->cache->read(id_, bytes_, offset, into,
                                [this](std::uint64_t at, std::uint64_t count) { return fetch(at, count); });
  }

 private:
  Result<std::string> fetch(std::uint64_t offset, std::uint64_t bytes) const {
    LADE_ASSIGN(auto piece, inside_->client.get(inside_->key_of(id_), offset, bytes));
    if (!piece) return fail(stored_file_missing(id_));
    return std::move(*piece);
  }

  const std::shared_ptr<const Inside> inside_;
  const std::string id_;
  const std::uint64_t bytes_;
};

}  // namespace

Result<std::unique_ptr<Bucket>> Bucket::open(const BucketOptions& options) {
  auto inside = std::make_shared<Inside>(options);
  LADE_ASSIGN(inside->cache, BlockCache::create(options.cache, options.cache_bytes));
  std::unique_ptr<Bucket> bucket(new Bucket(std::move(inside)));
  LADE_TRY(bucket->read_id());
  return bucket;
}

Result<void> Bucket::read_id() {
  const std::string key = inside_->key_of(kIdName);
  LADE_ASSIGN(auto id, inside_->client.get(key));
  if (!id) {
    LADE_ASSIGN(const bool made, inside_->client.put(key, new_uuid() + "\n", true));
    if (made) std::this_thread::sleep_for(inside_->options.settle);
    LADE_ASSIGN(id, inside_->client.get(key));
  }
  if (id && id->ends_with('\n')) id->pop_back();
  if (!id || !is_id(*id))
    return fail("storage_damaged",
                fmt::format("bucket {}: {} is not the id of a storage", inside_->options.s3.bucket, key),
                "bring the object back as it was; with a new id this storage's tasks would find no worker");
  id_ = std::move(*id);
  return {};
}

Result<void> Bucket::check() const {
  LADE_ASSIGN(const auto id, inside_->client.get(inside_->key_of(kIdName)));
  if (!id) return fail(stored_file_missing(std::string(kIdName)));
  return {};
}

Result<Upload> Bucket::begin(const UploadOptions& options) const {
  LADE_ASSERT(options.path.empty() || is_path(options.path));
  std::string name = options.path.empty() ? new_uuid() : options.path;
  auto object = std::make_unique<NewObject<Inside>>(inside_, inside_->key_of(name));
  return Upload(std::move(name), std::move(object), options);
}

Result<File> Bucket::read(const std::string& id, std::optional<std::uint64_t> bytes) const {
  if (!is_name(id)) return fail(stored_file_missing(id));
  LADE_ASSIGN(const auto size, inside_->client.size(inside_->key_of(id)));
  if (!size) return fail(stored_file_missing(id));
  if (bytes && *size != *bytes)
    return fail(stored_file_damaged(id, fmt::format("it has {} bytes instead of {}", *size, *bytes)));
  return File::elsewhere(std::make_unique<ObjectContent<Inside>>(inside_, id, *size), id);
}

Result<StoredFile> Bucket::measure(const std::string& id) const {
  LADE_ASSIGN(File file, read(id, std::nullopt));
  StoredFile stored{id};
  LADE_ASSIGN(stored.bytes, file.size());
  LADE_ASSIGN(stored.sha256, checksum_of(file));
  return stored;
}

Result<void> Bucket::remove(const std::string& id) const {
  if (!is_name(id)) return fail(stored_file_missing(id));
  return inside_->client.remove(inside_->key_of(id));
}

Result<std::int64_t> Bucket::remove_orphans(std::chrono::seconds age,
                                            const std::function<Result<bool>(const std::string& id)>& is_wanted) const {
  const std::chrono::sys_seconds now = this_second(), youngest = now - age;
  if (now.time_since_epoch().count() - tidied_ < std::chrono::seconds(kTidyPause).count()) return 0;
  LADE_ASSIGN(std::int64_t removed, abort_uploads(youngest, is_wanted));
  LADE_TRY(inside_->client.list(inside_->options.prefix, [&](const S3Object& object) -> Result<void> {
    const std::string id = object.key.substr(std::min(inside_->options.prefix.size(), object.key.size()));
    if (!is_name(id) || object.modified > youngest) return {};
    LADE_ASSIGN(const bool wanted, is_wanted(id));
    if (wanted) return {};
    ++removed;
    return remove(id);
  }));
  tidied_ = now.time_since_epoch().count();
  return removed;
}

// Of files with paths only those that are not somebody else's.
Result<std::int64_t> Bucket::abort_uploads(std::chrono::sys_seconds youngest, const IsWanted& is_wanted) const {
  std::int64_t aborted = 0;
  LADE_ASSIGN(const auto uploads, inside_->client.unfinished_uploads(inside_->options.prefix));
  for (const S3Upload& upload : uploads) {
    const std::string id = upload.key.substr(std::min(inside_->options.prefix.size(), upload.key.size()));
    if (!is_name(id) || upload.begun > youngest) continue;
    if (!is_id(id)) {
      LADE_ASSIGN(const bool wanted, is_wanted(id));
      if (wanted) continue;
    }
    LADE_TRY(inside_->client.abort_upload(upload.key, upload.id));
    ++aborted;
  }
  return aborted;
}

std::optional<std::string> Bucket::link_to(const std::string& id, const LinkOptions& options) const {
  S3Fields query;
  if (!options.disposition.empty()) query.emplace_back("response-content-disposition", options.disposition);
  if (!options.type.empty()) query.emplace_back("response-content-type", options.type);
  return inside_->client.presigned("GET", inside_->key_of(id), options.expires, query);
}

std::optional<std::string> Bucket::link_to_upload(const std::string& id, std::chrono::seconds expires) const {
  return inside_->client.presigned("PUT", inside_->key_of(id), expires);
}

}  // namespace lade::storage
