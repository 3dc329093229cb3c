// The audit log: no gaps, and whatever is done to it behind lade's back is noticed.
#include "accounts/audit.h"

#include <thread>

#include "base/sha256.h"
#include "testing/accounts.h"

namespace lade::accounts {
namespace {

class Audit : public testing::AccountsTest {
 protected:
  AuditEntry append(const std::string& actor, const std::string& action, std::int64_t company = kCompany) {
    const auto entry = append_audit(*connection, {.company = company,
                                                  .actor = actor,
                                                  .action = action,
                                                  .object_kind = "job",
                                                  .object_id = "7",
                                                  .data = "{\"why\":\"ä\"}",
                                                  .address = "127.0.0.1"});
    EXPECT_OK(entry);
    return entry.value_or(AuditEntry());
  }
  void append_five() {
    for (int i = 0; i < 5; ++i) append("ada", "import.approve");
  }
  // Does what lade never does.
  void tamper(const std::string& sql) {
    ASSERT_OK(
        connection->run(pick("DROP TRIGGER IF EXISTS lade_audit_unchanged; DROP TRIGGER IF EXISTS lade_audit_kept",
                             "DROP TRIGGER IF EXISTS lade_audit_append_only ON lade_audit")));
    ASSERT_OK(connection->run(sql));
  }
  void expect_broken_at(int number) {
    const auto head = verify_audit(*connection, kCompany);
    ASSERT_FAILS(head, "audit_broken");
    EXPECT_NE(head.error().message.find("at entry " + std::to_string(number) + ":"), std::string::npos)
        << head.error().message;
  }
  std::vector<std::int64_t> numbers(AuditFilter filter, std::int64_t* next = nullptr) {
    filter.company = filter.company == 0 ? kCompany : filter.company;
    const auto page = list_audit(*connection, filter);
    EXPECT_OK(page);
    std::vector<std::int64_t> found;
    for (const AuditEntry& entry : page->entries) found.push_back(entry.number);
    if (next != nullptr) *next = page->next;
    return found;
  }
};
LADE_ON_BOTH_DATABASES(Audit);

using Numbers = std::vector<std::int64_t>;

TEST_P(Audit, AnEmptyLogIsWhole) {
  const auto head = verify_audit(*connection, kCompany);
  ASSERT_OK(head);
  EXPECT_EQ(head->number, 0);
  EXPECT_EQ(head->hash, "");
  EXPECT_FAILS(verify_audit(*connection, 77), "company_not_found");
}

TEST_P(Audit, EachEntrySealsTheOneBefore) {
  const AuditEntry first = append("ada", "import.approve");
  const AuditEntry second = append("bob", "import.cancel");
  EXPECT_EQ(first.number, 1);
  EXPECT_EQ(second.number, 2);
  const std::string form = "lade audit 1\n64:" + first.hash + ",1:1,1:2,24:" + second.created_at +
                           ",3:bob,13:import.cancel,3:job,1:7,12:{\"why\":\"ä\"},9:127.0.0.1,";
  EXPECT_EQ(second.hash, sha256_of(form)) << "the form is written down in README.md";
  const auto head = verify_audit(*connection, kCompany);
  ASSERT_OK(head);
  EXPECT_EQ(head->number, 2);
  EXPECT_EQ(head->hash, second.hash);
}

TEST_P(Audit, CompaniesHaveTheirOwn) {
  append("ada", "a.b");
  EXPECT_EQ(append("eve", "a.b", other_company).number, 1);
  EXPECT_EQ(numbers({.company = other_company, .actor = "ada"}), Numbers{});
  EXPECT_OK(verify_audit(*connection, other_company));
  EXPECT_FAILS(append_audit(*connection, {.company = 77, .actor = "a", .action = "b"}), "company_not_found");
}

TEST_P(Audit, BelongsToTheTransactionItTellsOf) {
  append("ada", "a.b");
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    append("ada", "rolled.back");
  }
  EXPECT_EQ(append("ada", "c.d").number, 2) << "no gap";
  EXPECT_OK(verify_audit(*connection, kCompany));
}

TEST_P(Audit, ManyWriteAtOnceWithoutGaps) {
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const auto own = database.connect();
        for (int j = 0; j < 4; ++j)
          EXPECT_OK(append_audit(*own, {.company = kCompany, .actor = "ada", .action = "a.b"}));
      });
  }
  const auto head = verify_audit(*connection, kCompany);
  ASSERT_OK(head);
  EXPECT_EQ(head->number, 16);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_audit a JOIN lade_audit b ON b.number = a.number + 1 "
                    "WHERE b.created_at < a.created_at"),
            0);
}

