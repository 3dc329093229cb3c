// Jobs found, listed page by page, and told from their twins.
#include <atomic>
#include <thread>

#include "store/batches.h"
#include "store/outcome_blob.h"
#include "store/outcomes.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::JobEvent;
using model::JobOutcome;
using model::JobState;
using model::Outcome;

using JobList = testing::StoredJobsTest;
LADE_ON_BOTH_DATABASES(JobList);

TEST_P(JobList, AJobIsFoundByIdUuidAndSlugInItsCompanyOnly) {
  ASSERT_OK(connection->run("INSERT INTO lade_company (id, name, created_at) VALUES (2, 'other', " +
                            pick("'x'", "now()") + ")"));
  const NewJob job = new_job();
  const std::int64_t id = created(job);
  const std::string slug = "prices-" + std::to_string(id);
  for (const std::string& reference : {std::to_string(id), job.uuid, slug}) {
    const auto here = find_job(*connection, reference), elsewhere = find_job(*connection, reference, 2);
    ASSERT_OK(here);
    ASSERT_OK(elsewhere);
    ASSERT_TRUE(*here) << reference;
    EXPECT_EQ((*here)->id, id);
    EXPECT_EQ((*here)->definition, "prices");
    EXPECT_EQ((*here)->definition_version, 1);
    EXPECT_FALSE(*elsewhere) << reference;
  }
  for (const char* reference : {"", "0", "-1", "1x", "prices", "99999999999999999999", "' OR 1=1 --"}) {
    const auto none = find_job(*connection, reference);
    ASSERT_OK(none);
    EXPECT_FALSE(*none) << reference;
  }
}

TEST_P(JobList, PagesDoNotShiftWhenJobsAreCreatedMeanwhile) {
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 7; ++i) ids.push_back(created(new_job()));
  std::vector<std::int64_t> seen;
  JobFilter filter;
  filter.limit = 3;
  int pages = 0;
  do {
    const auto page = list_jobs(*connection, filter);
    ASSERT_OK(page);
    for (const JobRecord& job : page->jobs) seen.push_back(job.id);
    filter.before = page->next;
    created(new_job());
    ++pages;
  } while (filter.before != 0);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen, std::vector<std::int64_t>(ids.rbegin(), ids.rend()));
}

TEST_P(JobList, AFullLastPageIsTheLast) {
  for (int i = 0; i < 3; ++i) created(new_job());
  const auto page = list_jobs(*connection, {.limit = 3});
  ASSERT_OK(page);
  EXPECT_EQ(page->jobs.size(), 3u);
  EXPECT_EQ(page->next, 0);
}

TEST_P(JobList, EveryStatusFindsItsJobs) {
  std::map<std::string, std::size_t> expected;
  for (const bool paused : {false, true})
    for (const model::JobStanding& standing : testing::all_standings()) {
      const std::int64_t id = created(new_job());
      place(id, standing);
      const db::Value values[] = {std::int64_t{paused}, id};
      ASSERT_OK(connection->execute("UPDATE lade_job SET paused = $1 WHERE id = $2", values));
      ++expected[std::string(job_status(standing, paused))];
    }
  EXPECT_EQ(expected.size(), 9u);
  for (const auto& [status, count] : expected) {
    const auto page = list_jobs(*connection, {.status = status});
    ASSERT_OK(page);
    EXPECT_EQ(page->jobs.size(), count) << status;
    for (const JobRecord& job : page->jobs) EXPECT_EQ(job.status(), status);
  }
  EXPECT_FAILS(list_jobs(*connection, {.status = "done"}), "status_unknown");
}

TEST_P(JobList, DefinitionAndBatchNarrowTheList) {
  StoredDefinition other;
  other.slug = "articles";
  ASSERT_OK(save_definition(*connection, other));
  const auto batch = find_or_create_batch(*connection, {new_uuid(), "monday", "manifest.json", "ada"});
  ASSERT_OK(batch);
  NewJob job = new_job();
  job.batch_id = *batch;
  const std::int64_t in_batch = created(job);
  job = new_job();
  job.definition_id = other.id;
  const std::int64_t of_other = created(job);
  const auto by_batch = list_jobs(*connection, {.batch_id = *batch});
  ASSERT_OK(by_batch);
  ASSERT_EQ(by_batch->jobs.size(), 1u);
  EXPECT_EQ(by_batch->jobs[0].id, in_batch);
  EXPECT_EQ(by_batch->jobs[0].batch_id, *batch);
  EXPECT_EQ(by_batch->jobs[0].batch, "monday");
  const auto by_definition = list_jobs(*connection, {.definition = "articles"});
  ASSERT_OK(by_definition);
  ASSERT_EQ(by_definition->jobs.size(), 1u);
  EXPECT_EQ(by_definition->jobs[0].id, of_other);
}

