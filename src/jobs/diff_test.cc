// The diff says exactly what the load then does: random tables and files, compared with the tables before and after.
#include "jobs/diff.h"

#include <boost/json.hpp>
#include <random>
#include <set>

#include "store/comparisons.h"
#include "store/row_list.h"
#include "testing/diffed.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
using model::Outcome;
using testing::ShownTable;

class DiffProperty : public testing::DiffedTest {
 protected:
  // Reviews, approves and loads a file; everything that was told before must be true afterwards.
  void check(const std::string& csv, const std::string& yaml, const std::vector<ShownTable>& tables) {
    const std::multiset<std::string> planned = plan(csv, yaml);
    const std::string job = submit(csv, yaml + "review: always\n");
    run_worker();
    ASSERT_EQ(status(job), "waiting_for_review") << record(job).error;
    const std::vector<std::string> records = all_records(job);
    const auto to_come = rows_to_come(*connection, record(job));
    ASSERT_OK(to_come);
    ASSERT_TRUE(*to_come);
    EXPECT_EQ(planned, std::multiset<std::string>(records.begin(), records.end())) << "the dry run says the same";
    const auto before = snapshots(tables);
    approve(job);
    EXPECT_EQ(status(job), "succeeded");
    const auto after = snapshots(tables);
    EXPECT_EQ(told(records), seen(tables, before, after));
    for (const Outcome outcome : model::kOutcomes)
      EXPECT_EQ((**to_come)[outcome], record(job).rows[outcome]) << model::to_string(outcome);
    if (tables.size() == 1 && !tables.front().temporal) check_rows(job, records);
  }

  // By the row of the file too.
  void check_rows(const std::string& job, const std::vector<std::string>& records) {
    std::map<std::string, std::set<std::int64_t>> rows;
    for (const std::string& record : records) {
      const json::value value = json::parse(record);
      const auto row = value.at("row").to_number<std::int64_t>();
      EXPECT_EQ(value.at("line").to_number<std::int64_t>(), row + 1);
      rows[std::string(value.at("kind").as_string())].insert(row);
    }
    EXPECT_EQ(rows["insert"], rows_with(job, Outcome::inserted));
    EXPECT_EQ(rows["update"], rows_with(job, Outcome::updated));
    EXPECT_EQ(rows["remove"], rows_with(job, Outcome::deleted));
  }
  std::set<std::int64_t> rows_with(const std::string& job, Outcome outcome) {
    std::set<std::int64_t> rows;
    const store::RowFilter filter{.wanted = outcome, .limit = 0};
    EXPECT_OK(store::list_rows(*connection, record(job), filter,
                               [&](const store::ListedRow& row) { rows.insert(row.row_id); }));
    return rows;
  }

