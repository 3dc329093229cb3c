// Changed rows find their stored ones by the key's index, whatever the statistics of a large table suggest.
#include <fmt/format.h>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using model::Outcome;

constexpr int kStoredRows = 200'000;

// One table of many rows that the server knows all about, by the columns of its key.
class Statistics : public ::testing::TestWithParam<const char*> {
 protected:
  Statistics() {
    EXPECT_OK(connection->run(fmt::format(
        "CREATE TABLE item (k integer NOT NULL, code text COLLATE \"C\" NOT NULL, name text, PRIMARY KEY ({}));"
        "INSERT INTO item SELECT k, to_char(k, 'FM0000000'), 'old' FROM generate_series(1, {}) k;"
        "ANALYZE item",
        GetParam(), kStoredRows)));
  }

  // Loads `count` changed rows, each `step` keys behind the one before.
  void change(int count, int step) {
    std::string csv = "k,code,name\n";
    for (int i = 0; i < count; ++i) csv += fmt::format("{0},{0:07},new\n", 1000 + i * step);
    auto program = analysis::bind(
        testing::definition_of(fmt::format("columns: {{k: {{type: integer}}, code: , name: }}\n"
                                           "load: [{{table: item, key: [{}], strategy: insert_or_update}}]\n",
                                           GetParam())),
        testing::header_of(csv), *connection, {});
    ASSERT_OK(program);
    const auto rows = testing::analyse(**program, csv, *connection).rows;
    const Reads before = reads();
    const auto loaded = testing::load_all(**program, rows, *connection);
    const Reads after = reads();
    EXPECT_EQ(loaded.counts[Outcome::updated], count);
    EXPECT_EQ(after.by_scan - before.by_scan, 0) << "rows of the table were read without the index";
    // Compared, locked and updated: three reads of each row, and of those between them where that is quicker.
    EXPECT_LE(after.by_index - before.by_index, 10 * count) << "the index was read far beyond the wanted keys";
  }

  // Rows of the table that were read so far.
  struct Reads {
    std::int64_t by_scan = 0, by_index = 0;
  };
  Reads reads() {
    EXPECT_OK(connection->query("SELECT pg_stat_force_next_flush()"));
    const auto rows =
        database.connect()->query("SELECT seq_tup_read, idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'item'");
    EXPECT_OK(rows);
    return {std::get<std::int64_t>(rows->front()[0]), std::get<std::int64_t>(rows->front()[1])};
  }

  testing::FreshDatabase database{db::Backend::postgresql};
  std::unique_ptr<db::Connection> connection = database.connect();
};

TEST_P(Statistics, NeighbouringRowsAreReadByTheIndex) {
  change(5000, 1);
}

TEST_P(Statistics, ScatteredRowsAreReadByTheIndex) {
  change(500, 300);
}

TEST_P(Statistics, EveryThirdRowIsReadByTheIndex) {
  change(60'000, 3);
}

INSTANTIATE_TEST_SUITE_P(Keys, Statistics, ::testing::Values("k", "code", "code, k"), [](const auto& test) {
  const std::string key = test.param;
  return key == "k" ? "integer" : key == "code" ? "text" : "both";
});

}  // namespace
}  // namespace lade::load
