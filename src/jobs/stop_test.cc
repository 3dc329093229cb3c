// Imports that are stopped: whatever the moment, every row is accounted for and nothing is half written.
#include <fmt/format.h>

#include <thread>

#include "jobs/job.h"
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using model::Outcome;

class Stop : public testing::ImportTest {
 protected:
  Stop() {
    EXPECT_OK(connection->run("CREATE TABLE item (code integer PRIMARY KEY, name text, amount integer)"));
    options.bucket_bytes = 4000;
    options.chunk_bytes = 5000;
  }
  static std::string file(int rows) {
    std::string csv = "code,name,amount\n";
    for (int i = 0; i < rows; ++i) csv += fmt::format("{},name {},{}\n", i, i, i % 50 == 7 ? "bad" : "1");
    return csv;
  }
  void expect_true_bill(const Summary& summary) {
    const auto stored = integer("SELECT count(*) FROM item");
    EXPECT_EQ(summary.rows[Outcome::inserted], stored);
    EXPECT_TRUE(summary.rows.conserved());
    const auto failed = records(summary.failed_file), succeeded = records(summary.succeeded_file),
               unprocessed = records(summary.unprocessed_file);
    EXPECT_EQ(static_cast<std::int64_t>(failed.size()), summary.rows[Outcome::failed]);
    EXPECT_EQ(static_cast<std::int64_t>(succeeded.size()), summary.rows[Outcome::inserted]);
    EXPECT_EQ(static_cast<std::int64_t>(unprocessed.size()), summary.rows[Outcome::unprocessed]);
    // As they lie in the storage, nothing else beside them.
    const std::filesystem::path place = storage_path(options) / "uploads" / "imports" / summary.job_id;
    std::int64_t files = 0;
    if (std::filesystem::exists(place))
      files = std::distance(std::filesystem::directory_iterator(place), std::filesystem::directory_iterator());
    for (const auto& [name, copy, rows] :
         {std::tuple("failed.csv", summary.failed_file, summary.rows[Outcome::failed]),
          std::tuple("succeeded.csv", summary.succeeded_file, summary.rows[Outcome::inserted]),
          std::tuple("unprocessed.csv", summary.unprocessed_file, summary.rows[Outcome::unprocessed])}) {
      EXPECT_EQ(std::filesystem::exists(place / name), rows > 0) << name;
      if (rows == 0) continue;
      EXPECT_EQ(static_cast<std::int64_t>(records(place / name).size()), rows) << name;
      EXPECT_EQ(text_of(place / name), text_of(copy)) << name;
      --files;
    }
    EXPECT_EQ(files, 0);
    if (summary.rows[Outcome::unprocessed] > 0) {
      EXPECT_EQ(summary.outcome, "cancelled");
      EXPECT_EQ(exit_code(summary), 5);
    } else {
      EXPECT_EQ(summary.outcome, "succeeded");
    }
  }
};
LADE_ON_BOTH_DATABASES(Stop);

const std::string kItems =
    "columns: {code: {type: integer}, name: , amount: {type: integer}}\nload: [{table: item, key: code}]\n";

TEST_P(Stop, BeforeTheStartNothingHappens) {
  std::stop_source stop;
  stop.request_stop();
  const Summary summary = import(file(500), kItems, stop.get_token());
  EXPECT_EQ(summary.outcome, "cancelled");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
  EXPECT_EQ(summary.rows[Outcome::inserted], 0);
}

// Stopped as soon as the job is seen to have come so far, which hits another moment each time.
TEST_P(Stop, AtAnyMomentTheBillIsTrue) {
  const std::string path = write("input.csv", file(3000));
  options.results = Results::all;
  options.workers = 2;
  int cancelled = 0;
  for (const Phase phase : {Phase::analysing, Phase::settling, Phase::processing})
    for (const std::int64_t rows : {0, 200, 1500}) {
      for (const char* rule : {"", "commit: all_or_nothing\nmax_errors: 90%\n", "max_errors: 90%\n"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", to_string(phase), rows, rule));
        ASSERT_OK(connection->run("DELETE FROM item"));
        std::filesystem::remove_all(options.results_folder);
        Progress progress;
        std::stop_source stop;
        std::jthread watcher([&] {
          const auto reached = [&] {
            return progress.phase >= phase &&
                   (phase == Phase::processing ? progress.rows_loaded : progress.rows_analysed) >= rows;
          };
          while (!reached() && progress.phase != Phase::finished) std::this_thread::yield();
          stop.request_stop();
        });
        const auto summary =
            run_import(path, testing::definition_of(kItems + rule), kItems + rule, options, progress, stop.get_token());
        progress.phase = Phase::finished;
        ASSERT_OK(summary);
        expect_true_bill(*summary);
        if (std::string_view(rule).starts_with("commit")) {
          EXPECT_TRUE(summary->rows[Outcome::inserted] == 0 || summary->rows[Outcome::unprocessed] == 0);
        }
        cancelled += summary->outcome == "cancelled";
      }
    }
  EXPECT_GT(cancelled, 3) << "the test stops imports in the middle";
}

// Between two buckets, for certain: the loading of a bucket is held up by somebody else's lock until the stop has come.
TEST_P(Stop, WhileSomebodyHoldsTheTableNothingIsLost) {
  if (is_sqlite()) return;
  const std::string path = write("input.csv", file(3000));
  options.workers = 1;
  options.results = Results::all;
  ASSERT_OK(connection->run("BEGIN; LOCK TABLE item IN EXCLUSIVE MODE"));
  Progress progress;
  std::stop_source stop;
  Result<Summary> summary = fail("not_run", "");
  std::jthread import(
      [&] { summary = run_import(path, testing::definition_of(kItems), kItems, options, progress, stop.get_token()); });
  while (progress.phase != Phase::processing) std::this_thread::yield();
  stop.request_stop();
  ASSERT_OK(connection->run("COMMIT"));
  import.join();
  ASSERT_OK(summary);
  EXPECT_EQ(summary->outcome, "cancelled");
  expect_true_bill(*summary);
}

TEST(RunWorkers, GiveOutEveryItemOnceAndStopAtTheFirstError) {
  for (const unsigned workers : {1u, 4u}) {
    std::vector<std::atomic<int>> taken(100);
    EXPECT_OK(run_workers(workers, 100, {}, [&](const NextItem& next) -> Result<void> {
      while (const auto item = next()) ++taken[*item];
      return {};
    }));
    for (const auto& count : taken) EXPECT_EQ(count, 1);
    std::atomic<int> given = 0;
    EXPECT_FAILS(run_workers(workers, 1000, {},
                             [&](const NextItem& next) -> Result<void> {
                               while (const auto item = next()) {
                                 ++given;
                                 if (*item == 5) return fail("broken", "item 5");
                               }
                               return {};
                             }),
                 "broken");
    EXPECT_LT(given, 1000);
    EXPECT_OK(run_workers(workers, 0, {}, [](const NextItem&) -> Result<void> { return {}; }));
  }
}

}  // namespace
}  // namespace lade::jobs
