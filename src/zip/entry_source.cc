#include "zip/entry_source.h"

#include <fmt/format.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>

namespace lade::zip {
namespace {

constexpr std::size_t kBlockBytes = 32 * 1024;
constexpr std::size_t kLargestStep = std::size_t{1} << 30;  // ISA-L counts in 32 bits

}  // namespace

bool Budget::spend(std::uint64_t bytes, std::uint64_t& seen) {
  if (bytes <= seen) return true;
  spent_ += bytes - seen;
  seen = bytes;
  return spent_ <= max_bytes_;
}

EntrySource::EntrySource(const File& file, const std::string& archive, const Place& place, Budget& budget,
                         std::uint64_t& seen)
    : archive_(archive),
      place_(place),
      budget_(budget),
      seen_(seen),
      packed_(file, place.data_begin, place.data_begin + place.entry.packed_bytes) {
  if (place.method != kDeflated) return;
  block_ = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  stream_ = std::make_unique_for_overwrite<inflate_state>();
  isal_inflate_init(stream_.get());
}

EntrySource::~EntrySource() = default;

tl::unexpected<Error> EntrySource::refuse(std::string_view what) const {
  return fail(damaged(archive_, fmt::format("entry {:?} {}", place_.entry.name, what)));
}

Result<void> EntrySource::check_end() const {
  if (delivered_ != place_.entry.bytes) {
    return refuse(fmt::format("has {} bytes instead of {}", delivered_, place_.entry.bytes));
  }
  if (consumed_ != place_.entry.packed_bytes || unread_bytes() > 0) return refuse("ends before its packed bytes do");
  if (checksum_ != place_.checksum) return refuse("has another checksum than the directory says");
  return {};
}

// Given to the decoder, which has not used them.
std::uint64_t EntrySource::unread_bytes() const {
  if (stream_ == nullptr) return 0;
  return stream_->avail_in + static_cast<std::uint64_t>(std::max(stream_->read_in_length, 0)) / 8;
}

Result<void> EntrySource::refill() {
  LADE_ASSIGN(const std::size_t count, packed_.read({block_.get(), kBlockBytes}));
  if (count == 0) return refuse("is cut off");
  consumed_ += count;
  stream_->next_in = reinterpret_cast<std::uint8_t*>(block_.get());
  stream_->avail_in = static_cast<std::uint32_t>(count);
  return {};
}

Result<std::size_t> EntrySource::inflate_some(std::span<char> into) {
  stream_->next_out = reinterpret_cast<std::uint8_t*>(into.data());
  stream_->avail_out = static_cast<std::uint32_t>(into.size());
  while (!ended_ && stream_->avail_out > 0) {
    const std::uint32_t room = stream_->avail_out;
    const std::uint32_t given = stream_->avail_in;
    const int outcome = isal_inflate(stream_.get());
    ended_ = stream_->block_state == ISAL_BLOCK_FINISH;
    if (outcome < 0) return refuse("cannot be inflated");
    // The decoder may still hold bytes to deliver when it has no more to read: it is asked before it is given more.
    if (ended_ || stream_->avail_out < room || stream_->avail_in < given) continue;
    if (stream_->avail_in > 0) return refuse("cannot be inflated");
    LADE_TRY(refill());
  }
  return into.size() - stream_->avail_out;
}

Result<std::size_t> EntrySource::copy_some(std::span<char> into) {
  LADE_ASSIGN(const std::size_t count, packed_.read(into));
  consumed_ += count;
  ended_ = count == 0;
  return count;
}

Result<std::size_t> EntrySource::read(std::span<char> into) {
  if (ended_ || into.empty()) return 0;
  // One byte beyond what is declared may come, to be found out.
  const std::uint64_t left = place_.entry.bytes - delivered_;
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>({into.size(), kLargestStep, left + 1})));
  LADE_ASSIGN(const std::size_t count, stream_ != nullptr ? inflate_some(into) : copy_some(into));
  if (count > left) return refuse(fmt::format("has more bytes than the {} that it declares", place_.entry.bytes));
  delivered_ += count;
  checksum_ = crc32_gzip_refl(checksum_, reinterpret_cast<const unsigned char*>(into.data()), count);
  if (!budget_.spend(delivered_, seen_)) {
    return fail("file_too_large",
                fmt::format("{} has more than {} bytes when it is unpacked", archive_, budget_.max_bytes()),
                "split the file, or raise the limit", ErrorKind::invalid);
  }
  if (ended_) LADE_TRY(check_end());
  return count;
}

}  // namespace lade::zip
