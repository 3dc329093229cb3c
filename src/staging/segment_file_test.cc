// Durable segments: the same rows after all, and not one byte may differ.
#include "staging/segment_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <tuple>

#include "storage/folder.h"
#include "testing/segments.h"
#include "testing/temporary_folder.h"

namespace lade::staging {
namespace {

namespace fs = std::filesystem;
using testing::add;
using Row = testing::SegmentRow;

class SegmentFileTest : public ::testing::Test {
 protected:
  WrittenSegment write(const std::vector<Row>& rows, const std::vector<std::string>& splitters,
                       const std::vector<Row>& findings = {}) {
    SegmentBuilder row_builder, finding_builder;
    for (const Row& row : rows) add(row_builder, row);
    for (const Row& row : findings) add(finding_builder, row);
    const auto area = Area::create(path);
    IssueLog log(**area);
    log.add_range(finding_builder.finish(**area, {})->front());
    auto written = write_segment(storage, row_builder, splitters, log);
    EXPECT_OK(written);
    EXPECT_TRUE(row_builder.empty());
    return std::move(*written);
  }
  std::unique_ptr<SegmentFile> open(const WrittenSegment& written) const {
    auto opened = SegmentFile::open(storage, written.id, written.bytes);
    EXPECT_OK(opened);
    return std::move(*opened);
  }
  static std::vector<Row> merged(std::span<const Range> ranges, std::size_t buffer_bytes) {
    return testing::merged(File(), ranges, buffer_bytes);  // each range names its own file
  }
  std::string content(const std::string& id) const {
    std::ifstream in(path / id, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(const std::string& id, const std::string& bytes) const {
    fs::remove(path / id);
    std::ofstream(path / id, std::ios::binary) << bytes;
  }
  // Opens the file and reads all of it; the first error there is.
  Result<void> read_all(const std::string& id, std::uint64_t bytes) const {
    LADE_ASSIGN(const auto segment, SegmentFile::open(storage, id, bytes));
    for (std::size_t i = 0; i < segment->buckets(); ++i) LADE_TRY(segment->bucket(i));
    LADE_TRY(segment->finding_range());
    return {};
  }
  void expect_damaged(const std::string& id, const std::string& bytes, const std::string& what) const {
    overwrite(id, bytes);
    const auto read = read_all(id, bytes.size());
    ASSERT_FAILS(read, "staging_damaged") << what;
    EXPECT_NE(read.error().message.find(id), std::string::npos) << read.error().message;
  }

  testing::TemporaryFolder temporary;
  const fs::path& path = temporary.path();
  storage::Folder storage = std::move(*storage::Folder::open(path));
};

TEST_F(SegmentFileTest, BucketsOfSeveralFilesReadAsOneSortedStream) {
  std::mt19937_64 random(7);
  const std::vector<std::string> splitters{"b", "ba", "d"};
  std::vector<std::unique_ptr<SegmentFile>> files;
  std::vector<std::vector<Row>> expected(splitters.size() + 1);
  std::uint32_t id = 0;
  for (int chunk = 0; chunk < 12; ++chunk) {
    std::vector<Row> rows;
    for (std::uint64_t count = random() % 300; count > 0; --count) {
      std::string key;
      for (std::uint64_t length = random() % 4; length > 0; --length) key += static_cast<char>('a' + random() % 5);
      rows.emplace_back(key, ++id, std::string(random() % 500, 'p'));
      const auto bucket = std::upper_bound(splitters.begin(), splitters.end(), key) - splitters.begin();
      expected[static_cast<std::size_t>(bucket)].push_back(rows.back());
    }
    const WrittenSegment written = write(rows, splitters);
    files.push_back(open(written));
    ASSERT_EQ(files.back()->buckets(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(files.back()->bucket_rows(i), written.bucket_rows[i]);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::sort(expected[i].begin(), expected[i].end());
    std::vector<Range> ranges;
    for (const auto& file : files) {
      const auto range = file->bucket(i);
      ASSERT_OK(range);
      EXPECT_EQ(range->rows, file->bucket_rows(i));
      ranges.push_back(*range);
    }
    for (const std::size_t buffer : {std::size_t{0}, std::size_t{1} << 20})
      EXPECT_EQ(merged(ranges, buffer), expected[i]);
  }
}

TEST_F(SegmentFileTest, TheFailedPartIsApart) {
  const WrittenSegment written = write({{"b", 2, "row"}}, {"b"}, {{"", 3, "c;d"}, {"", 1, "a;b"}});
  EXPECT_EQ(written.bucket_rows, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(written.findings, 2);
  const auto segment = open(written);
  EXPECT_EQ(segment->findings(), 2);
  const auto failed = segment->finding_range();
  ASSERT_OK(failed);
  EXPECT_EQ(merged({&*failed, 1}, 0), (std::vector<Row>{{"", 1, "a;b"}, {"", 3, "c;d"}}));
}

TEST_F(SegmentFileTest, AnEmptySegmentIsOneToo) {
  const auto segment = open(write({}, {"m"}));
  EXPECT_EQ(segment->buckets(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto range = segment->bucket(i);
    ASSERT_OK(range);
    EXPECT_TRUE(merged({&*range, 1}, 0).empty());
  }
}

TEST_F(SegmentFileTest, RangesLargerThanABlockAreVerifiedWhole) {
  const WrittenSegment written = write({{"a", 1, std::string(700'000, 'x')}, {"b", 2, "y"}}, {"b"});
  const auto segment = open(written);
  const auto range = segment->bucket(0);
  ASSERT_OK(range);
  EXPECT_EQ(std::get<2>(merged({&*range, 1}, 1).front()).size(), 700'000u);
  std::fstream(path / written.id, std::ios::binary | std::ios::in | std::ios::out).seekp(650'000).put('y');
  EXPECT_FAILS(segment->bucket(0), "staging_damaged") << "also when it happens to an open file";
  EXPECT_OK(segment->bucket(1)) << "the other ranges are as good as before";
}

TEST_F(SegmentFileTest, AnyFlippedByteIsFound) {
  const WrittenSegment written =
      write({{"a", 1, "one"}, {"c", 2, "two"}, {"cc", 3, ""}}, {"b", "c"}, {{"", 4, "raw;text"}});
  const std::string good = content(written.id);
  ASSERT_EQ(good.size(), written.bytes);
  EXPECT_OK(read_all(written.id, written.bytes));
  std::mt19937_64 random(11);
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int mask : {1, 128, 255, static_cast<int>(1 + random() % 255)}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ mask);
      expect_damaged(written.id, bytes, "byte " + std::to_string(at));
      if (HasFatalFailure()) return;
    }
}

TEST_F(SegmentFileTest, CutLongerAndShuffledFilesAreFound) {
  const WrittenSegment written = write({{"a", 1, "one"}, {"c", 2, "two"}}, {"b"}, {{"", 4, "raw;text"}});
  const std::string good = content(written.id);
  for (std::size_t size = 0; size < good.size(); ++size) expect_damaged(written.id, good.substr(0, size), "cut");
  expect_damaged(written.id, good + '\0', "longer");
  expect_damaged(written.id, good + good, "twice");
  for (std::size_t at = 0; at < good.size(); ++at) {
    expect_damaged(written.id, std::string(good).insert(at, 1, '\0'), "a byte more");
    expect_damaged(written.id, std::string(good).insert(at, 32, '\0'), "a part more");
    expect_damaged(written.id, std::string(good).erase(at, 1), "a byte less");
    expect_damaged(written.id, std::string(good).erase(at, 32), "a part less");
  }
  overwrite(written.id, good.substr(1));
  EXPECT_FAILS(SegmentFile::open(storage, written.id, written.bytes), "staging_damaged") << "not the size recorded";
}

TEST_F(SegmentFileTest, ForeignFilesAreRefused) {
  std::mt19937_64 random(13);
  const WrittenSegment written = write({{"a", 1, "one"}}, {});
  for (int i = 0; i < 300; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    expect_damaged(written.id, bytes, "noise");
  }
  const WrittenSegment other = write({{"a", 1, "one"}}, {});
  overwrite(written.id, content(other.id));
  const auto stranger = SegmentFile::open(storage, written.id, written.bytes);
  EXPECT_FAILS(stranger, "staging_damaged") << "a whole segment, but another one";
}

TEST_F(SegmentFileTest, AMissingFileIsNamed) {
  const WrittenSegment written = write({{"a", 1, "one"}}, {});
  EXPECT_OK(storage.remove(written.id));
  const auto missing = SegmentFile::open(storage, written.id, written.bytes);
  ASSERT_FAILS(missing, "stored_file_missing");
  EXPECT_NE(missing.error().message.find(written.id), std::string::npos);
}

TEST_F(SegmentFileTest, SeveralThreadsReadOneFile) {
  std::vector<Row> rows;
  std::vector<std::string> splitters;
  for (std::uint32_t i = 0; i < 800; ++i) rows.emplace_back(std::to_string(1000 + i), i, std::string(1000, 'x'));
  for (int i = 1; i < 8; ++i) splitters.push_back(std::to_string(1000 + i * 100));
  const auto segment = open(write(rows, splitters));
  std::vector<std::jthread> threads;
  for (std::size_t bucket = 0; bucket < 8; ++bucket)
    threads.emplace_back([&, bucket] {
      const auto range = segment->bucket(bucket);
      ASSERT_OK(range);
      EXPECT_EQ(merged({&*range, 1}, 0).size(), 100u);
    });
}

}  // namespace
}  // namespace lade::staging
