// Segments against a sort in memory: whatever the buffers, ranges and record sizes.
#include "staging/segment.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "testing/segments.h"

namespace lade::staging {
namespace {

using testing::add;
using testing::merged;
using Row = testing::SegmentRow;

std::unique_ptr<Area> new_area(std::size_t memory_bytes = 0) {
  auto area = Area::create(std::filesystem::temp_directory_path(), memory_bytes);
  EXPECT_OK(area);
  return std::move(*area);
}

class RandomRows {
 public:
  explicit RandomRows(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return random_() % limit; }
  Row row(std::uint32_t id) {
    std::string key;
    // Few letters and many lengths: shared prefixes around the eight bytes that are compared first, and repeated keys.
    for (std::size_t length = below(14); length > 0; --length) key += "\0\1a\xFF"[below(4)];
    return {key, id, std::string(below(40), static_cast<char>('a' + below(26)))};
  }

 private:
  std::mt19937_64 random_;
};

std::size_t bucket_of(const std::string& key, const std::vector<std::string>& splitters) {
  return static_cast<std::size_t>(std::upper_bound(splitters.begin(), splitters.end(), key) - splitters.begin());
}

void compare_with_a_sort(std::uint64_t seed) {
  SCOPED_TRACE(seed);
  RandomRows random(seed);
  const std::size_t chunks = 1 + random.below(20);
  std::vector<std::string> splitters;
  for (std::size_t i = random.below(8); i > 0; --i) splitters.push_back(std::get<0>(random.row(0)));
  std::sort(splitters.begin(), splitters.end());
  splitters.erase(std::unique(splitters.begin(), splitters.end()), splitters.end());
  auto area = new_area(random.below(3) * 20'000);  // all in the file, some in memory, most in memory
  std::vector<std::vector<Range>> buckets(splitters.size() + 1);
  std::vector<std::vector<Row>> expected(splitters.size() + 1);
  std::uint32_t id = 0;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    SegmentBuilder builder;
    for (std::size_t rows = random.below(200); rows > 0; --rows) {
      Row row = random.row(++id);
      add(builder, row);
      expected[bucket_of(std::get<0>(row), splitters)].push_back(std::move(row));
    }
    const auto ranges = builder.finish(*area, splitters);
    ASSERT_OK(ranges);
    ASSERT_EQ(ranges->size(), buckets.size());
    EXPECT_TRUE(builder.empty());
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i].push_back((*ranges)[i]);
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    std::sort(expected[i].begin(), expected[i].end());
    std::int64_t rows = 0;
    for (const Range& range : buckets[i]) rows += range.rows;
    EXPECT_EQ(rows, static_cast<std::int64_t>(expected[i].size()));
    for (const std::size_t buffer : {std::size_t{0}, std::size_t{1} << 20})
      EXPECT_EQ(merged(area->file(), buckets[i], buffer), expected[i]);
  }
}

TEST(Segment, BucketsReadAsOneSortedStream) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) compare_with_a_sort(seed);
}

TEST(Segment, RecordsLargerThanTheBuffersAreReadWhole) {
  auto area = new_area();
  std::vector<Range> ranges;
  std::vector<Row> expected;
  for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
    SegmentBuilder builder;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::size_t bytes = i % 2 == 0 ? 300'000 + chunk : 5;
      Row row{std::string(i == 4 ? 70'000 : 3, static_cast<char>('f' - i)), chunk * 6 + i, std::string(bytes, 'p')};
      add(builder, row);
      expected.push_back(std::move(row));
    }
    const auto finished = builder.finish(*area, {});
    ASSERT_OK(finished);
    ranges.push_back(finished->front());
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(merged(area->file(), ranges, 1), expected);
}

TEST(Segment, KeysEqualToASplitterBelongToTheBucketBehindIt) {
  auto area = new_area();
  SegmentBuilder builder;
  for (const char* key : {"c", "b", "a", "bb"}) add(builder, {key, 1, ""});
  const std::vector<std::string> splitters{"b", "c"};
  const auto ranges = builder.finish(*area, splitters);
  ASSERT_OK(ranges);
  EXPECT_EQ((*ranges)[0].rows, 1);
  EXPECT_EQ((*ranges)[1].rows, 2);
  EXPECT_EQ((*ranges)[2].rows, 1);
}

TEST(Segment, AnEmptyBuilderGivesEmptyRanges) {
  auto area = new_area();
  SegmentBuilder builder;
  const std::vector<std::string> splitters{"m"};
  const auto ranges = builder.finish(*area, splitters);
  ASSERT_OK(ranges);
  ASSERT_EQ(ranges->size(), 2u);
  EXPECT_TRUE(merged(area->file(), *ranges, 1).empty());
}

TEST(Segment, ABuilderCanBeUsedAgain) {
  auto area = new_area();
  SegmentBuilder builder;
  std::vector<Range> ranges;
  for (const char* key : {"b", "a"}) {
    add(builder, {key, 7, key});
    const auto finished = builder.finish(*area, {});
    ASSERT_OK(finished);
    ranges.push_back(finished->front());
  }
  EXPECT_EQ(merged(area->file(), ranges, 1), (std::vector<Row>{{"a", 7, "a"}, {"b", 7, "b"}}));
}

TEST(Segment, ACutStagingFileIsAnErrorNotAnEnd) {
  auto area = new_area();
  SegmentBuilder builder;
  add(builder, {"key", 1, "payload"});
  auto ranges = builder.finish(*area, {});
  ASSERT_OK(ranges);
  Record record;
  Range longer = ranges->front();
  longer.bytes += 1000;
  Merge beyond(area->file(), {&longer, 1}, 1);
  EXPECT_FAILS(beyond.next(record), "staging_damaged");
  Range shorter = ranges->front();
  shorter.bytes -= 1;
  Merge cut(area->file(), {&shorter, 1}, 1);
  EXPECT_FAILS(cut.next(record), "staging_damaged");
}

}  // namespace
}  // namespace lade::staging
