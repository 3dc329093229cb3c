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

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  std::memcpy(&prefix, key.data(), std::min<std::size_t>(key.size(), sizeof prefix));
  return __builtin_bswap64(prefix);
}

}  // namespace

Result<std::unique_ptr<Area>> Area::create(const std::filesystem::path& folder) {
  LADE_ASSIGN(File file, File::temporary(folder));
  return std::unique_ptr<Area>(new Area(std::move(file)));
}

Result<std::uint64_t> Area::append(std::string_view bytes) {
  const std::uint64_t offset = end_.fetch_add(bytes.size());
  LADE_TRY(file_.write_at(offset, bytes));
  return offset;
}

void SegmentBuilder::add(std::string_view key, std::uint32_t row_id) {
  const std::size_t at = data_.size();
  const Header header{row_id, static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(payload_.size())};
  data_.append(reinterpret_cast<const char*>(&header), sizeof header);
  data_.append(key);
  data_.append(payload_);
  entries_.push_back({prefix_of(key), at, row_id, header.key_size});
  payload_.clear();
}

std::string_view SegmentBuilder::key(const Entry& entry) const {
  return {data_.data() + entry.at + kHeaderBytes, entry.key_size};
}

void SegmentBuilder::sort() {
  const auto before = [this](const Entry& left, const Entry& right) {
    if (left.prefix != right.prefix) return left.prefix < right.prefix;
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
  LADE_ASSIGN(const std::uint64_t offset, area.append(sorted));
  for (Range& range : ranges) range.offset += offset;
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
  std::string buffer;
  std::size_t at = 0;
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

// Puts the input's next record into input.record; false when the range is used up.
Result<bool> Merge::advance(Input& input) {
  const auto ensure = [&](std::size_t bytes) -> Result<bool> {
    if (input.buffer.size() - input.at >= bytes) return true;
    const std::uint64_t left = input.range.bytes - input.fetched;
    if (left == 0) return false;
    input.buffer.erase(0, input.at);
    input.at = 0;
    const std::size_t kept = input.buffer.size();
    const std::size_t want = std::min<std::uint64_t>(left, std::max(bytes, input.buffer_bytes) - kept);
    input.buffer.resize(kept + want);
    LADE_ASSIGN(const std::size_t got, file_.read_at(input.range.offset + input.fetched, {input.buffer.data() + kept, want}));
    if (got != want) return fail("staging_damaged", "the staging file ends too early", "run the import again");
    input.fetched += got;
    return input.buffer.size() >= bytes;
  };
  LADE_ASSIGN(const bool more, ensure(kHeaderBytes));
  if (!more) return false;
  const Header header = read_header(input.buffer.data() + input.at);
  const std::size_t size = kHeaderBytes + std::size_t{header.key_size} + header.payload_size;
  LADE_ASSIGN(const bool whole, ensure(size));
  if (!whole) return fail("staging_damaged", "a staged record is cut off", "run the import again");
  const char* at = input.buffer.data() + input.at + kHeaderBytes;
  input.record = {{at, header.key_size}, header.row_id, {at + header.key_size, header.payload_size}};
  input.prefix = prefix_of(input.record.key);
  input.at += size;
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
