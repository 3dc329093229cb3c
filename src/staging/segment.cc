#include "staging/segment.h"

#include <algorithm>
#include <bit>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace lade::staging {
namespace {

// A record on disk: row id, key size, payload size (each 32 bits, native order), key, payload.
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kMinBufferBytes = 16 * 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;  // what is written at once
constexpr std::size_t kPrefetched = 8;
constexpr std::size_t kPrefetchedLines = 3;
constexpr std::size_t kCacheBytes = 64;
// Memory that is not touched costs nothing; growing step by step would touch twice as much of it, and copy.
constexpr std::size_t kFirstBytes = 16 * 1024 * 1024;

__extension__ typedef unsigned __int128 Prefix;

struct Header {
  std::uint32_t row_id;
  std::uint32_t key_size;
  std::uint32_t payload_size;
};
static_assert(sizeof(Header) == kHeaderBytes);

Header read_header(const char* at) {
  Header header;
  std::memcpy(&header, at, sizeof header);
  return header;
}

// Eight bytes of the key from `at` on as a number that compares like them; short keys are filled up with zeros.
std::uint64_t prefix_of(std::string_view key, std::size_t at = 0) {
  std::uint64_t prefix = 0;
  if (key.size() > at) std::memcpy(&prefix, key.data() + at, std::min<std::size_t>(key.size() - at, sizeof prefix));
  return __builtin_bswap64(prefix);
}

void prefetch(const char* record) {
  for (std::size_t line = 0; line < kPrefetchedLines; ++line) __builtin_prefetch(record + line * kCacheBytes);
}

}  // namespace

Result<std::unique_ptr<Area>> Area::create(const std::filesystem::path& folder, std::size_t memory_bytes) {
  LADE_ASSIGN(File file, File::temporary(folder));
  return std::unique_ptr<Area>(new Area(std::move(file), memory_bytes));
}

Area::Writer::Writer(Area& area, std::size_t bytes) : area_(area), capacity_(bytes) {
  place_.bytes = bytes;
  const auto size = static_cast<std::int64_t>(bytes);
  if (area.memory_left_.fetch_sub(size) >= size) {
    block_ = std::make_unique_for_overwrite<char[]>(bytes);
    place_.memory = block_.get();
    return;
  }
  area.memory_left_.fetch_add(size);
  place_.offset = area.end_.fetch_add(bytes);
  capacity_ = std::min(bytes, kPieceBytes);
  block_ = std::make_unique_for_overwrite<char[]>(capacity_);
}

Result<void> Area::Writer::append(std::string_view bytes) {
  while (filled_ + bytes.size() > capacity_) {
    LADE_ASSERT(place_.memory == nullptr);
    const std::size_t part = capacity_ - filled_;
    std::memcpy(block_.get() + filled_, bytes.data(), part);
    bytes.remove_prefix(part);
    LADE_TRY(area_.file_.write_at(place_.offset + written_, {block_.get(), capacity_}));
    written_ += capacity_;
    filled_ = 0;
  }
  std::memcpy(block_.get() + filled_, bytes.data(), bytes.size());
  filled_ += bytes.size();
  return {};
}

Result<Range> Area::Writer::finish() {
  LADE_ASSERT(written_ + filled_ == place_.bytes);
  if (place_.memory == nullptr) {
    LADE_TRY(area_.file_.write_at(place_.offset + written_, {block_.get(), filled_}));
  } else {
    const std::lock_guard lock(area_.mutex_);
    area_.blocks_.push_back(std::move(block_));
  }
  return place_;
}

std::string& SegmentBuilder::begin_record(std::string_view key, std::uint32_t row_id) {
  if (data_.capacity() < kFirstBytes) data_.reserve(kFirstBytes);
  const std::size_t at = data_.size();
  const Header header{row_id, static_cast<std::uint32_t>(key.size()), 0};
  data_.append(reinterpret_cast<const char*>(&header), sizeof header);
  data_.append(key);
  entries_.push_back({{prefix_of(key, 8), prefix_of(key)}, at, row_id, header.key_size});
  return data_;
}

void SegmentBuilder::end_record() {
  const Entry& entry = entries_.back();
  const auto size = static_cast<std::uint32_t>(data_.size() - entry.at - kHeaderBytes - entry.key_size);
  std::memcpy(data_.data() + entry.at + offsetof(Header, payload_size), &size, sizeof size);
}

