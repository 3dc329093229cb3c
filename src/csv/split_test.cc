#include "csv/split.h"

#include <gtest/gtest.h>

#include "testing/naive_csv.h"

namespace lade::csv {
namespace {

using ::lade::testing::CsvGenerator;

struct Row {
  std::int64_t row;
  std::int64_t line;
  std::uint64_t offset;
  std::string text;

  bool operator==(const Row&) const = default;
};

void append_rows(const Batch& batch, std::vector<Row>& rows) {
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    rows.push_back({batch.row_id(row), batch.line(row), batch.offset(row), std::string(batch.record(row))});
  }
}

std::vector<Row> read_part(std::string_view text, const ReaderOptions& options) {
  MemorySource source(text);
  Reader reader(source, options);
  Batch batch;
  std::vector<Row> rows;
  while (reader.next(batch).value()) append_rows(batch, rows);
  return rows;
}

std::vector<Row> read_chunks(std::string_view text, const Split& split, ReaderOptions options) {
  std::vector<Row> rows;
  options.columns = split.columns;
  for (std::size_t chunk = 0; chunk < split.chunks.size(); ++chunk) {
    const ChunkStart start = split.chunks[chunk];
    const ChunkStart stop = chunk + 1 < split.chunks.size() ? split.chunks[chunk + 1] : split.end;
    options.first_offset = start.offset;
    options.first_row = start.row;
    options.first_line = start.line;
    const auto part = read_part(text.substr(start.offset, stop.offset - start.offset), options);
    EXPECT_EQ(static_cast<std::int64_t>(part.size()), stop.row - start.row) << "chunk " << chunk;
    EXPECT_FALSE(part.empty());
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

TEST(Split, ChunksTogetherAreTheWhole) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CsvGenerator generator(seed);
    ReaderOptions options;
    options.dialect = seed % 2 == 0 ? Dialect{} : generator.dialect();
    options.block_bytes = 1 + seed * 7;
    const std::string text = generator.text(options.dialect, 40);
    const std::vector<Row> expected = read_part(text, options);
    for (const std::uint64_t chunk_bytes : {1, 2, 17, 64, 100, 333, 1000, 100000}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " chunk " << chunk_bytes);
      MemorySource source(text);
      std::vector<Row> seen;
      const auto split_result = split(source, options, chunk_bytes, [&](const Batch& batch) -> Result<void> {
        append_rows(batch, seen);
        return {};
      });
      const Split& result = split_result.value();
      ASSERT_EQ(seen, expected);
      ASSERT_EQ(read_chunks(text, result, options), expected);
      EXPECT_EQ(result.rows, static_cast<std::int64_t>(expected.size()));
      EXPECT_EQ(result.end.offset, text.size());
    }
  }
}

TEST(Split, StartsAChunkAtTheFirstRecordBehindItsSize) {
  MemorySource source("a,b\n1,2\n3,4\n5,6\n");
  const Split result = split(source, {}, 8).value();
  EXPECT_EQ(result.chunks, (std::vector<ChunkStart>{{0, 1, 1}, {8, 3, 3}}));
  EXPECT_EQ(result.end, (ChunkStart{16, 5, 5}));
  EXPECT_EQ(result.rows, 4);
  EXPECT_EQ(result.columns, 2U);
}

TEST(Split, HasNoChunksWithoutRecords) {
  MemorySource source("\n\n");
  const Split result = split(source, {}, 8).value();
  EXPECT_TRUE(result.chunks.empty());
  EXPECT_EQ(result.end, (ChunkStart{2, 1, 3}));
}

TEST(Split, StopsAtTheVisitorsError) {
  MemorySource source("a\nb\n");
  const auto result = split(source, {}, 8, [](const Batch&) -> Result<void> { return fail("enough", "stop"); });
  EXPECT_EQ(result.error().code, "enough");
}

}  // namespace
}  // namespace lade::csv