  int pick_of(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  std::string text() {
    static const char* kTexts[] = {"", "", "plain", "O'Neil", "\"a \"\"quoted\"\", one\"", "Äöü €", "back\\slash"};
    return kTexts[pick_of(std::size(kTexts))];
  }
  std::string day() { return fmt::format("2024-{:02}-{:02}", 1 + pick_of(12), 1 + pick_of(28)); }
  void use_small_buckets(bool small) {
    options.bucket_bytes = work.here.bucket_bytes = small ? 300 : ImportOptions().bucket_bytes;
    options.chunk_bytes = work.here.chunk_bytes = small ? 700 : ImportOptions().chunk_bytes;
  }

  std::mt19937 random_{20240229};
};
LADE_ON_BOTH_DATABASES(DiffProperty);

TEST_P(DiffProperty, OfOneTableByEveryStrategy) {
  bool small = false;
  for (const std::string strategy :
       {"insert_only", "insert_or_replace", "insert_or_update", "replace_only", "update_only"}) {
    SCOPED_TRACE(strategy);
    use_small_buckets(small = !small);
    const bool updates = strategy.ends_with("update") || strategy == "update_only";
    ASSERT_OK(connection->run(fmt::format(
        "DROP TABLE IF EXISTS thing; CREATE TABLE thing (k {} PRIMARY KEY, name text{}, price {}, day {}, extra text)",
        pick("TEXT", "text COLLATE \"C\""), updates ? " NOT NULL" : "", pick("NUMERIC", "numeric(10,2)"),
        pick("TEXT", "date"))));
    for (int i = 0; i < 60; ++i) {
      if (pick_of(3) == 0) continue;
      ASSERT_OK(connection->run(fmt::format("INSERT INTO thing VALUES ('k{}', 'plain', {}, {}, 'x')", i,
                                            pick_of(4) == 0 ? "NULL" : fmt::format("{}.5", pick_of(3)),
                                            pick_of(4) == 0 ? "NULL" : "'" + day() + "'")));
    }
    std::string csv = "k,name,price,day\n";
    for (int i = 0; i < 80; ++i)
      csv += fmt::format("k{},{},{},{}\n", pick_of(70), text(),
                         pick_of(9) == 0 ? "bad" : fmt::format("{}.50", pick_of(3)), pick_of(4) == 0 ? "" : day());
    check(csv,
          "columns: {k: , name: , price: {type: \"decimal(10,2)\"}, day: {type: date}}\n"
          "load: [{table: thing, key: k, strategy: " +
              strategy + "}]\n",
          {{.name = "thing", .key = {"k"}, .columns = {"k", "name", "price", "day"}}});
  }
}

TEST_P(DiffProperty, OfRowsThatDelete) {
  for (const bool small : {true, false}) {
    use_small_buckets(small);
    ASSERT_OK(connection->run("DELETE FROM item"));
    for (int i = 0; i < 60; ++i) {
      if (pick_of(2) == 0) {
        ASSERT_OK(connection->run(fmt::format("INSERT INTO item VALUES ({}, 'plain', {})", i, pick_of(2))));
      }
    }
    std::string csv = "code,name,amount,gone\n";
    for (int i = 0; i < 80; ++i)
      csv += fmt::format("{},{},{},{}\n", pick_of(70), text(), pick_of(9) == 0 ? "bad" : std::to_string(pick_of(2)),
                         pick_of(3) == 0 ? "true" : "");
    check(csv,
          "columns: {code: {type: integer}, name: , amount: {type: integer}, gone: {type: boolean}}\n"
          "load: [{table: item, key: code, columns: [code, name, amount], delete: gone}]\n",
          {{.name = "item", .key = {"code"}, .columns = {"code", "name", "amount"}}});
  }
}

TEST_P(DiffProperty, OfTablesThatReferToEachOther) {
  ASSERT_OK(connection->run(
      pick("CREATE TABLE unit (id integer PRIMARY KEY, tax text NOT NULL UNIQUE, name text)",
           "CREATE TABLE unit (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, tax text COLLATE \"C\" NOT "
           "NULL UNIQUE, name text)")));
  ASSERT_OK(connection->run("CREATE TABLE contact (unit_id integer PRIMARY KEY REFERENCES unit (id), email text)"));
  for (int round = 0; round < 2; ++round) {
    use_small_buckets(round == 0);
    std::string csv = "tax,name,email\n";
    for (int i = 0; i < 60; ++i) csv += fmt::format("T{},{},{}\n", pick_of(50), text(), pick_of(3) == 0 ? "" : text());
    check(csv,
          "columns: {tax: , name: , email: }\n"
          "load:\n"
          "  - {table: unit, key: tax, columns: [tax, name], strategy: insert_or_update}\n"
          "  - {table: contact, key: unit_id, columns: {unit_id: {ref: unit.id}, email: email}, strategy: "
          "insert_or_update}\n",
          {{.name = "unit", .key = {"tax"}, .columns = {"id", "tax", "name"}, .drawn = "id"},
           {.name = "contact", .key = {"unit_id"}, .columns = {"unit_id", "email"}, .refers = "unit_id"}});
  }
}

TEST_P(DiffProperty, OfATableThatKeepsHistory) {
  ASSERT_OK(connection->run(fmt::format(
      "CREATE TABLE price (item {0} NOT NULL, valid_from {1} NOT NULL, valid_until {1} NOT NULL, a text, b integer, "
      "note text, PRIMARY KEY (item, valid_from))",
      pick("text", "text COLLATE \"C\""), pick("text", "date"))));
  for (const std::string strategy : {"insert_or_replace", "insert_or_update", "update_only"}) {
    SCOPED_TRACE(strategy);
    use_small_buckets(strategy != "insert_or_update");
    std::string csv = "item,a,b,first,last\n";
    for (int i = 0; i < 40; ++i) {
      const int month = 1 + pick_of(11);
      csv += fmt::format("i{},{},{},2024-{:02}-01,2024-{:02}-15\n", pick_of(15), text(),
                         pick_of(9) == 0 ? "bad" : std::to_string(pick_of(3)), month, month + pick_of(13 - month));
    }
    check(csv,
          "columns: {item: , a: , b: {type: integer}, first: {type: date}, last: {type: date, infinity: true}}\n"
          "load: [{table: price, key: item, columns: [item, a, b], strategy: " +
              strategy + ", temporal: {valid_from: first, valid_to: last}}]\n",
          {{.name = "price",
            .key = {"item", "valid_from"},
            .columns = {"item", "valid_from", "valid_until", "a", "b", "note"},
            .temporal = true}});
  }
}

class Diff : public testing::DiffedTest {
 protected:
  std::string waiting(const std::string& rows, const std::string& rules = "") {
    const std::string job = submit("code,name,amount\n" + rows, kItems + "review: always\n" + rules);
    run_worker();
    EXPECT_EQ(status(job), "waiting_for_review");
    return job;
  }
  Result<DiffPage> page(const std::string& job, const load::DiffFilter& filter, std::int64_t after,
                        std::int64_t limit) {
    return diff_page(*connection, record(job), filter, after, limit);
  }
};
LADE_ON_BOTH_DATABASES(Diff);

TEST_P(Diff, PagesAndFiltersGiveEveryRecordOnce) {
  options.bucket_bytes = work.here.bucket_bytes = 20'000;
  ASSERT_OK(connection->run("INSERT INTO item VALUES (1, 'old', 1), (2, 'name 2', 9), (2000, 'gone', 1)"));
  std::string rows;
  for (int i = 0; i < 3000; ++i) rows += fmt::format("{},name {},{}\n", i, i, 1);
  const std::string job = waiting(rows);
  const auto whole = page(job, {}, 0, 100'000);
  ASSERT_OK(whole);
  ASSERT_EQ(whole->records.size(), 3000u);
  EXPECT_EQ(whole->counts.records, (load::KindCounts{2997, 3, 0}));
  EXPECT_EQ(whole->counts.columns.at("name"), (load::KindCounts{2997, 2, 0}));
  EXPECT_EQ(whole->counts.columns.at("code"), (load::KindCounts{2997, 0, 0}));
  std::vector<std::string> parts;
  for (std::int64_t after = 0;;) {
    const auto part = page(job, {}, after, 700);
    ASSERT_OK(part);
    parts.insert(parts.end(), part->records.begin(), part->records.end());
    after = part->next;
    if (after == 0) break;
  }
  EXPECT_EQ(parts, whole->records);
  const auto updates = page(job, {.kind = "update"}, 0, 2);
  ASSERT_OK(updates);
  ASSERT_EQ(updates->records.size(), 2u);
  EXPECT_EQ(updates->records[0], R"({"kind":"update","table":"item","row":2,"line":3,"key":{"code":"1"},)"
                                 R"("cells":{"name":["old","name 1"]}})");
  const auto rest = page(job, {.kind = "update"}, updates->next, 2);
  ASSERT_OK(rest);
  EXPECT_EQ(rest->records.size(), 1u);
  EXPECT_EQ(rest->next, 0);
  const auto amounts = page(job, {.kind = "update", .column = "amount"}, 0, 10);
  ASSERT_OK(amounts);
  ASSERT_EQ(amounts->records.size(), 1u);
  EXPECT_EQ(amounts->records[0], R"({"kind":"update","table":"item","row":3,"line":4,"key":{"code":"2"},)"
                                 R"("cells":{"amount":["9","1"]}})");
  const auto none = page(job, {.kind = "remove"}, 0, 10);
  ASSERT_OK(none);
  EXPECT_TRUE(none->records.empty());
}

TEST_P(Diff, AJobThatIsNotReviewedHasNone) {
  const std::string job = submit("code,name,amount\n1,one,1\n");
  run_worker();
  ASSERT_FAILS(page(job, {}, 0, 10), "no_diff");
}

TEST_P(Diff, SensitiveValuesAreMasked) {
  ASSERT_OK(connection->run("INSERT INTO item VALUES (1, 'secret one', 1)"));
  const std::string job = submit("code,name,amount\n1,secret two,1\n2,secret three,2\n",
                                 "columns: {code: {type: integer}, name: {sensitive: true}, amount: {type: integer}}\n"
                                 "load: [{table: item, key: code}]\nreview: always\n");
  run_worker();
  const auto found = page(job, {}, 0, 10);
  ASSERT_OK(found);
  ASSERT_EQ(found->records.size(), 2u);
  for (const std::string& record : found->records) EXPECT_EQ(record.find("secret"), std::string::npos) << record;
  EXPECT_NE(found->records[0].find(R"("name":["***","***"])"), std::string::npos) << found->records[0];
}

TEST_P(Diff, FollowsCorrections) {
  ASSERT_OK(connection->run("INSERT INTO item VALUES (1, 'one', 1)"));
  const std::string job = waiting("1,one,5\n2,two,bad\n3,three,3\n");
  EXPECT_EQ(comparison(job), "insert 1 update 1 fail 1");
  ASSERT_OK(correct(job, 2, {{"amount", "2"}}));
  EXPECT_EQ(comparison(job), "insert 2 update 1");
  ASSERT_OK(correct(job, 1, {{"amount", "1"}}));
  EXPECT_EQ(comparison(job), "insert 2 unchanged 1");
  ASSERT_OK(correct(job, 3, {{"code", "1"}}));
  EXPECT_EQ(comparison(job), "insert 1 update 1 skip 1");
  const auto found = page(job, {.kind = "update"}, 0, 10);
  ASSERT_OK(found);
  ASSERT_EQ(found->records.size(), 1u);
  EXPECT_EQ(found->records[0], R"({"kind":"update","table":"item","row":3,"line":4,"key":{"code":"1"},)"
                               R"("cells":{"name":["one","three"],"amount":["1","3"]}})");
  approve(job);
  EXPECT_EQ(items(), (std::vector<std::string>{"1|three|3", "2|two|2"}));
}

}  // namespace
}  // namespace lade::jobs
