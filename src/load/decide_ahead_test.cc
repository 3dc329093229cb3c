// SQLite: rows compared on a reading session before the writer's turn. What others write in between is not overlooked.
#include <fmt/format.h>

#include <set>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using model::Outcome;

class DecideAhead : public ::testing::Test {
 protected:
  DecideAhead() {
    EXPECT_OK(
        connection->run("CREATE TABLE item (k integer PRIMARY KEY, name text NOT NULL, amount integer);"
                        "INSERT INTO item VALUES (2, 'old', 2), (3, 'new', 7)"));
  }

  // Loads `csv`; `meanwhile` happens between the comparison and the write.
  model::RowCounts load(const std::string& csv, const std::string& meanwhile, db::Connection& by) {
    auto program =
        analysis::bind(testing::definition_of("columns: {k: {type: integer}, name: , amount: {type: integer}}\n"
                                              "load: [{table: item, key: k, strategy: insert_or_update}]\n"),
                       testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    const auto rows = testing::analyse(**program, csv, *connection).rows;
    testing::StagedRows staged(rows, 1);
    const auto reader = database.connect();
    Loader loader(**program, *connection, reader.get());
    EXPECT_OK(loader.prepare());
    Settler settler = staged.settler(**program);
    staging::IssueWriter issues(staged.log);
    model::RowCounts counts;
    Slice slice;
    EXPECT_OK(settler.next(slice, issues, counts));
    EXPECT_OK(loader.decide_ahead(slice));
    EXPECT_OK(by.run(meanwhile));
    auto transaction = db::Transaction::begin(*connection);
    EXPECT_OK(transaction);
    loader.journal_to([this](const JournalBlock& block) { return check_journal(block); });
    EXPECT_OK(loader.load(slice, issues, counts));
    EXPECT_OK(loader.finish_journal());
    EXPECT_OK(transaction->commit());
    return counts;
  }
  // What it says is stored now is stored now.
  Result<void> check_journal(const JournalBlock& block) {
    LADE_ASSIGN(JournalReader reader, JournalReader::open(block.packed));
    std::set<std::uint64_t> stored;
    LADE_TRY(connection->copy_out(fmt::format("SELECT {} FROM item", fmt::join(reader.columns(), ", ")),
                                  [&](std::string_view tuple) -> Result<void> {
                                    stored.insert(fingerprint(tuple));
                                    return {};
                                  }));
    JournalEntry entry;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(entry));
      if (!more) return {};
      EXPECT_TRUE(stored.contains(entry.after));
      ++(entry.before.empty() ? journalled_new : journalled_changed);
    }
  }
  std::string stored() {
    auto rows = connection->query("SELECT group_concat(k || ' ' || name || ' ' || amount, ', ') FROM item");
    EXPECT_OK(rows);
    return std::get<std::string>(rows->front().front());
  }

  testing::FreshDatabase database{db::Backend::sqlite};
  std::unique_ptr<db::Connection> connection = database.connect();
  std::unique_ptr<db::Connection> other = database.connect();
  int journalled_new = 0, journalled_changed = 0;
};

constexpr const char* kFile = "k,name,amount\n1,new,7\n2,new,\n3,new,7\n";

TEST_F(DecideAhead, DecisionsHoldWhenNobodyElseWrote) {
  const auto counts = load(kFile, "SELECT 1", *other);
  EXPECT_EQ(counts[Outcome::inserted], 1);
  EXPECT_EQ(counts[Outcome::updated], 1);
  EXPECT_EQ(counts[Outcome::unchanged], 1);
  EXPECT_EQ(stored(), "1 new 7, 2 new 2, 3 new 7");
  EXPECT_EQ(journalled_new, 1);
  EXPECT_EQ(journalled_changed, 1);
}

TEST_F(DecideAhead, TheWritersOwnCommitsDoNotMatter) {
  ASSERT_OK(connection->run("CREATE TABLE unrelated (a)"));
  const auto counts = load(kFile, "INSERT INTO unrelated VALUES (1)", *connection);
  EXPECT_EQ(counts[Outcome::unchanged], 1);
  EXPECT_EQ(stored(), "1 new 7, 2 new 2, 3 new 7");
}

TEST_F(DecideAhead, WhatOthersWroteMeanwhileIsComparedAgain) {
  const auto counts = load(
      kFile,
      "UPDATE item SET amount = 22 WHERE k = 2; DELETE FROM item WHERE k = 3; INSERT INTO item VALUES (1, 'new', 7)",
      *other);
  EXPECT_EQ(counts[Outcome::unchanged], 1);
  EXPECT_EQ(counts[Outcome::updated], 1);
  EXPECT_EQ(counts[Outcome::inserted], 1);
  EXPECT_EQ(stored(), "1 new 7, 2 new 22, 3 new 7");
  EXPECT_EQ(journalled_new, 1);
  EXPECT_EQ(journalled_changed, 1) << "as it was found within the transaction";
}

// Nothing collides here: only the comparison can see it.
TEST_F(DecideAhead, AValueChangedMeanwhileIsNotLost) {
  const auto counts = load(kFile, "UPDATE item SET amount = 22 WHERE k = 2", *other);
  EXPECT_EQ(counts[Outcome::updated], 1);
  EXPECT_EQ(stored(), "1 new 7, 2 new 22, 3 new 7");
}

TEST_F(DecideAhead, ARefusalDecidedAheadIsTakenBackWhenTheRowExistsNow) {
  // A new row would need a name; an existing one keeps its own.
  const auto refused = load("k,name,amount\n4,,7\n", "SELECT 1", *other);
  EXPECT_EQ(refused[Outcome::failed], 1);
  const auto updated = load("k,name,amount\n4,,7\n", "INSERT INTO item VALUES (4, 'theirs', 1)", *other);
  EXPECT_EQ(updated[Outcome::updated], 1);
  EXPECT_EQ(stored(), "2 old 2, 3 new 7, 4 theirs 7");
  EXPECT_EQ(journalled_new, 0);
  EXPECT_EQ(journalled_changed, 1);
}

}  // namespace
}  // namespace lade::load
