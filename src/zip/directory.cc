#include "zip/directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "zip/little_endian.h"

namespace lade::zip {
namespace {

constexpr std::string_view kLocalSignature = "PK\x03\x04";
constexpr std::string_view kCentralSignature = "PK\x01\x02";
constexpr std::string_view kEndSignature = "PK\x05\x06";
constexpr std::string_view kEnd64Signature = "PK\x06\x06";
constexpr std::string_view kLocatorSignature = "PK\x06\x07";
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kLongestComment = 65'535;
// Names, extra fields and comments of an entry together; real ones have some hundred bytes.
constexpr std::uint64_t kMostDirectoryBytesPerEntry = 4'096;

constexpr std::uint16_t kEncryptedFlag = 1;
constexpr std::uint16_t kSizesFollowFlag = 8;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kIn64 = 0xFFFF'FFFF;  // "see the zip64 field"
constexpr std::uint16_t kIn64Short = 0xFFFF;

// Where the directory is, as the end of the archive says.
struct DirectoryEnd {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  std::uint64_t at = 0;  // of the record that says so: the directory lies before it
};

class DirectoryReader {
 public:
  DirectoryReader(const File& file, std::string_view archive, const Limits& limits, std::uint64_t size)
      : file_(file), archive_(archive), limits_(limits), size_(size) {}

  Result<std::vector<Place>> read();

 private:
  Result<std::string> bytes_at(std::uint64_t offset, std::uint64_t count, std::string_view what) const;
  Result<DirectoryEnd> find_end() const;
  Result<void> read_end64(std::string_view tail, std::uint64_t tail_at, std::size_t end_at, DirectoryEnd& end) const;
  Result<std::string> read_central(const DirectoryEnd& end);
  Result<std::size_t> append_place(std::string_view rest, std::vector<Place>& places) const;
  Result<void> check_local(Place& place) const;
  Result<void> check_overlaps(const std::vector<Place>& places) const;
  tl::unexpected<Error> refuse(std::string_view what) const { return fail(damaged(archive_, what)); }