TEST_P(JobList, ALiveTwinIsRefusedUnlessForced) {
  const std::string hash = dedupe_hash(1, definition.id, "abc", "{}");
  const std::int64_t first = created(new_job(hash));
  const auto second = create_job(*connection, new_job(hash));
  ASSERT_FAILS(second, "job_exists");
  EXPECT_NE(second.error().message.find("prices-" + std::to_string(first)), std::string::npos);
  NewJob forced = new_job(hash);
  forced.forced = true;
  EXPECT_OK(create_job(*connection, forced));
  EXPECT_OK(create_job(*connection, new_job("another")));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_job"), 3);
}

TEST_P(JobList, OnlyLiveAndJustSucceededJobsAreTwins) {
  const std::int64_t id = created(new_job("hash"));
  const auto twin = [&](std::optional<std::chrono::seconds> window) {
    const auto found = find_twin(*connection, "hash", window);
    EXPECT_OK(found);
    return found->has_value();
  };
  const auto finished_before = [&](int hours) {
    const std::string then = pick("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-" + std::to_string(hours) + " hours')",
                                  "now() - interval '" + std::to_string(hours) + " hours'");
    ASSERT_OK(connection->run("UPDATE lade_job SET finished_at = " + then));
  };
  EXPECT_TRUE(twin(std::nullopt));
  for (const model::JobStanding& standing : testing::all_standings()) {
    place(id, standing);
    finished_before(23);
    const bool live = !standing.outcome, succeeded = standing.outcome == JobOutcome::succeeded;
    EXPECT_EQ(twin(std::nullopt), live) << to_string(standing);
    EXPECT_EQ(twin(std::chrono::hours(24)), live || succeeded) << to_string(standing);
    finished_before(25);
    EXPECT_EQ(twin(std::chrono::hours(24)), live) << to_string(standing);
  }
  const auto none = find_twin(*connection, "other", std::chrono::hours(24));
  ASSERT_OK(none);
  EXPECT_FALSE(*none);
}

TEST_P(JobList, ARetryWaitsForALiveTwin) {
  const std::int64_t first = created(new_job("hash"));
  ASSERT_OK(change(first, JobEvent::failed));
  const std::int64_t second = created(new_job("hash"));
  EXPECT_FAILS(retry_job(*connection, first, "ada"), "job_exists");
  EXPECT_EQ(found(first).status(), "failed");
  ASSERT_OK(change(second, JobEvent::cancelled));
  EXPECT_OK(retry_job(*connection, first, "ada"));
}

TEST_P(JobList, OfTwinsCreatedAtOnceOneIsMade) {
  std::atomic<int> made = 0, refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&] {
        const auto own = database.connect();
        const auto id = create_job(*own, new_job("hash"));
        ++(id ? made : refused);
        if (!id) {
          EXPECT_EQ(id.error().code, "job_exists") << id.error().message;
        }
      });
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(refused, 5);
}

TEST_P(JobList, TheHashDependsOnEverything) {
  const std::string hash = dedupe_hash(1, 2, "abc", "{}");
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(hash, dedupe_hash(1, 2, "abc", "{}"));
  EXPECT_NE(hash, dedupe_hash(2, 2, "abc", "{}"));
  EXPECT_NE(hash, dedupe_hash(1, 3, "abc", "{}"));
  EXPECT_NE(hash, dedupe_hash(1, 2, "abd", "{}"));
  EXPECT_NE(hash, dedupe_hash(1, 2, "abc", "{\"a\":1}"));
  EXPECT_NE(dedupe_hash(1, 11, "abc", ""), dedupe_hash(11, 1, "abc", ""));
}

