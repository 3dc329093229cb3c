// Somebody else writes the same rows at the same time: nothing is lost, nothing is written twice.
#include <fmt/format.h>

#include <thread>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using model::Outcome;

class Concurrency : public ::testing::Test {
 protected:
  Concurrency() {
    EXPECT_OK(
        connection->run("CREATE TABLE item (k integer PRIMARY KEY, name text, amount integer);"
                        "INSERT INTO item SELECT k, 'old', k FROM generate_series(11, 20) k"));
  }

  // Loads the file while `other` is in the middle of a transaction; it commits (or rolls back) as soon as the loader
  // waits for it.
  testing::Loaded load_against(const std::string& others_statement, const std::string& csv, bool others_commit = true,
                               const std::string& strategy = "insert_or_update") {
    auto program = analysis::bind(
        testing::definition_of(
            "columns: {k: {type: integer}, name: , amount: {type: integer}}\nload: [{table: item, key: k, strategy: " +
            strategy + "}]\n"),
        testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    const auto rows = testing::analyse(**program, csv, *connection).rows;
    const auto other = database.connect(), watcher = database.connect();
    EXPECT_OK(other->run("BEGIN"));
    EXPECT_OK(other->run(others_statement));
    testing::Loaded loaded;
    std::jthread loading([&] { loaded = load(**program, rows); });
    const auto waiting = [&] {
      const auto count = watcher->query(
          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
      return count && std::get<std::int64_t>(count->front().front()) > 0;
    };
    while (!waiting()) std::this_thread::yield();
    EXPECT_OK(other->run(others_commit ? "COMMIT" : "ROLLBACK"));
    loading.join();
    return loaded;
  }

  testing::Loaded load(const analysis::Program& program, std::span<const testing::AnalysedRow> rows) {
    testing::Loaded loaded;
    testing::StagedRows staged(rows, 1);
    Loader loader(program, *connection);
    EXPECT_OK(loader.prepare());
    auto transaction = db::Transaction::begin(*connection);
    EXPECT_OK(transaction);
    Settler settler = staged.settler(program);
    staging::IssueWriter issues(staged.log);
    Slice slice;
    for (;;) {
      const auto more = settler.next(slice, issues, loaded.counts);
      EXPECT_OK(more);
      if (!more || !*more) break;
      EXPECT_OK(loader.load(slice, issues, loaded.counts));
    }
    EXPECT_OK(transaction->commit());
    EXPECT_OK(issues.publish(loaded.issues));
    loaded.findings = staged.findings();
    return loaded;
  }
  std::string row(int k) {
    auto rows = connection->query(fmt::format("SELECT name || ' ' || amount FROM item WHERE k = {}", k));
    EXPECT_OK(rows);
    return rows->empty() ? "none" : std::get<std::string>(rows->front().front());
  }

  testing::FreshDatabase database{db::Backend::postgresql};
  std::unique_ptr<db::Connection> connection = database.connect();
};

// Rows 1 to 10 are new, 11 to 20 are stored; row 5's and row 15's amounts are blank.
std::string file() {
  std::string csv = "k,name,amount\n";
  for (int k = 1; k <= 20; ++k) csv += fmt::format("{},new,{}\n", k, k == 5 || k == 15 ? "" : "7");
  return csv;
}

TEST_F(Concurrency, AKeyInsertedMeanwhileIsUpdated) {
  const auto loaded = load_against("INSERT INTO item VALUES (5, 'theirs', 55)", file());
  EXPECT_EQ(loaded.counts[Outcome::inserted], 9);
  EXPECT_EQ(loaded.counts[Outcome::updated], 11);
  EXPECT_EQ(row(5), "new 55") << "their amount stays, as the file says nothing about it";
  EXPECT_TRUE(loaded.findings.empty());
}

TEST_F(Concurrency, AKeyInsertedMeanwhileAndTakenBackIsInserted) {
  const auto loaded = load_against("INSERT INTO item VALUES (6, 'theirs', 55)", file(), false);
  EXPECT_EQ(loaded.counts[Outcome::inserted], 10);
  EXPECT_EQ(row(6), "new 7");
}

TEST_F(Concurrency, InsertOnlySkipsAKeyInsertedMeanwhile) {
  const auto loaded = load_against("INSERT INTO item VALUES (6, 'theirs', 55)", file(), true, "insert_only");
  EXPECT_EQ(loaded.counts[Outcome::inserted], 9);
  EXPECT_EQ(loaded.counts[Outcome::skipped], 11);
  EXPECT_EQ(row(6), "theirs 55");
}

TEST_F(Concurrency, AValueChangedMeanwhileIsNotLost) {
  const auto loaded = load_against("UPDATE item SET amount = 1500 WHERE k = 15", file());
  EXPECT_EQ(loaded.counts[Outcome::updated], 10);
  EXPECT_EQ(row(15), "new 1500");
}

TEST_F(Concurrency, ARowDeletedMeanwhileIsInserted) {
  const auto loaded = load_against("DELETE FROM item WHERE k = 16", file());
  EXPECT_EQ(loaded.counts[Outcome::inserted], 11);
  EXPECT_EQ(loaded.counts[Outcome::updated], 9);
  EXPECT_EQ(row(16), "new 7");
}

TEST_F(Concurrency, UpdateOnlySkipsARowDeletedMeanwhile) {
  const auto loaded = load_against("DELETE FROM item WHERE k = 16", file(), true, "update_only");
  EXPECT_EQ(loaded.counts[Outcome::updated], 9);
  EXPECT_EQ(loaded.counts[Outcome::skipped], 11);
  EXPECT_EQ(row(16), "none");
}

TEST_F(Concurrency, ARowMadeEqualMeanwhileIsUnchanged) {
  const auto loaded = load_against("UPDATE item SET name = 'new', amount = 7 WHERE k = 17", file());
  EXPECT_EQ(loaded.counts[Outcome::updated], 9);
  EXPECT_EQ(loaded.counts[Outcome::unchanged], 1);
}

}  // namespace
}  // namespace lade::load