void SegmentBuilder::clear() {
  data_.clear();
  entries_.clear();
}

std::string_view SegmentBuilder::key(const Entry& entry) const {
  return {data_.data() + entry.at + kHeaderBytes, entry.key_size};
}

void SegmentBuilder::sort() {
  // Without branches, which would be guessed wrong half of the time.
  const auto by_prefix = [](const Entry& left, const Entry& right) {
    return std::bit_cast<Prefix>(left.prefix) < std::bit_cast<Prefix>(right.prefix);
  };
  const auto by_key = [this](const Entry& left, const Entry& right) {
    if (const int order = key(left).compare(key(right)); order != 0) return order < 0;
    if (left.row_id != right.row_id) return left.row_id < right.row_id;
    return left.at < right.at;
  };
  boost::sort::pdqsort_branchless(entries_.begin(), entries_.end(), by_prefix);
  for (auto begin = entries_.begin(); begin != entries_.end();) {
    auto end = begin + 1;
    while (end != entries_.end() && !by_prefix(*begin, *end)) ++end;
    if (end - begin > 1) std::sort(begin, end, by_key);
    begin = end;
  }
}

std::size_t SegmentBuilder::first_from(std::string_view splitter) const {
  const auto first =
      std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& entry) { return key(entry) < splitter; });
  return static_cast<std::size_t>(first - entries_.begin());
}

template <class Take, class EndBucket>
Result<void> SegmentBuilder::hand_over(std::span<const std::string> splitters, Take&& take, EndBucket&& end_bucket) {
  sort();
  std::size_t i = 0;
  for (std::size_t bucket = 0; bucket <= splitters.size(); ++bucket) {
    const std::size_t end = bucket < splitters.size() ? first_from(splitters[bucket]) : entries_.size();
    for (; i < end; ++i) {
      // Sorted, the records lie anywhere: each is fetched a little ahead.
      if (i + kPrefetched < entries_.size()) prefetch(data_.data() + entries_[i + kPrefetched].at);
      const char* record = data_.data() + entries_[i].at;
      LADE_TRY(take(std::string_view(record, kHeaderBytes + entries_[i].key_size + read_header(record).payload_size)));
    }
    LADE_TRY(end_bucket());
  }
  clear();
  return {};
}

Result<void> SegmentBuilder::finish(std::span<const std::string> splitters,
                                    const std::function<Result<void>(std::string_view record)>& take,
                                    const std::function<Result<void>()>& end_bucket) {
  return hand_over(splitters, take, end_bucket);
}

Result<std::vector<Range>> SegmentBuilder::finish(Area& area, std::span<const std::string> splitters) {
  Area::Writer writer = area.reserve(data_.size());
  std::vector<Range> ranges;
  ranges.reserve(splitters.size() + 1);
  Range range;
  const auto take = [&](std::string_view record) {
    range.bytes += record.size();
    ++range.rows;
    return writer.append(record);
  };
  const auto end_bucket = [&]() -> Result<void> {
    ranges.push_back(std::exchange(range, {}));
    return {};
  };
  LADE_TRY(hand_over(splitters, take, end_bucket));
  LADE_ASSIGN(const Range whole, writer.finish());
  std::uint64_t before = 0;
  for (Range& part : ranges) {
    if (whole.memory != nullptr) part.memory = whole.memory + before;
    part.offset = whole.offset + before;
    before += part.bytes;
  }
  return ranges;
}

void append_record(std::string& range, const Record& record) {
  const Header header{record.row_id, static_cast<std::uint32_t>(record.key.size()),
                      static_cast<std::uint32_t>(record.payload.size())};
  range.append(reinterpret_cast<const char*>(&header), sizeof header);
  range.append(record.key);
  range.append(record.payload);
}

void for_each_record(std::string_view range, const std::function<void(const Record&)>& take) {
  while (!range.empty()) {
    const Header header = read_header(range.data());
    const std::string_view rest = range.substr(kHeaderBytes);
    take({rest.substr(0, header.key_size), header.row_id, rest.substr(header.key_size, header.payload_size)});
    range = rest.substr(std::size_t{header.key_size} + header.payload_size);
  }
}