  const File& file_;
  std::string_view archive_;
  const Limits& limits_;
  const std::uint64_t size_;
  std::uint64_t base_ = 0;          // what stands before the archive, e.g. a program that unpacks it
  std::uint64_t directory_at_ = 0;  // entries end before it
};

Result<std::string> DirectoryReader::bytes_at(std::uint64_t offset, std::uint64_t count, std::string_view what) const {
  if (offset > size_ || count > size_ - offset) {
    return refuse(fmt::format("{} would lie at byte {}, beyond its end ({} bytes)", what, offset, size_));
  }
  std::string bytes(count, '\0');
  LADE_ASSIGN(const std::size_t got, file_.read_at(offset, bytes));
  if (got != count) return refuse(fmt::format("it ends at byte {}, within {}", offset + got, what));
  return bytes;
}

// The last end record whose comment reaches exactly to the end of the file; otherwise the last one that fits at all,
// for files with something appended.
std::optional<std::size_t> end_record_in(std::string_view tail) {
  std::optional<std::size_t> fitting;
  for (std::size_t at = tail.rfind(kEndSignature); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : tail.rfind(kEndSignature, at - 1)) {
    if (tail.size() - at < kEndBytes) continue;
    const std::size_t end = at + kEndBytes + read_16(tail.data() + at + 20);
    if (end == tail.size()) return at;
    if (end < tail.size() && !fitting) fitting = at;
  }
  return fitting;
}

Result<DirectoryEnd> DirectoryReader::find_end() const {
  const std::uint64_t tail_bytes =
      std::min<std::uint64_t>(size_, kLongestComment + kEndBytes + kLocatorBytes + kEnd64Bytes);
  LADE_ASSIGN(const std::string tail, bytes_at(size_ - tail_bytes, tail_bytes, "its end"));
  const auto at = end_record_in(tail);
  if (!at) return refuse("it has no directory at its end: it is cut off, or no zip archive");
  const char* record = tail.data() + *at;
  DirectoryEnd end{read_16(record + 10), read_32(record + 12), read_32(record + 16), size_ - tail_bytes + *at};
  const bool large = end.entries == kIn64Short || end.bytes == kIn64 || end.offset == kIn64;
  if (large) {
    LADE_TRY(read_end64(tail, size_ - tail_bytes, *at, end));
  } else if (read_16(record + 4) != 0 || read_16(record + 6) != 0 || read_16(record + 8) != end.entries) {
    return refuse("it is one part of an archive in several files");
  }
  return end;
}

// The numbers that do not fit the end record, where there is a larger one before it.
Result<void> DirectoryReader::read_end64(std::string_view tail, std::uint64_t tail_at, std::size_t end_at,
                                         DirectoryEnd& end) const {
  if (end_at < kLocatorBytes || tail.substr(end_at - kLocatorBytes, 4) != kLocatorSignature) return {};
  std::uint64_t at = read_64(tail.data() + end_at - kLocatorBytes + 8);
  const std::uint64_t nearest =
      tail_at + end_at - kLocatorBytes - std::min<std::uint64_t>(end_at - kLocatorBytes, kEnd64Bytes);
  if (at > nearest) return refuse("its zip64 end record would lie behind the end record");
  LADE_ASSIGN(std::string record, bytes_at(at, kEnd64Bytes, "its zip64 end record"));
  if (!record.starts_with(kEnd64Signature)) {
    at = nearest;
    LADE_ASSIGN(record, bytes_at(at, kEnd64Bytes, "its zip64 end record"));
  }
  if (!record.starts_with(kEnd64Signature)) return refuse("it has no zip64 end record where one should be");
  end = {read_64(record.data() + 32), read_64(record.data() + 40), read_64(record.data() + 48), at};
  if (read_64(record.data() + 24) != end.entries) return refuse("it is one part of an archive in several files");
  return {};
}

// The directory's bytes. Its offset counts from the archive's beginning, which is not the file's where something stands
// before it.
Result<std::string> DirectoryReader::read_central(const DirectoryEnd& end) {
  if (end.entries > limits_.max_entries || end.bytes > limits_.max_entries * kMostDirectoryBytesPerEntry) {
    return fail("zip_too_many_entries",
                fmt::format("{} has {} entries in a directory of {} bytes; at most {} entries are accepted", archive_,
                            end.entries, end.bytes, limits_.max_entries),
                "pack fewer files, or raise the limit", ErrorKind::invalid);
  }
  if (end.bytes > end.at || end.offset > end.at - end.bytes) return refuse("its directory would lie behind its end");
  base_ = end.at - end.bytes - end.offset;
  directory_at_ = base_ + end.offset;
  LADE_ASSIGN(std::string central, bytes_at(directory_at_, end.bytes, "its directory"));
  if (base_ > 0 && end.entries > 0 && !central.starts_with(kCentralSignature)) {
    base_ = 0;
    directory_at_ = end.offset;
    return bytes_at(directory_at_, end.bytes, "its directory");
  }
  return central;
}

// Replaces sizes and offset by those of the zip64 field, which holds, in this order, the ones that did not fit. False
// when one is missing.
bool widen(std::string_view extra, std::span<std::uint64_t* const> values) {
  const bool needed = std::any_of(values.begin(), values.end(), [](const auto* value) { return *value == kIn64; });
  if (!needed) return true;
  while (extra.size() >= 4) {
    const std::size_t bytes = read_16(extra.data() + 2);
    if (bytes > extra.size() - 4) return false;
    if (read_16(extra.data()) != kZip64Field) {
      extra.remove_prefix(4 + bytes);
      continue;
    }
    std::string_view field = extra.substr(4, bytes);
    for (std::uint64_t* value : values) {
      if (*value != kIn64) continue;
      if (field.size() < 8) return false;
      *value = read_64(field.data());
      field.remove_prefix(8);
    }
    return true;
  }
  return false;
}

// The entry at the beginning of `rest`; gives the bytes that it takes there.
Result<std::size_t> DirectoryReader::append_place(std::string_view rest, std::vector<Place>& places) const {
  const std::size_t number = places.size() + 1;
  if (rest.size() < kCentralBytes || !rest.starts_with(kCentralSignature)) {
    return refuse(fmt::format("its directory ends before entry {}", number));
  }
  const char* record = rest.data();
  const std::size_t name_bytes = read_16(record + 28);
  const std::size_t extra_bytes = read_16(record + 30);
  const std::size_t bytes = kCentralBytes + name_bytes + extra_bytes + read_16(record + 32);
  if (bytes > rest.size()) return refuse(fmt::format("its directory ends within entry {}", number));
  Place place;
  place.method = read_16(record + 10);
  place.checksum = read_32(record + 16);
  place.header = read_32(record + 42);
  place.entry.packed_bytes = read_32(record + 20);
  place.entry.bytes = read_32(record + 24);
  place.entry.name = rest.substr(kCentralBytes, name_bytes);
  place.entry.folder = place.entry.name.ends_with('/') && place.entry.bytes == 0;
  place.entry.encrypted = (read_16(record + 8) & kEncryptedFlag) != 0;
  std::uint64_t* const sizes[] = {&place.entry.bytes, &place.entry.packed_bytes, &place.header};
  if (!widen(rest.substr(kCentralBytes + name_bytes, extra_bytes), sizes)) {
    return refuse(fmt::format("entry {} has no sizes", number));
  }
  places.push_back(std::move(place));
  return bytes;
}

// What an entry's own header says must agree with the directory, as far as it says anything.
Result<void> DirectoryReader::check_local(Place& place) const {
  if (place.header > directory_at_ - base_)
    return refuse(fmt::format("entry {:?} lies behind the directory", place.entry.name));
  place.header += base_;
  const std::string& name = place.entry.name;
  LADE_ASSIGN(const std::string header, bytes_at(place.header, kLocalBytes + name.size(), "the header of an entry"));
  if (!header.starts_with(kLocalSignature)) {
    return refuse(fmt::format("entry {:?} has no header at byte {}", name, place.header));
  }
  if (read_16(header.data() + 26) != name.size() || header.compare(kLocalBytes, name.size(), name) != 0) {
    return refuse(fmt::format("entry {:?} has another name in its header at byte {}", name, place.header));
  }
  const std::size_t extra_bytes = read_16(header.data() + 28);
  place.data_begin = place.header + kLocalBytes + name.size() + extra_bytes;
  if (read_16(header.data() + 8) != place.method) {
    return refuse(fmt::format("entry {:?} has another method of compression in its header", name));
  }
  if ((read_16(header.data() + 6) & kSizesFollowFlag) != 0) return {};
  LADE_ASSIGN(const std::string extra,
              bytes_at(place.header + kLocalBytes + name.size(), extra_bytes, "the header of an entry"));
  std::uint64_t bytes = read_32(header.data() + 22);
  std::uint64_t packed = read_32(header.data() + 18);
  std::uint64_t* const sizes[] = {&bytes, &packed};
  if (!widen(extra, sizes) || bytes != place.entry.bytes || packed != place.entry.packed_bytes ||
      read_32(header.data() + 14) != place.checksum) {
    return refuse(fmt::format("entry {:?} has another size or checksum in its header", name));
  }
  return {};
}

// An archive whose entries share bytes can be far larger than it looks.
Result<void> DirectoryReader::check_overlaps(const std::vector<Place>& places) const {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a].header < places[b].header; });
  std::uint64_t end = 0;
  for (const std::size_t index : order) {
    const Place& place = places[index];
    if (place.header < end) return refuse(fmt::format("entry {:?} overlaps another one", place.entry.name));
    if (place.data_begin > directory_at_ || place.entry.packed_bytes > directory_at_ - place.data_begin) {
      return refuse(fmt::format("entry {:?} reaches into the directory", place.entry.name));
    }
    end = place.data_begin + place.entry.packed_bytes;
  }
  return {};
}

Result<std::vector<Place>> DirectoryReader::read() {
  LADE_ASSIGN(const DirectoryEnd end, find_end());
  LADE_ASSIGN(const std::string central, read_central(end));
  std::vector<Place> places;
  places.reserve(end.entries);
  std::string_view rest = central;
  while (places.size() < end.entries) {
    LADE_ASSIGN(const std::size_t bytes, append_place(rest, places));
    rest.remove_prefix(bytes);
  }
  if (rest.starts_with(kCentralSignature)) {
    return refuse(fmt::format("its directory has more entries than the {} that it counts", end.entries));
  }
  for (Place& place : places) LADE_TRY(check_local(place));
  LADE_TRY(check_overlaps(places));
  return places;
}

}  // namespace

Error damaged(std::string_view archive, std::string_view what) {
  return {"zip_damaged", fmt::format("{} is damaged: {}", archive, what),
          "get the file again, or pack it anew with a common program", ErrorKind::invalid};
}

Result<std::vector<Place>> read_directory(const File& file, std::string_view archive, const Limits& limits) {
  LADE_ASSIGN(const std::uint64_t size, file.size());
  return DirectoryReader(file, archive, limits, size).read();
}

}  // namespace lade::zip
