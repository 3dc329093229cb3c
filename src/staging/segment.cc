#include "staging/segment.h"

#include <algorithm>
#include <cstring>

namespace lade::staging {
namespace {

// A record on disk: row id, key size, payload size (each 32 bits, native order), key, payload.
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kMinBufferBytes = 16 * 1024;

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

}  // namespace

Result<std::unique_ptr<Area>> Area::create(const std::filesystem::path& folder, std::size_t memory_bytes) {
  LADE_ASSIGN(File file, File::temporary(folder));
  return std::unique_ptr<Area>(new Area(std::move(file), memory_bytes));
}

Result<Range> Area::append(std::string bytes) {
  Range range;
  range.bytes = bytes.size();
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (memory_left_.fetch_sub(size) >= size) {
    bytes.shrink_to_fit();
    auto block = std::make_unique<const std::string>(std::move(bytes));
    range.memory = block->data();
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(block));
    return range;
  }
  memory_left_.fetch_add(size);
  range.offset = end_.fetch_add(bytes.size());
  LADE_TRY(file_.write_at(range.offset, bytes));
  return range;
}

void SegmentBuilder::add(std::string_view key, std::uint32_t row_id) {
  const std::size_t at = data_.size();
  const Header header{row_id, static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(payload_.size())};
  data_.append(reinterpret_cast<const char*>(&header), sizeof header);
  data_.append(key);
  data_.append(payload_);
  entries_.push_back({{prefix_of(key), prefix_of(key, 8)}, at, row_id, header.key_size});
  payload_.clear();
}

std::string_view SegmentBuilder::key(const Entry& entry) const {
  return {data_.data() + entry.at + kHeaderBytes, entry.key_size};
}

void SegmentBuilder::sort() {
  const auto before = [this](const Entry& left, const Entry& right) {
    if (left.prefix[0] != right.prefix[0]) return left.prefix[0] < right.prefix[0];
    if (left.prefix[1] != right.prefix[1]) return left.prefix[1] < right.prefix[1];
    if (const int order = key(left).compare(key(right)); order != 0) return order < 0;
    if (left.row_id != right.row_id) return left.row_id < right.row_id;
    return left.at < right.at;
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) std::sort(entries_.begin(), entries_.end(), before);
}

Result<std::vector<Range>> SegmentBuilder::finish(Area& area, std::span<const std::string> splitters) {
  sort();
  std::string sorted;
  sorted.reserve(data_.size());
  std::vector<Range> ranges(splitters.size() + 1);
  std::size_t bucket = 0;
  for (const Entry& entry : entries_) {
    while (bucket < splitters.size() && key(entry) >= splitters[bucket]) {
      ranges[bucket].bytes = sorted.size() - ranges[bucket].offset;
      ranges[++bucket].offset = sorted.size();
    }
    const char* record = data_.data() + entry.at;
    sorted.append(record, kHeaderBytes + entry.key_size + read_header(record).payload_size);
    ++ranges[bucket].rows;
  }
  ranges[bucket].bytes = sorted.size() - ranges[bucket].offset;
  LADE_ASSIGN(const Range whole, area.append(std::move(sorted)));
  for (Range& range : ranges) {
    if (whole.memory != nullptr) range.memory = whole.memory + range.offset;
    range.offset += whole.offset;
  }
  data_.clear();
  entries_.clear();
  return ranges;
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
  LADE_ASSIGN(const std::size_t got,
              file_.read_at(input.range.offset + input.fetched, {input.buffer.data() + kept, want}));
  if (got != want) return fail("staging_damaged", "the staging file ends too early", "run the import again");
  input.fetched += got;
  input.unread = input.buffer;
  return input.unread.size() >= bytes;
}

// Puts the input's next record into input.record; false when the range is used up.
Result<bool> Merge::advance(Input& input) {
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