// One range and the part of it that is in memory.
struct Merge::Input {
  Range range;
  std::size_t buffer_bytes;
  std::size_t index;
  std::uint64_t fetched = 0;
  std::string buffer;       // of a range that lies in the file
  std::string_view unread;  // what of the range is in memory and was not delivered
  Record record{};
  std::uint64_t prefix = 0;
};

Merge::Merge(const File& file, std::span<const Range> ranges, std::size_t buffer_bytes) : file_(file) {
  std::size_t used = 0;
  for (const Range& range : ranges) used += range.bytes > 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].bytes == 0) continue;
    auto input = std::make_unique<Input>();
    input->range = ranges[i];
    input->buffer_bytes = std::max(kMinBufferBytes, buffer_bytes / used);
    input->index = i;
    if (ranges[i].memory != nullptr) {
      input->unread = {ranges[i].memory, ranges[i].bytes};
      input->fetched = ranges[i].bytes;
    }
    inputs_.push_back(std::move(input));
  }
}

Merge::~Merge() = default;

bool Merge::later(const Input* left, const Input* right) {
  if (left->prefix != right->prefix) return left->prefix > right->prefix;
  if (const int order = left->record.key.compare(right->record.key); order != 0) return order > 0;
  if (left->record.row_id != right->record.row_id) return left->record.row_id > right->record.row_id;
  return left->index > right->index;
}

// Sees to it that the next `bytes` of the range are in input.unread; false when it has fewer.
Result<bool> Merge::ensure(Input& input, std::size_t bytes) {
  if (input.unread.size() >= bytes) return true;
  const std::uint64_t left = input.range.bytes - input.fetched;
  if (left == 0) return false;
  input.buffer.erase(0, input.buffer.size() - input.unread.size());
  const std::size_t kept = input.buffer.size();
  const std::size_t want = std::min<std::uint64_t>(left, std::max(bytes, input.buffer_bytes) - kept);
  input.buffer.resize(kept + want);
  const File& file = input.range.file == nullptr ? file_ : *input.range.file;
  LADE_ASSIGN(const std::size_t got,
              file.read_at(input.range.offset + input.fetched, {input.buffer.data() + kept, want}));
  if (got != want) return fail("staging_damaged", "the staging file ends too early", "run the import again");
  input.fetched += got;
  input.unread = input.buffer;
  return input.unread.size() >= bytes;
}

// Puts the input's next record into input.record; false when the range is used up.
Result<bool> Merge::read_record(Input& input) {
  LADE_ASSIGN(const bool more, ensure(input, kHeaderBytes));
  if (!more) return false;
  const Header header = read_header(input.unread.data());
  const std::size_t size = kHeaderBytes + std::size_t{header.key_size} + header.payload_size;
  LADE_ASSIGN(const bool whole, ensure(input, size));
  if (!whole) return fail("staging_damaged", "a staged record is cut off", "run the import again");
  const char* at = input.unread.data() + kHeaderBytes;
  input.record = {{at, header.key_size}, header.row_id, {at + header.key_size, header.payload_size}};
  input.prefix = prefix_of(input.record.key);
  input.unread.remove_prefix(size);
  return true;
}

// The same, without the rows that are left out.
Result<bool> Merge::advance(Input& input) {
  for (;;) {
    LADE_ASSIGN(const bool more, read_record(input));
    if (!more || input.range.left_out == nullptr || !input.range.left_out->contains(input.record.row_id)) return more;
  }
}

Result<void> Merge::start() {
  started_ = true;
  for (auto& input : inputs_) {
    LADE_ASSIGN(const bool more, advance(*input));
    if (more) heap_.push_back(input.get());
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
  return {};
}

Result<bool> Merge::next(Record& record) {
  if (!started_) LADE_TRY(start());
  if (current_ != nullptr) {
    LADE_ASSIGN(const bool more, advance(*current_));
    // The same input often has the next record too (a sorted file): then the heap stays as it is.
    if (more && (heap_.empty() || !later(current_, heap_.front()))) {
      record = current_->record;
      return true;
    }
    if (more) {
      heap_.push_back(current_);
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
    current_ = nullptr;
  }
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  current_ = heap_.back();
  heap_.pop_back();
  record = current_->record;
  return true;
}

}  // namespace lade::staging
