#include "staging/segment_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace lade::staging {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::uint32_t kVersion = 1;
constexpr char kMagic[8] = {'L', 'A', 'D', 'E', 'S', 'E', 'G', '\n'};

struct Trailer {
  std::uint64_t footer_offset;
  std::uint32_t parts;
  std::uint32_t version;
  std::uint64_t checksum;  // of the footer and the fields above
  char magic[8];
};
static_assert(sizeof(Trailer) == 32 && sizeof(SegmentFile::Part) == 32);

std::string_view bytes_of(const Trailer& trailer) {
  return {reinterpret_cast<const char*>(&trailer), sizeof trailer};
}

class Checksum {
 public:
  Checksum() : state_(XXH3_createState()) {
    LADE_ASSERT(state_ != nullptr);
    XXH3_64bits_reset(state_.get());
  }
  void add(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  // Of what was added since the last call.
  std::uint64_t finish() {
    const std::uint64_t sum = XXH3_64bits_digest(state_.get());
    XXH3_64bits_reset(state_.get());
    return sum;
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

std::uint64_t checksum_of(std::string_view id, std::string_view footer, const Trailer& trailer) {
  Checksum sum;
  sum.add(id);
  sum.add(footer);
  sum.add(bytes_of(trailer).substr(0, offsetof(Trailer, checksum)));
  return sum.finish();
}

// Puts parts one after another into an upload.
class PartWriter {
 public:
  explicit PartWriter(storage::Upload& upload) : upload_(upload) {}

  Result<void> begin() {
    LADE_TRY(upload_.write({kMagic, sizeof kMagic}));
    part_.offset = sizeof kMagic;
    return {};
  }
  Result<void> take(std::string_view record) {
    ++part_.rows;
    block_.append(record);
    return block_.size() < kBlockBytes ? Result<void>() : flush();
  }
  Result<void> end_part() {
    LADE_TRY(flush());
    part_.checksum = sum_.finish();
    parts_.push_back(part_);
    part_ = {.offset = part_.offset + part_.bytes};
    return {};
  }
  Result<void> end() {
    const std::string_view footer{reinterpret_cast<const char*>(parts_.data()),
                                  parts_.size() * sizeof(SegmentFile::Part)};
    Trailer trailer{part_.offset, static_cast<std::uint32_t>(parts_.size()), kVersion, 0, {}};
    trailer.checksum = checksum_of(upload_.id(), footer, trailer);
    std::memcpy(trailer.magic, kMagic, sizeof kMagic);
    LADE_TRY(upload_.write(footer));
    return upload_.write(bytes_of(trailer));
  }
  const std::vector<SegmentFile::Part>& parts() const { return parts_; }

 private:
  Result<void> flush() {
    sum_.add(block_);
    part_.bytes += block_.size();
    LADE_TRY(upload_.write(block_));
    block_.clear();
    return {};
  }

  storage::Upload& upload_;
  Checksum sum_;
  std::string block_;
  SegmentFile::Part part_;
  std::vector<SegmentFile::Part> parts_;
};

}  // namespace

Result<WrittenSegment> write_segment(const storage::Storage& storage, SegmentBuilder& rows,
                                     std::span<const std::string> splitters, const IssueLog& findings) {
  LADE_ASSIGN(storage::Upload upload, storage.begin({.checksum = false}));
  PartWriter writer(upload);
  LADE_TRY(writer.begin());
  const auto take = [&](std::string_view record) { return writer.take(record); };
  const auto end_part = [&] { return writer.end_part(); };
  LADE_TRY(rows.finish(splitters, take, end_part));
  LADE_TRY(take_records(findings, take));
  LADE_TRY(writer.end_part());
  LADE_TRY(writer.end());
  LADE_ASSIGN(storage::StoredFile stored, upload.finish());
  WrittenSegment written{std::move(stored.id), stored.bytes};
  for (const SegmentFile::Part& part : writer.parts()) written.bucket_rows.push_back(part.rows);
  written.findings = written.bucket_rows.back();
  written.bucket_rows.pop_back();
  return written;
}

Error SegmentFile::damaged(std::string_view what) const {
  return {"staging_damaged", fmt::format("segment {}: {}", id_, what), "check the disk; run the import again"};
}

Result<std::unique_ptr<SegmentFile>> SegmentFile::open(const storage::Storage& storage, const std::string& id,
                                                       std::uint64_t bytes) {
  Result<File> file = storage.read(id, bytes);
  if (!file && file.error().code == "stored_file_damaged") file.error().code = "staging_damaged";
  if (!file) return fail(std::move(file).error());
  std::unique_ptr<SegmentFile> segment(new SegmentFile(id, std::move(*file)));
  LADE_TRY(segment->read_footer(bytes));
  return segment;
}

Result<void> SegmentFile::read_footer(std::uint64_t bytes) {
  char magic[sizeof kMagic] = {};
  Trailer trailer{};
  if (bytes < sizeof magic + sizeof trailer) return fail(damaged("it is too short for a segment"));
  LADE_TRY(file_.read_at(0, magic));
  LADE_TRY(file_.read_at(bytes - sizeof trailer, {reinterpret_cast<char*>(&trailer), sizeof trailer}));
  if (std::memcmp(magic, kMagic, sizeof magic) != 0) return fail(damaged("it does not begin like a segment"));
  if (std::memcmp(trailer.magic, kMagic, sizeof magic) != 0) return fail(damaged("it does not end like a segment"));
  if (trailer.version != kVersion)
    return fail(damaged(fmt::format("it has version {}, this lade reads {}", trailer.version, kVersion)));
  const std::uint64_t footer_bytes = trailer.parts * std::uint64_t{sizeof(Part)};
  if (trailer.parts < 2 || footer_bytes > bytes - sizeof magic - sizeof trailer ||
      trailer.footer_offset != bytes - sizeof trailer - footer_bytes)
    return fail(damaged("its footer does not fit its size"));
  parts_.resize(trailer.parts);
  const std::span<char> footer{reinterpret_cast<char*>(parts_.data()), footer_bytes};
  LADE_TRY(file_.read_at(trailer.footer_offset, footer));
  if (checksum_of(id_, {footer.data(), footer.size()}, trailer) != trailer.checksum)
    return fail(damaged("the checksum of its footer differs"));
  return check_footer(trailer.footer_offset);
}

// Every byte between the magic and the footer belongs to one part, so that every byte has a checksum.
Result<void> SegmentFile::check_footer(std::uint64_t footer_offset) const {
  std::uint64_t end = sizeof kMagic;
  for (const Part& part : parts_) {
    if (part.offset != end || part.bytes > footer_offset - end)
      return fail(damaged("its parts do not lie one after another"));
    end += part.bytes;
  }
  if (end != footer_offset) return fail(damaged("its parts do not reach its footer"));
  return {};
}

Error SegmentFile::different(const Part& part) const {
  return damaged(fmt::format("the checksum of the {} bytes from {} on differs", part.bytes, part.offset));
}

Result<Range> SegmentFile::verified(const Part& part) const {
  Checksum sum;
  std::string block(std::min<std::uint64_t>(kBlockBytes, part.bytes), '\0');
  for (std::uint64_t done = 0; done < part.bytes;) {
    const std::size_t want = std::min<std::uint64_t>(block.size(), part.bytes - done);
    LADE_ASSIGN(const std::size_t got, file_.read_at(part.offset + done, {block.data(), want}));
    if (got != want) return fail(damaged("it was cut while it was read"));
    sum.add({block.data(), got});
    done += got;
  }
  if (sum.finish() != part.checksum) return fail(different(part));
  return Range{.file = &file_, .offset = part.offset, .bytes = part.bytes, .rows = part.rows};
}

Result<Range> SegmentFile::bucket(std::size_t bucket) const {
  LADE_ASSERT(bucket < buckets());
  return verified(parts_[bucket]);
}

Result<Range> SegmentFile::bucket(std::size_t bucket, std::span<char> memory) const {
  LADE_ASSERT(bucket < buckets() && memory.size() == parts_[bucket].bytes);
  const Part& part = parts_[bucket];
  LADE_ASSIGN(const std::size_t got, file_.read_at(part.offset, memory));
  if (got != memory.size()) return fail(damaged("it was cut while it was read"));
  if (XXH3_64bits(memory.data(), memory.size()) != part.checksum) return fail(different(part));
  file_.forget(part.offset, part.bytes);  // otherwise the system does so when the file is removed, and the end waits
  return Range{.memory = memory.data(), .bytes = part.bytes, .rows = part.rows};
}

Result<Range> SegmentFile::finding_range() const {
  return verified(parts_.back());
}

}  // namespace lade::staging
