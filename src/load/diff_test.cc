// Blocks of a diff and what was seen, as they are stored.
#include "load/diff.h"

#include <gtest/gtest.h>

#include "load/seen_rows.h"
#include "testing/results.h"

namespace lade::load {
namespace {

TEST(DiffCounts, ComeBackAsTheyWere) {
  DiffCounts counts;
  counts.records = {3, 2, 1};
  counts.columns["name"] = {3, 0, 1};
  counts.columns["a \"b\""] = {0, 2, 0};
  const auto back = read_diff_counts(to_text(counts));
  ASSERT_OK(back);
  EXPECT_EQ(back->records, counts.records);
  EXPECT_EQ(back->columns, counts.columns);
  EXPECT_EQ((DiffFilter{"", ""}).matches(*back), 6);
  EXPECT_EQ((DiffFilter{"insert", "name"}).matches(*back), 3);
  EXPECT_EQ((DiffFilter{"update", "a \"b\""}).matches(*back), 2);
  EXPECT_EQ((DiffFilter{"update", "other"}).matches(*back), 0);
}

TEST(DiffMatcher, TextsOfValuesAreNoCells) {
  const std::string record =
      R"({"kind":"update","table":"t","row":1,"line":2,"key":{"code":"x"},"cells":{"name":["\"price\":[","y"]}})";
  EXPECT_TRUE(DiffMatcher({"update", "name"}).matches(record));
  EXPECT_FALSE(DiffMatcher({"insert", "name"}).matches(record));
  EXPECT_FALSE(DiffMatcher({"", "price"}).matches(record));
  EXPECT_FALSE(DiffMatcher({"", "code"}).matches(record)) << "a key that does not change";
}

TEST(DiffBlocks, DamagedOnesAreRefused) {
  ASSERT_FAILS(unpack_diff(""), "diff_damaged");
  ASSERT_FAILS(unpack_diff("\x05xxxxx"), "diff_damaged");
  ASSERT_FAILS(read_diff_counts("{"), "diff_damaged");
  ASSERT_FAILS(read_diff_counts("{\"records\":{}}"), "diff_damaged");
}

TEST(SeenRows, AreSmallAndComeBack) {
  SeenRows seen;
  for (std::uint32_t row = 1'000'000; row > 0; row -= 100) seen.add(row, row * 0x9E3779B97F4A7C15u);
  seen.add(3, 0);
  const std::size_t rows = seen.size();
  const std::string packed = seen.pack();
  EXPECT_LE(packed.size(), rows * 12);
  const auto back = SeenRows::unpack(packed);
  ASSERT_OK(back);
  EXPECT_EQ(back->size(), rows);
  EXPECT_EQ(back->find(3), std::optional<std::uint64_t>(0));
  EXPECT_EQ(back->find(4), std::nullopt);
  EXPECT_EQ(back->find(100), std::optional<std::uint64_t>(100 * 0x9E3779B97F4A7C15u));
  EXPECT_EQ(back->find(1'000'000), std::optional<std::uint64_t>(1'000'000 * 0x9E3779B97F4A7C15u));
  ASSERT_FAILS(SeenRows::unpack(""), "seen_damaged");
  ASSERT_FAILS(SeenRows::unpack(std::string_view(packed).substr(0, packed.size() - 1)), "seen_damaged");
}

}  // namespace
}  // namespace lade::load
