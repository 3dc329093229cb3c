#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/views.h"
#include "remote/records.h"

// What a server tells is read back as the same records: they print as they would there.
namespace lade::cli {
namespace {

template <class Record>
void expect_same_again(const Record& record) {
  const boost::json::object told = api::to_json(record);
  const auto read = remote::read<Record>(boost::json::value(told));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(boost::json::serialize(api::to_json(*read)), boost::json::serialize(told));
}

store::JobRecord some_job() {
  store::JobRecord job;
  job.id = 7;
  job.uuid = "0190b3f0-0000-7000-8000-000000000007";
  job.slug = "prices-7";
  job.definition = "prices";
  job.definition_version = 3;
  job.file_name = "preise (1).csv";
  job.file_bytes = 5'000'000'000;
  job.standing.state = model::JobState::processing_data;
  job.rows_total = 1000;
  job.rows_analysed = 900;
  job.rows.read = 800;
  job.rows[model::Outcome::inserted] = 799;
  job.rows[model::Outcome::failed] = 1;
  job.chunks = 10;
  job.created_at = "2026-01-02T03:04:05.678Z";
  return job;
}

TEST(Records, AJobIsTheSameAgain) {
  store::JobRecord job = some_job();
  expect_same_again(job);
  job.standing = {model::JobState::finished, model::JobOutcome::failed};
  job.error_code = "too_many_errors";
  job.error = "1 row failed";
  job.error_hint = "correct it";
  job.results_error = "disk full";
  job.rows_total.reset();
  job.batch = "monday";
  job.cancel_requested = job.paused = true;
  job.waits_for = "prices-6";
  expect_same_again(job);
}

TEST(Records, AJobHasEveryProgressThatWasTold) {
  store::JobRecord job = some_job();
  job.chunks = 1000;
  for (job.chunks_done = 0; job.chunks_done <= job.chunks; ++job.chunks_done) {
    const auto read = remote::read<store::JobRecord>(boost::json::value(api::to_json(job)));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->progress(), job.progress());
  }
}

TEST(Records, ABatchStandsAsItWasTold) {
  store::BatchRecord batch;
  batch.name = "monday";
  expect_same_again(batch);
  batch.jobs.queued = 2;
  expect_same_again(batch);
  batch.jobs.started = 1;
  batch.jobs.running = 1;
  expect_same_again(batch);
  batch.jobs = {.paused = 2, .succeeded = 1, .started = 1};
  expect_same_again(batch);
  batch.jobs = {.failed = 1, .ended_by_people = 1, .started = 2};
  expect_same_again(batch);
}

TEST(Records, RowsAreTheSameAgain) {
  for (const auto& [word, wanted] : store::row_words()) {
    store::ListedRow row{.row_id = 3, .line = 4, .issue = {.code = "required", .column = "code", .message = "blank"}};
    if (const auto* outcome = std::get_if<model::Outcome>(&wanted)) row.outcome = *outcome;
    if (const auto* state = std::get_if<model::RowState>(&wanted)) row.state = *state;
    expect_same_again(row);
  }
}

TEST(Records, TheQueueIsTheSameAgain) {
  queue::TaskRow task{.id = 5, .queue = "default", .kind = "plan", .status = "failed", .error_code = "x", .error = "y"};
  task.created_at = 1'700'000'000'123'000;
  expect_same_again(task);
  task.duration = 12'000;
  expect_same_again(task);
  task.duration = 12;
  expect_same_again(task);
  expect_same_again(queue::DeadLetter{.task = 5, .kind = "plan", .reason = "poison", .died_at = 1'700'000'000'123'000});
  expect_same_again(queue::ListedNode{
      .boot = "b", .name = "n", .storage = "", .beat = 7, .running = 2, .slots = 4, .draining = true});
  expect_same_again(queue::TaskCounts{.pending = 1, .running = 2, .succeeded = 3, .failed = 4, .cancelled = 5});
  expect_same_again(store::Event{.number = 1,
                                 .kind = "created",
                                 .state = "upload_completed",
                                 .actor = "me",
                                 .data = R"({"a":[1]})",
                                 .created_at = "2026-01-02T03:04:05.678Z"});
}

TEST(Records, ADefinitionIsTheSameAgain) {
  store::StoredDefinition definition;
  definition.slug = "prices";
  definition.version = 2;
  definition.validation_error = "line 3";
  expect_same_again(definition);
}

}  // namespace
}  // namespace lade::cli