TEST_P(JobList, FilesAreWantedWhileARecordNamesThem) {
  const FileRecord in{0, new_uuid(), new_uuid(), "Preise März.csv", 5'000'000'000, std::string(64, 'a')};
  const auto id = create_file(*connection, in);
  ASSERT_OK(id);
  const auto out = find_file(*connection, *id);
  ASSERT_OK(out);
  ASSERT_TRUE(*out);
  EXPECT_EQ((*out)->uuid, in.uuid);
  EXPECT_EQ((*out)->storage, in.storage);
  EXPECT_EQ((*out)->name, in.name);
  EXPECT_EQ((*out)->bytes, in.bytes);
  EXPECT_EQ((*out)->sha256, in.sha256);
  EXPECT_EQ((*out)->purpose, "upload");
  NewJob job = new_job();
  job.state = JobState::waiting_for_upload;
  const std::int64_t job_id = created(job);
  ASSERT_OK(change_job(*connection, job_id, {.event = JobEvent::file_stored, .file_id = *id}));
  EXPECT_EQ(found(job_id).file_name, in.name);
  EXPECT_EQ(found(job_id).file_bytes, in.bytes);
  EXPECT_TRUE(is_file_wanted(*connection, in.uuid).value());
  EXPECT_FALSE(is_file_wanted(*connection, new_uuid()).value());
  ASSERT_OK(mark_file_removed(*connection, *id));
  EXPECT_FALSE(is_file_wanted(*connection, in.uuid).value());
  EXPECT_FALSE(find_file(*connection, *id).value());
}

TEST_P(JobList, AFileWithAPathIsWantedByItsPath) {
  const std::int64_t job = created(new_job());
  const std::string folder = "uploads/imports/" + found(job).uuid;
  FileRecord in{.uuid = new_uuid(), .storage = new_uuid(), .name = "failed.csv", .bytes = 1, .purpose = "failed"};
  in.job = job;
  EXPECT_EQ(count_results(*connection, job, "failed").value(), 0);
  ASSERT_OK(create_file(*connection, in));
  EXPECT_EQ(count_results(*connection, job, "failed").value(), 0) << "as files were stored before they had paths";
  in.uuid = new_uuid();
  in.path = folder + "/failed.csv";
  const auto id = create_file(*connection, in);
  ASSERT_OK(id);
  const auto files = results_of(*connection, job);
  ASSERT_OK(files);
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].stored_as(), (*files)[0].uuid);
  EXPECT_EQ((*files)[1].stored_as(), in.path);
  EXPECT_TRUE(is_file_wanted(*connection, in.path).value());
  for (const char* name : {"/succeeded.csv", "/1/failed.csv", "/2024-unprocessed.xlsx"})
    EXPECT_FALSE(is_file_wanted(*connection, folder + name).value()) << name;
  // What others may have put there.
  for (const std::string& name : {folder + "/photo.jpg", folder + "/failed.txt", "lade/" + folder + "/failed.csv",
                                  std::string("uploads/imports/8c5f2d6e-9d27-4f3c-8a55-3f4ad2b0f5a1/failed.csv")})
    EXPECT_TRUE(is_file_wanted(*connection, name).value()) << name;
  ASSERT_OK(mark_file_removed(*connection, *id));
  EXPECT_FALSE(is_file_wanted(*connection, in.path).value());
  EXPECT_EQ(count_results(*connection, job, "failed").value(), 1);
  EXPECT_EQ(count_results(*connection, job, "succeeded").value(), 0);
}

TEST_P(JobList, TheLastAttemptsSegmentIsThatOfItsChunk) {
  const std::int64_t job = created(new_job());
  const std::string first = new_uuid(), second = new_uuid(), again = new_uuid();
  ASSERT_OK(record_segment(*connection, job, {1, second, 20, 2, 0}));
  ASSERT_OK(record_segment(*connection, job, {0, first, 10, 1, 1}));
  ASSERT_OK(record_segment(*connection, job, {0, again, 11, 3, 4}));
  const auto segments = segments_of(*connection, job);
  ASSERT_OK(segments);
  ASSERT_EQ(segments->size(), 2u);
  EXPECT_EQ((*segments)[0].file_uuid, again);
  EXPECT_EQ((*segments)[0].bytes, 11);
  EXPECT_EQ((*segments)[0].rows, 3);
  EXPECT_EQ((*segments)[0].failed_rows, 4);
  EXPECT_EQ((*segments)[1].file_uuid, second);
  EXPECT_FALSE(is_file_wanted(*connection, first).value());
  EXPECT_TRUE(is_file_wanted(*connection, again).value());
  const auto forgotten = forget_segments(*connection, job);
  ASSERT_OK(forgotten);
  EXPECT_EQ(forgotten->size(), 2u);
  EXPECT_FALSE(is_file_wanted(*connection, again).value());
}

TEST_P(JobList, OutcomesOfABucketAreKeptAndCounted) {
  const std::int64_t job = created(new_job());
  OutcomePacker packer;
  for (std::uint32_t row = 1; row <= 300; ++row) packer.add({row * 7, Outcome::inserted});
  packer.add({4'000'000'000u, Outcome::failed, "unique_violation"});
  BucketOutcomes outcomes{2, {}, packer.finish()};
  outcomes.counts[Outcome::inserted] = 300;
  outcomes.counts[Outcome::failed] = 1;
  outcomes.counts.removed = 5;
  ASSERT_OK(save_outcomes(*connection, job, {2, {}, "before"}));
  ASSERT_OK(save_outcomes(*connection, job, outcomes));
  ASSERT_OK(save_outcomes(*connection, job, {0, outcomes.counts, ""}));
  const auto stored = outcomes_of(*connection, job, 1, 5);
  ASSERT_OK(stored);
  ASSERT_EQ(stored->size(), 1u);
  EXPECT_EQ((*stored)[0].bucket, 2);
  EXPECT_EQ((*stored)[0].packed, outcomes.packed);
  const auto counts = counted_outcomes(*connection, job);
  ASSERT_OK(counts);
  EXPECT_EQ((*counts)[Outcome::inserted], 600);
  EXPECT_EQ((*counts)[Outcome::failed], 2);
  EXPECT_EQ(counts->removed, 10);
  EXPECT_EQ(counted_outcomes(*connection, 99).value().accounted(), 0);
}

}  // namespace
}  // namespace lade::store
