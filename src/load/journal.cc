#include "load/journal.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

#include "base/assert.h"
#include "base/short_numbers.h"
#include "db/wire.h"

// A block: version, names of the key columns, names of the columns of tuples, the size of the entries, the entries,
// compressed. An entry: how much of its key is that of the entry before and whether it has an image (in one number),
// the rest of the key, the fingerprint, the row of the file and how much its line is ahead of it, the image. Blocks of
// version 1 do not say from which row they come.
namespace lade::load {
namespace {

constexpr char kVersion = 2;
constexpr char kWithoutPlaces = 1;
constexpr std::size_t kBlockBytes = 1024 * 1024;  // before compression
constexpr std::size_t kLargestBlock = 64 * kBlockBytes;
constexpr int kFastCompression = -5;  // most of it are fingerprints, which nothing makes smaller

std::size_t common_prefix(std::string_view left, std::string_view right) {
  const auto end = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
  return static_cast<std::size_t>(end - left.begin());
}

tl::unexpected<Error> damaged(std::string what) {
  return fail("journal_damaged", "a block of the undo journal cannot be read: " + std::move(what),
              "check the database; the target tables are not concerned");
}

bool take_names(std::string_view& rest, std::vector<std::string>& names) {
  const auto count = take_number(rest);
  if (!count || *count > rest.size()) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto name = take_text(rest);
    if (!name) return false;
    names.emplace_back(*name);
  }
  return true;
}

}  // namespace

std::uint64_t fingerprint(std::string_view tuple) {
  return XXH3_64bits(tuple.data(), tuple.size());
}

JournalWriter::JournalWriter(const analysis::EntryProgram& entry, JournalSink sink) : sink_(std::move(sink)) {
  block_.table = entry.table.quoted;
  head_.push_back(kVersion);
  put_number(head_, entry.journal_key().size());
  for (const analysis::KeyPart& part : entry.journal_key())
    put_text(head_, entry.fields[static_cast<std::size_t>(part.field)].column.name);
  put_number(head_, entry.fields.size());
  for (const analysis::TargetField& field : entry.fields) put_text(head_, field.column.name);
}

Result<void> JournalWriter::add(std::string_view sort_key, const JournalEntry& entry) {
  if (block_.rows == 0 || sort_key < block_.first_key) block_.first_key = sort_key;
  if (block_.rows == 0 || sort_key > block_.last_key) block_.last_key = sort_key;
  ++block_.rows;
  const std::size_t shared = common_prefix(last_, entry.key);
  put_number(entries_, shared << 1 | !entry.before.empty());
  put_text(entries_, entry.key.substr(shared));
  db::append_big_endian(entries_, entry.after);
  put_number(entries_, entry.row_id);
  put_number(entries_, entry.line - std::min(entry.line, entry.row_id));
  if (!entry.before.empty()) put_text(entries_, entry.before);
  last_ = entry.key;
  return entries_.size() < kBlockBytes ? Result<void>() : finish();
}

Result<void> JournalWriter::finish() {
  if (block_.rows == 0) return {};
  block_.packed = head_;
  put_number(block_.packed, entries_.size());
  const std::size_t head = block_.packed.size();
  block_.packed.resize(head + ZSTD_compressBound(entries_.size()));
  const std::size_t size = ZSTD_compress(block_.packed.data() + head, block_.packed.size() - head, entries_.data(),
                                         entries_.size(), kFastCompression);
  LADE_ASSERT(ZSTD_isError(size) == 0U);  // there is room for whatever comes
  block_.packed.resize(head + size);
  LADE_TRY(sink_(block_));
  block_.rows = 0;
  entries_.clear();
  last_.clear();
  return {};
}

Result<JournalReader> JournalReader::open(std::string_view packed) {
  if (packed.empty() || (packed.front() != kVersion && packed.front() != kWithoutPlaces))
    return damaged("unknown version");
  JournalReader reader;
  reader.has_places_ = packed.front() == kVersion;
  packed.remove_prefix(1);
  if (!take_names(packed, reader.key_columns_) || !take_names(packed, reader.columns_))
    return damaged("the names of its columns are cut off");
  const auto size = take_number(packed);
  if (!size || *size > kLargestBlock) return damaged("its size makes no sense");
  reader.entries_.resize(*size);
  const std::size_t unpacked =
      ZSTD_decompress(reader.entries_.data(), reader.entries_.size(), packed.data(), packed.size());
  if (ZSTD_isError(unpacked) != 0U || unpacked != *size) return damaged("its rows do not unpack");
  return reader;
}

Result<bool> JournalReader::next(JournalEntry& entry) {
  std::string_view rest = std::string_view(entries_).substr(at_);
  if (rest.empty()) return false;
  const auto shared = take_number(rest);
  if (!shared || *shared >> 1 > key_.size()) return damaged("a key makes no sense");
  const auto tail = take_text(rest);
  if (!tail || rest.size() < sizeof entry.after) return damaged("a row is cut off");
  key_.resize(*shared >> 1);
  key_ += *tail;
  entry.key = key_;
  entry.after = db::read_big_endian<std::uint64_t>(rest.data());
  rest.remove_prefix(sizeof entry.after);
  if (has_places_) {
    const auto row = take_number(rest), ahead = take_number(rest);
    if (!row || !ahead) return damaged("the place of a row is cut off");
    entry.row_id = static_cast<std::uint32_t>(*row);
    entry.line = static_cast<std::uint32_t>(*row + *ahead);
  }
  entry.before = {};
  if ((*shared & 1) != 0) {
    const auto image = take_text(rest);
    if (!image) return damaged("an image is cut off");
    entry.before = *image;
  }
  at_ = entries_.size() - rest.size();
  return true;
}

}  // namespace lade::load
