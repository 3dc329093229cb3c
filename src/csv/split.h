#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "csv/batch.h"
#include "csv/reader.h"

namespace lade::csv {

// The first record of a chunk: what a Reader of that chunk takes as first_offset, first_row and first_line.
struct ChunkStart {
  std::uint64_t offset = 0;
  std::int64_t row = 1;
  std::int64_t line = 1;

  bool operator==(const ChunkStart&) const = default;
};

// The chunks of a source. Chunk i holds the bytes [chunks[i].offset, chunks[i + 1].offset), the last one up to
// end.offset; no record is cut. Read each with `columns` set and the records are those of the whole.
struct Split {
  std::vector<ChunkStart> chunks;  // empty when there is no record
  ChunkStart end;                  // where a further record would stand
  std::int64_t rows = 0;
  std::size_t columns = 0;
};

// Asked for every batch of the pass; an error ends it.
using BatchVisitor = std::function<Result<void>(const Batch&)>;

// Reads the source once through a Reader, so that the chunks agree with it by construction, and starts a chunk at the
// first record that lies `chunk_bytes` or more behind the start of the one before.
Result<Split> split(ByteSource& source, const ReaderOptions& options, std::uint64_t chunk_bytes,
                    const BatchVisitor& on_batch = {});

}  // namespace lade::csv
