// The third migration: what was there stays, what the tables promise holds.
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using DurableSchema = testing::StoredJobsTest;
LADE_ON_BOTH_DATABASES(DurableSchema);

class OldSchema : public testing::DatabaseTest {};
LADE_ON_BOTH_DATABASES(OldSchema);

TEST_P(OldSchema, KeepsItsJobsAndGivesThemSlugs) {
  ASSERT_OK(db::migrate(*connection, migrations().first(2)));
  const std::string now = pick("'2024-01-02T03:04:05.678Z'", "timestamptz '2024-01-02 03:04:05.678Z'");
  ASSERT_OK(connection->run(
      "INSERT INTO lade_definition (company_id, slug, version, name, note, strategy, source_text, valid, "
      "created_at) VALUES (1, 'prices', 1, '', '', '', '', " +
      pick("1", "true") + ", " + now + ")"));
  ASSERT_OK(
      connection->run("INSERT INTO lade_job (uuid, company_id, definition_id, snapshot, file_name, file_bytes, "
                      "state, outcome, error, rows_read, rows_failed, created_at, finished_at) VALUES "
                      "('01890000-0000-7000-8000-000000000001', 1, 1, '{}', 'a.csv', 7, 'finished', 'failed', "
                      "'why', 3, 3, " +
                      now + ", " + now + ")"));
  ASSERT_OK(connection->run("INSERT INTO lade_issue VALUES (1, 1, 2, 3, 'error', 'c', '', '', '', '')"));
  const auto ran = migrate(*connection);
  ASSERT_OK(ran);
  EXPECT_EQ(*ran, static_cast<int>(migrations().size()) - 2);
  const auto job = find_job(*connection, "prices-1");
  ASSERT_OK(job);
  ASSERT_TRUE(*job);
  EXPECT_EQ((*job)->uuid, "01890000-0000-7000-8000-000000000001");
  EXPECT_EQ((*job)->status(), "failed");
  EXPECT_EQ((*job)->error, "why");
  EXPECT_EQ((*job)->rows.read, 3);
  EXPECT_EQ((*job)->file_bytes, 7);
  EXPECT_EQ((*job)->created_at, "2024-01-02T03:04:05.678Z");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_issue"), 1);
  const auto next = create_job(*connection, {new_uuid(), 1, "{}", "b.csv", 1});
  ASSERT_OK(next);
  EXPECT_EQ(*next, 2);
}

TEST_P(DurableSchema, EveryTableHasACompany) {
  const auto names = connection->table_names();
  ASSERT_OK(names);
  int tables = 0;
  for (const std::string& name : *names) {
    if (name.find("lade_") == std::string::npos || name.find("schema_version") != std::string::npos) continue;
    if (name.find("lade_company") != std::string::npos) continue;
    const auto table = connection->describe(name);
    ASSERT_OK(table);
    bool found = false;
    for (const db::Column& column : (*table)->columns) found |= column.name == "company_id" && column.not_null;
    EXPECT_TRUE(found) << name;
    ++tables;
  }
  EXPECT_EQ(tables, 46);
}

TEST_P(DurableSchema, WhatListsAreSearchedByHasAnIndex) {
  for (const char* name :
       {"lade_job_state", "lade_job_batch", "lade_job_created", "lade_batch_name", "lade_batch_created",
        "lade_job_batch_live", "lade_batch_event_batch", "lade_batch_event_created", "lade_page_status",
        "lade_page_key", "lade_task_ready", "lade_task_running", "lade_task_of_group"})
    EXPECT_EQ(integer(pick("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = '",
                           "SELECT count(*) FROM pg_indexes WHERE indexname = '") +
                      name + "'"),
              1)
        << name;
}

TEST_P(DurableSchema, TakesExactlyTheStandingsOfTheTable) {
  const std::int64_t id = created(new_job());
  for (const model::JobStanding& standing : testing::all_standings()) place(id, standing);
  for (const char* wrong :
       {"state = 'running', outcome = NULL", "state = '', outcome = NULL", "state = 'finished', outcome = 'done'",
        "state = 'finished', outcome = NULL", "state = 'approved', outcome = 'failed'"})
    EXPECT_FALSE(connection->run("UPDATE lade_job SET error = 'e', " + std::string(wrong))) << wrong;
}

TEST_P(DurableSchema, HistoryIsNotRewritten) {
  created(new_job());
  EXPECT_FALSE(connection->run("UPDATE lade_event SET kind = 'other'"));
  EXPECT_EQ(value("SELECT kind FROM lade_event"), db::Value("created"));
}

}  // namespace
}  // namespace lade::store
