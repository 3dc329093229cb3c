#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "csv/dialect.h"

// The first stage of the fast path: where fields and records end, found 64 bytes at a time without looking at any
// field. Only for dialects whose quotes are escaped by doubling (or that have none) and whose lines end with LF or
// CRLF. Text that strays from RFC 4180 is not understood here but noticed, and left to RecordParser.
namespace lade::csv {

constexpr std::size_t kScanStep = 64;

// The ends found in one stretch. Its vectors are sized for any stretch of `bytes` and keep what they hold between
// scans.
class RecordIndex {
 public:
  // Room behind the last entry, so that whole vectors can be read and written.
  static constexpr std::size_t kSlack = 64;

  explicit RecordIndex(std::size_t bytes)
      : ends(bytes + 1 + 2 * kSlack), records(bytes + 2 * kSlack), inner_line_ends(bytes + kSlack) {}

  // ends[0] stands right before the stretch; then one for each delimiter and line end outside of quotes:
  // position << 2 | has doubled quotes << 1 | quoted, of the field that ends there.
  std::vector<std::uint32_t> ends;
  // For each whole record, the index in `ends` of its line end.
  std::vector<std::uint32_t> records;
  // For each line end inside quotes, the record that holds it.
  std::vector<std::uint32_t> inner_line_ends;

  std::size_t record_count = 0;
  std::size_t inner_line_end_count = 0;
};

enum class QuoteDensity {
  none,    // the dialect has no quotes
  sparse,  // most 64-byte steps hold no quote
  dense,
};

struct ScanResult {
  bool irregular = false;       // stopped before a step that RFC 4180 does not allow
  std::size_t steps = 0;        // of 64 bytes
  std::size_t quote_steps = 0;  // those with a quote
};

// False on processors without the instructions for it.
bool can_scan();

// Fills `index` from base + begin, the start of a record, until `end` (base positions, kMargin readable zero bytes
// behind the data) or about `most_records`. Entries behind the last whole record mean nothing.
ScanResult scan(const char* base, std::size_t begin, std::size_t end, const Dialect& dialect, QuoteDensity density,
                std::size_t most_records, RecordIndex& index);

// The second stage: writes offset and packed length (see Batch) of the fields that end at ends[first + 1, first + 1 +
// count). Writes up to kSlack entries more.
void write_views(const std::vector<std::uint32_t>& ends, std::size_t first, std::size_t count, std::uint32_t* offsets,
                 std::uint32_t* lengths);

}  // namespace lade::csv
