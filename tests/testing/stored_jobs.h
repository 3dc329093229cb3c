#pragma once

#include <string>
#include <vector>

#include "base/id.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/job_list.h"
#include "store/jobs.h"
#include "store/schema.h"
#include "testing/database_test.h"

namespace lade::testing {

// A migrated database with one definition, for the tests of what the store knows about jobs.
class StoredJobsTest : public DatabaseTest {
 protected:
  StoredJobsTest() {
    EXPECT_OK(store::migrate(*connection));
    definition.slug = "prices";
    definition.source_text = "lade: 1";
    definition.valid = true;
    EXPECT_OK(store::save_definition(*connection, definition));
  }

  store::NewJob new_job(std::string hash = {}) const {
    const std::string snapshot =
        R"({"lade":1,"definition":"prices","columns":{"id":"Id"},"load":[{"table":"item","key":"id"}]})";
    store::NewJob job{new_uuid(), definition.id, snapshot, "prices.csv", 10};
    job.state = model::JobState::upload_completed;
    job.dedupe_hash = std::move(hash);
    job.created_by = "ada";
    return job;
  }
  std::int64_t created(const store::NewJob& job) {
    const auto id = store::create_job(*connection, job);
    EXPECT_OK(id);
    return id.value_or(0);
  }
  store::JobRecord found(std::int64_t id) {
    auto job = store::find_job(*connection, std::to_string(id));
    EXPECT_OK(job);
    EXPECT_TRUE(job && *job);
    return job && *job ? **job : store::JobRecord();
  }
  // Puts the job there, whatever the table of states says.
  void place(std::int64_t id, const model::JobStanding& standing) {
    const db::Value values[] = {std::string(to_string(standing.state)),
                                standing.outcome ? db::Value(std::string(to_string(*standing.outcome))) : db::Value(),
                                id};
    ASSERT_OK(connection->execute("UPDATE lade_job SET state = $1, outcome = $2, error = 'e' WHERE id = $3", values));
  }
  Result<model::JobStanding> change(std::int64_t id, model::JobEvent event) {
    store::JobChange change{event, "bob"};
    if (event == model::JobEvent::failed) {
      change.error_code = "disk_full";
      change.error = "the disk is full";
    }
    if (event == model::JobEvent::file_stored)
      change.file_id = store::create_file(*connection, {0, new_uuid(), "storage", "late.csv", 10, ""}).value();
    return store::change_job(*connection, id, change);
  }
  // The kinds of all events; their numbers have no gaps.
  std::vector<std::string> event_kinds(std::int64_t id) {
    const auto events = store::events_of(*connection, id);
    EXPECT_OK(events);
    std::vector<std::string> kinds;
    for (const store::Event& event : *events) {
      kinds.push_back(event.kind);
      EXPECT_EQ(event.number, static_cast<std::int64_t>(kinds.size()));
    }
    return kinds;
  }

  store::StoredDefinition definition;
};

// Every state, and finished with every outcome.
inline std::vector<model::JobStanding> all_standings() {
  std::vector<model::JobStanding> standings;
  for (std::size_t i = 0; i < model::kJobStates; ++i)
    if (const auto state = static_cast<model::JobState>(i); state != model::JobState::finished)
      standings.push_back({state, {}});
  for (std::size_t i = 0; i < model::kJobOutcomes; ++i)
    standings.push_back({model::JobState::finished, static_cast<model::JobOutcome>(i)});
  return standings;
}

}  // namespace lade::testing