TEST_P(Audit, IsNotRewrittenByAccident) {
  append_five();
  EXPECT_FALSE(connection->run("UPDATE lade_audit SET actor = 'bob'"));
  EXPECT_FALSE(connection->run("DELETE FROM lade_audit WHERE number = 5"));
  EXPECT_OK(verify_audit(*connection, kCompany));
}

TEST_P(Audit, AChangeIsNoticedInEveryColumn) {
  append_five();
  for (const std::string column : {"created_at", "actor", "action", "object_kind", "object_id", "data", "address"}) {
    const auto old = std::get<std::string>(value("SELECT " + column + " FROM lade_audit WHERE number = 3"));
    tamper("UPDATE lade_audit SET " + column + " = " + column + " || ' ' WHERE number = 3");
    expect_broken_at(3);
    tamper("UPDATE lade_audit SET " + column + " = '" + old + "' WHERE number = 3");
    EXPECT_OK(verify_audit(*connection, kCompany));
  }
}

TEST_P(Audit, TextThatMovesToTheNextColumnIsNoticed) {
  append_five();
  tamper("UPDATE lade_audit SET object_kind = 'jo', object_id = 'b7' WHERE number = 2");
  expect_broken_at(2);
}

TEST_P(Audit, AMissingEntryIsNoticed) {
  append_five();
  tamper("DELETE FROM lade_audit WHERE number = 3");
  expect_broken_at(3);
  tamper("UPDATE lade_audit SET number = number - 1 WHERE number = 4");
  expect_broken_at(3);
}

TEST_P(Audit, AnotherOrderIsNoticed) {
  append_five();
  tamper("UPDATE lade_audit SET number = 99 WHERE number = 2");
  tamper("UPDATE lade_audit SET number = 2 WHERE number = 3");
  tamper("UPDATE lade_audit SET number = 3 WHERE number = 99");
  expect_broken_at(2);
}

TEST_P(Audit, ACutIsNoticed) {
  append_five();
  tamper("DELETE FROM lade_audit WHERE number > 3");
  expect_broken_at(4);
  tamper("DELETE FROM lade_audit");
  expect_broken_at(1);
}

TEST_P(Audit, AnEntryBehindTheHeadIsNoticed) {
  append_five();
  tamper("UPDATE lade_audit_head SET number = 4");
  expect_broken_at(5);
  tamper("UPDATE lade_audit_head SET number = 5, hash = ''");
  expect_broken_at(5);
}

TEST_P(Audit, IsVerifiedPageByPage) {
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    for (int i = 0; i < 1001; ++i) append("ada", "a.b");
    ASSERT_OK(transaction->commit());
  }
  EXPECT_EQ(verify_audit(*connection, kCompany)->number, 1001);
  tamper("DELETE FROM lade_audit WHERE number = 1001");
  expect_broken_at(1001);
}

TEST_P(Audit, IsListedNewestFirst) {
  append_five();
  std::int64_t next = 0;
  EXPECT_EQ(numbers({.limit = 3}, &next), (Numbers{5, 4, 3}));
  EXPECT_EQ(numbers({.before = next, .limit = 3}, &next), (Numbers{2, 1}));
  EXPECT_EQ(next, 0);
  const auto page = list_audit(*connection, {.company = kCompany, .limit = 1});
  const AuditEntry& entry = page->entries.front();
  EXPECT_EQ(entry.what.company, kCompany);
  EXPECT_EQ(entry.what.data, "{\"why\":\"ä\"}");
  EXPECT_EQ(entry.what.address, "127.0.0.1");
  EXPECT_EQ(entry.created_at.size(), 24u) << entry.created_at;
}

TEST_P(Audit, IsFiltered) {
  append("ada", "import.approve");
  append("bob", "import.cancel");
  append("ada", "user.create");
  ASSERT_OK(append_audit(*connection, {kCompany, "ada", "importer", "token", "7"}));
  EXPECT_EQ(numbers({.actor = "ada"}), (Numbers{4, 3, 1}));
  EXPECT_EQ(numbers({.action = "import.cancel"}), (Numbers{2}));
  EXPECT_EQ(numbers({.action = "import.*"}), (Numbers{2, 1}));
  EXPECT_EQ(numbers({.action = "*"}), (Numbers{4, 3, 2, 1}));
  EXPECT_EQ(numbers({.object_kind = "job"}), (Numbers{3, 2, 1}));
  EXPECT_EQ(numbers({.object_kind = "token", .object_id = "7"}), (Numbers{4}));
  EXPECT_EQ(numbers({.object_id = "8"}), Numbers{});
}

}  // namespace
}  // namespace lade::accounts
