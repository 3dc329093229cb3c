// Where stored rows come from.
#include "jobs/lineage.h"

#include "jobs/fix.h"
#include "jobs/job.h"
#include "storage/folder.h"
#include "store/job_ends.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using Strings = std::vector<std::string>;

class LineageTest : public testing::DurableTest {
 protected:
  std::string ended(const std::string& rows, const std::string& yaml = kItems + "lineage: true\n") {
    options.user = "grace";
    options.force = true;
    const std::string job = submit("code,name,amount\n" + rows, yaml);
    run_worker();
    EXPECT_EQ(status(job), "succeeded") << record(job).error;
    return job;
  }
  std::string told(const WrittenRow& row) {
    std::string key;
    for (const auto& [column, value] : row.key) key += fmt::format("{}={} ", column, value.value_or("?"));
    return fmt::format("{} {}{} row {} line {} by {}", row.table, key, row.action, row.row, row.line, row.by);
  }
  Strings of_row(std::vector<std::pair<std::string, std::string>> key, const std::string& table = "item") {
    Strings lines;
    const auto rows = lineage_of_row(*connection, {table, std::move(key)});
    EXPECT_OK(rows);
    if (rows)
      for (const WrittenRow& row : *rows) lines.push_back(told(row));
    return lines;
  }
};
LADE_ON_BOTH_DATABASES(LineageTest);

TEST_P(LineageTest, ARowKnowsAllJobsThatHaveWrittenIt) {
  const std::string first = ended("1,one,1\n2,two,bad\n3,three,3\n");
  const std::string second = ended("3,drei,3\n1,one,1\n");
  EXPECT_EQ(of_row({{"code", "3"}}),
            (Strings{"item code=3 updated row 1 line 2 by grace", "item code=3 inserted row 3 line 4 by grace"}));
  EXPECT_EQ(of_row({{"code", "1"}}), Strings{"item code=1 inserted row 1 line 2 by grace"})
      << "unchanged is no writing";
  EXPECT_EQ(of_row({{"code", "2"}}), Strings{});
  const auto storage = storage::Folder::open(storage_path(options));
  std::vector<RefusedFix> refused;
  ASSERT_OK(fix_rows(*connection, {*storage, options}, {first, "ada"}, {{2, {{"amount", "2"}}}}, refused));
  run_worker();
  EXPECT_EQ(of_row({{"code", "2"}}), Strings{"item code=2 inserted row 2 line 3 by ada"});
  const auto rows = lineage_of_row(*connection, {"item", {{"code", "3"}}});
  ASSERT_OK(rows);
  EXPECT_EQ((*rows)[0].job.uuid, second);
  EXPECT_EQ((*rows)[1].job.uuid, first);
  EXPECT_EQ((*rows)[1].sha256.size(), 64u);
}

TEST_P(LineageTest, AJobKnowsAllRowsThatItHasWritten) {
  std::string csv;
  for (int i = 0; i < 700; ++i) csv += fmt::format("{},name,{}\n", i, i);
  const std::string job = ended(csv);
  ASSERT_GT(record(job).buckets, 2);
  std::set<std::string> seen;
  std::int64_t from = 0, pages = 0;
  do {
    const auto page = lineage_of_job(*connection, record(job), from, 97);
    ASSERT_OK(page);
    EXPECT_LE(page->rows.size(), 97u);
    for (const WrittenRow& row : page->rows) {
      EXPECT_EQ(row.key.front().second, std::to_string(row.row - 1));
      EXPECT_EQ(row.line, row.row + 1);
      EXPECT_TRUE(seen.insert(told(row)).second);
    }
    from = page->next;
    ++pages;
  } while (from != 0);
  EXPECT_EQ(seen.size(), 700u);
  EXPECT_EQ(pages, 8);
}

TEST_P(LineageTest, KeysOfSeveralColumnsAndTypesAreFound) {
  ASSERT_OK(
      connection->run("CREATE TABLE price (cat text, since date, grade numeric(8,2), amount integer, "
                      "PRIMARY KEY (cat, since, grade))"));
  const std::string yaml =
      "columns: {cat: , since: {type: date}, grade: {type: 'decimal(8,2)'}, amount: {type: integer}}\n"
      "load: [{table: price, key: [cat, since, grade]}]\nlineage: true\n";
  const std::string job =
      submit("cat,since,grade,amount\nA,2024-01-31,1.50,1\nA,2024-02-01,1.50,2\nB'x,2024-01-31,2,3\n", yaml);
  run_worker();
  ASSERT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(of_row({{"cat", "A"}, {"since", "2024-02-01"}, {"grade", "1.5"}}, "price").size(), 1u);
  EXPECT_EQ(of_row({{"since", "2024-01-31"}, {"cat", "B'x"}, {"grade", "2.00"}}, "price").size(), 1u);
  EXPECT_EQ(of_row({{"cat", "A"}}, "price").size(), 2u) << "by the first column of the key";
  EXPECT_FAILS(lineage_of_row(*connection, {"price", {{"since", "2024-01-31"}}}), "lineage_key_invalid");
  EXPECT_FAILS(lineage_of_row(*connection, {"price", {{"amount", "1"}}}), "lineage_key_invalid");
  EXPECT_FAILS(lineage_of_row(*connection, {"price", {{"nothing", "1"}}}), "lineage_key_invalid");
  EXPECT_FAILS(lineage_of_row(*connection, {"nothing", {{"cat", "A"}}}), "table_not_found");
  EXPECT_FAILS(lineage_of_row(*connection, {"item", {{"code", "1"}}}), "lineage_not_kept");
}

TEST_P(LineageTest, ItIsKeptAsLongAsTheDefinitionSays) {
  ended("1,one,1\n");
  ended("2,two,2\n", kItems);
  ASSERT_OK(connection->run(is_sqlite() ? "UPDATE lade_job SET finished_at = '2020-01-01T00:00:00.000Z'"
                                        : "UPDATE lade_job SET finished_at = '2020-01-01'"));
  EXPECT_GT(store::expire_journals(*connection, 30).value(), 0);
  EXPECT_EQ(of_row({{"code", "1"}}).size(), 1u);
  EXPECT_EQ(of_row({{"code", "2"}}), Strings{});
}

}  // namespace
}  // namespace lade::jobs
