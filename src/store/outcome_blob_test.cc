// Packed outcomes come back as they were; what was not packed by us is an error and nothing worse.
#include "store/outcome_blob.h"

#include <algorithm>
#include <random>

#include "testing/results.h"

namespace lade::store {
namespace {

using model::Outcome;

std::string pack(const std::vector<RowOutcome>& rows) {
  OutcomePacker packer;
  for (const RowOutcome& row : rows) packer.add(row);
  EXPECT_EQ(packer.rows(), rows.size());
  std::string packed = packer.finish();
  EXPECT_EQ(packer.rows(), 0u);
  return packed;
}

Result<std::vector<RowOutcome>> unpack(std::string_view packed) {
  OutcomeReader reader(packed);
  std::vector<RowOutcome> rows;
  for (RowOutcome row;;) {
    LADE_ASSIGN(const bool more, reader.next(row));
    if (!more) return rows;
    rows.push_back(row);
    if (rows.size() > 1'000'000) return fail("too_many", "a few bytes give endless rows");
  }
}

void expect_same(std::vector<RowOutcome> rows) {
  const std::string packed = pack(rows);
  const auto found = unpack(packed);
  ASSERT_OK(found);
  std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) { return left.row_id < right.row_id; });
  EXPECT_EQ(*found, rows);
}

TEST(OutcomeBlob, ComesBackInTheOrderOfRows) {
  expect_same({});
  expect_same({{0, Outcome::inserted}});
  expect_same({{4'294'967'295u, Outcome::failed, "not_a_date"}, {1, Outcome::skipped, "duplicate_in_file"}});
  expect_same({{1, Outcome::failed, "a"}, {2, Outcome::failed, "a"}, {3, Outcome::failed, "b"}, {4, Outcome::failed}});
  expect_same({{9, Outcome::unprocessed}, {8, Outcome::updated}, {7, Outcome::unchanged}, {6, Outcome::unchanged}});
}

TEST(OutcomeBlob, RandomRowsComeBack) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::vector<std::string> codes{"", "not_a_date", "required", "duplicate_in_file", std::string(300, 'c')};
    const std::uint32_t step = 1 + static_cast<std::uint32_t>(random() % 5 * (random() % 1000));
    std::vector<RowOutcome> rows;
    std::uint32_t id = 0;
    for (std::uint64_t count = random() % 500; count > 0; --count) {
      id += 1 + static_cast<std::uint32_t>(random() % step);
      rows.push_back({id, random() % 4 == 0 ? static_cast<Outcome>(random() % 6) : Outcome::inserted,
                      random() % 4 == 0 ? codes[random() % codes.size()] : codes[0]});
    }
    std::shuffle(rows.begin(), rows.end(), random);
    expect_same(rows);
  }
}

TEST(OutcomeBlob, IsSmall) {
  std::vector<RowOutcome> sorted, scattered;
  for (std::uint32_t i = 1; i <= 100'000; ++i) {
    sorted.push_back({i, Outcome::inserted});
    scattered.push_back({i * 10, Outcome::inserted});
  }
  EXPECT_LT(pack(sorted).size(), 12u);
  EXPECT_LT(pack(scattered).size(), 200'010u);
}

TEST(OutcomeBlob, CutAndForeignBytesAreAnError) {
  const std::string good = pack({{1, Outcome::failed, "required"}, {2, Outcome::inserted}, {700, Outcome::inserted}});
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FAILS(unpack(std::string_view(good).substr(0, size)), "outcomes_damaged") << size;
  EXPECT_FAILS(unpack(good + '\0'), "outcomes_damaged");
  EXPECT_FAILS(unpack("\2" + good.substr(1)), "outcomes_damaged");
  EXPECT_FAILS(unpack("\1\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), "outcomes_damaged");
}

TEST(OutcomeBlob, NoiseIsReadOrRefusedButNeverTrusted) {
  std::mt19937_64 random(3);
  const std::string good = pack({{1, Outcome::failed, "required"}, {5, Outcome::inserted}, {6, Outcome::inserted}});
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (std::uint64_t count = 1 + random() % 3; count > 0; --count)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto rows = unpack(bytes);
    if (!rows) continue;
    for (std::size_t at = 1; at < rows->size(); ++at) ASSERT_LT((*rows)[at - 1].row_id, (*rows)[at].row_id);
    for (const RowOutcome& row : *rows) ASSERT_LE(row.outcome, Outcome::deleted);
  }
}

}  // namespace
}  // namespace lade::store
