// Imports that are a handler's own: every row is handed to it, and what it says of them is the job's result.
#include "jobs/hand_over.h"

#include <signal.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <thread>

#include "jobs/fetch_results.h"
#include "jobs/fix.h"
#include "jobs/undo.h"
#include "storage/folder.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using Texts = std::vector<std::string>;

const std::string kPeople =
    "columns: {name: , age: {type: integer}, staff: {type: boolean}}\nload: [{handler: ledger}]\n";

std::string shown(const boost::json::value& value) {
  return boost::json::serialize(value);
}

class HandOver : public testing::DurableTest {
 protected:
  HandOver() { configure(); }

  void configure(std::size_t concurrency = 2) {
    const char* const root = std::getenv("LADE_SOURCE_DIR");
    handlers::Handler ledger{
        .name = "ledger",
        .command = {"/usr/bin/python3", std::string(root == nullptr ? "." : root) + "/tests/handlers/ledger.py"},
        .folder = "/",
        .environment = {{"LEDGER", ledger_path()}},
        .options = {"closed", "allow_update"},
        .concurrency = concurrency};
    ledger.limits.batch_rows = 20;
    ledger.limits.batch_seconds = ledger.limits.row_seconds = std::chrono::seconds(20);
    handlers::Handler other = ledger;
    other.name = "other";
    options.handlers = std::make_shared<const handlers::Registry>(std::vector<handlers::Handler>{ledger, other});
    work.here = options;
  }
  std::string ledger_path() const { return folder / "ledger"; }

  // The lines of the ledger that have the key, each as its JSON.
  std::vector<boost::json::object> noted(std::string_view key) const {
    std::vector<boost::json::object> found;
    std::ifstream in(ledger_path());
    for (std::string line; std::getline(in, line);)
      if (auto note = boost::json::parse(line).as_object(); note.contains(key)) found.push_back(std::move(note));
    return found;
  }
  // "1 Ann 30 true": the rows that were handed over, in their order.
  Texts handed() const {
    std::map<std::int64_t, std::string> rows;
    for (const auto& note : noted("row")) {
      std::string& text = rows[note.at("row").as_int64()];
      if (!text.empty()) text += " twice";
      text += std::to_string(note.at("row").as_int64());
      for (const auto& cell : note.at("cells").as_array())
        text += " " + (cell.is_null() ? "-" : std::string(cell.as_string()));
    }
    Texts texts;
    for (auto& [row, text] : rows) texts.push_back(text);
    return texts;
  }
  static std::string rows(int count, const std::string& name) {
    std::string csv = "name,age,staff\n";
    for (int i = 0; i < count; ++i) csv += fmt::format("{},{},yes\n", i % 10 == 3 ? "refuse" : name, i);
    return csv;
  }
  // An import of slow rows in one bucket, which is asked to stop when some of them are stored.
  Result<Summary> cancelled_half_way(int count) {
    options.flush_batches = 1;
    options.chunk_bytes = options.bucket_bytes = 1 << 20;
    Progress progress;
    std::stop_source stop;
    std::jthread watcher([&] {
      while (progress.rows_loaded < 20 && progress.phase != Phase::finished) std::this_thread::yield();
      stop.request_stop();
    });
    auto summary = run_import(write("input.csv", rows(count, "slow")), testing::definition_of(kPeople), kPeople,
                              options, progress, stop.get_token());
    progress.phase = Phase::finished;
    return summary;
  }
  // The code of the error, if it is refused.
  std::string fix(const std::string& job, const std::vector<Fix>& fixes) {
    const auto storage = storage::Folder::open(storage_path(options));
    std::vector<RefusedFix> not_possible;
    const auto fixed = fix_rows(*connection, {*storage, options}, {job, "ada"}, fixes, not_possible);
    return fixed ? "" : fixed.error().code + ": " + fixed.error().message;
  }
  Error refused(const std::string& yaml) {
    Progress progress;
    const auto summary =
        run_import(write("input.csv", rows(1, "a")), testing::definition_of(yaml), yaml, options, progress, {});
    return summary ? summary->error : summary.error();
  }
};
LADE_ON_BOTH_DATABASES(HandOver);

TEST_P(HandOver, EveryRowIsHandedOverOnce) {
  const Summary summary =
      import("name,age,staff\nAnn,30,yes\nBob,,no\nrefuse,1,no\nEve,old,no\nupdated,4,\nskipped,5,\ndie,6,\n", kPeople);
  EXPECT_EQ(summary.outcome, "succeeded");
  EXPECT_EQ(counts(summary), "read 7 inserted 2 updated 1 skipped 1 failed 3");
  EXPECT_EQ(handed(), (Texts{"1 Ann 30 true", "2 Bob - false", "5 updated 4 -", "6 skipped 5 -"}));
  EXPECT_EQ(content("SELECT row_id, code, message FROM lade_issue"),
            (Texts{"3|handler_failed|nobody wants this row", "4|not_an_integer|not a whole number",
                   "7|handler_died|it ended with exit code 9"}));
  EXPECT_EQ(records(summary.failed_file).size(), 3u);
}

TEST_P(HandOver, HooksAreCalledOnceForAnImport) {
  const Summary summary = import(rows(300, "a"), kPeople);
  EXPECT_EQ(counts(summary), "read 300 inserted 270 failed 30");
  const auto begins = noted("begins"), ends = noted("ends");
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(shown(begins[0].at("begins")), '"' + summary.job_id + '"');
  EXPECT_EQ(shown(begins[0].at("headers")), R"(["name","age","staff"])");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(shown(ends[0].at("ends")), R"("succeeded")");
  EXPECT_EQ(shown(ends[0].at("counts").at("inserted")), "270");
  EXPECT_EQ(shown(ends[0].at("counts").at("failed")), "30");
}

TEST_P(HandOver, WithoutColumnsItGetsTheFileAsItIs) {
  const Summary summary = import("Given Name;No\n Ann ;1\n;\n", "load: [{handler: ledger}]\n");
  EXPECT_EQ(counts(summary), "read 2 inserted 2");
  EXPECT_EQ(handed(), (Texts{"1  Ann  1", "2 - -"}));
  EXPECT_EQ(shown(noted("begins")[0].at("headers")), R"(["Given Name","No"])");
}

TEST_P(HandOver, ColumnsAreCalledAsItWants) {
  const Summary summary = import("name,age,staff\nAnn,\"1,200\",no\n",
                                 "columns: {name: , age: {type: integer, locale: en-US}, staff: }\n"
                                 "load: [{handler: ledger, columns: {age: years, name: who}}]\n");
  EXPECT_EQ(counts(summary), "read 1 inserted 1");
  EXPECT_EQ(handed(), Texts{"1 1200 Ann"});
  EXPECT_EQ(shown(noted("begins")[0].at("headers")), R"(["years","who"])");
}

TEST_P(HandOver, InADryRunItIsNotCalled) {
  options.dry_run = true;
  EXPECT_EQ(counts(import(rows(20, "a") + "x,y,z\n", kPeople)), "read 21 inserted 20 failed 1");
  EXPECT_FALSE(std::filesystem::exists(ledger_path()));
}

TEST_P(HandOver, ItCanRefuseTheImport) {
  const std::string closed = "columns: {name: , age: , staff: }\nload: [{handler: ledger, options: {closed: true}}]\n";
  const Summary summary = import(rows(20, "a"), closed);
  EXPECT_EQ(summary.outcome, "failed");
  EXPECT_EQ(summary.error.code, "handler_refused");
  EXPECT_EQ(counts(summary), "read 20 unprocessed 20");
  EXPECT_EQ(handed(), Texts{});
}

TEST_P(HandOver, NamesAndWishesAreChecked) {
  EXPECT_EQ(refused("load: [{handler: /bin/sh}]\n").code, "handler_unknown") << "a path is no name";
  EXPECT_EQ(refused("load: [{handler: ledger, options: {colour: red}}]\n").code, "handler_option_unknown");
  options.handler = "nobody";
  EXPECT_EQ(refused(kPeople).code, "handler_unknown");
  options.handler = "other";
  options.handler_options = R"({"allow_update": true})";
  options.handler_batch = 7;
  EXPECT_EQ(refused(kPeople).code, "");
  EXPECT_EQ(shown(noted("begins")[0].at("options")), R"({"allow_update":true})");
  options.handler_options = "[1]";
  EXPECT_EQ(refused(kPeople).code, "handler_options_invalid");
  options.handler_options = "";
  EXPECT_EQ(refused(kItems).code, "handler_not_used") << "a table has no handler";
}

// As steps would add it.
TEST_P(HandOver, ItHasNoTablesBesideIt) {
  definition::Definition definition = testing::definition_of(kPeople);
  ASSERT_OK(analysis::bind(definition, {"name", "age", "staff"}, *connection, {}));
  definition.load.push_back(testing::definition_of(kItems).load.front());
  EXPECT_FAILS(analysis::bind(definition, {"name", "age", "staff"}, *connection, {}), "handler_needs_plain_rows");
}

TEST_P(HandOver, BatchesAreAsLargeAsAskedFor) {
  options.handler_batch = 7;
  options.chunk_bytes = options.bucket_bytes = 1 << 20;
  (void)import(rows(50, "a"), kPeople);
  const auto batches = noted("batch");
  ASSERT_EQ(batches.size(), 8u);
  EXPECT_EQ(shown(batches[0].at("batch")), "7");
  EXPECT_EQ(shown(batches[7].at("batch")), "1");
}

TEST_P(HandOver, CancelledItKeepsWhatIsDone) {
  options.results = Results::all;
  const auto summary = cancelled_half_way(400);
  ASSERT_OK(summary);
  EXPECT_EQ(summary->outcome, "cancelled");
  EXPECT_TRUE(summary->rows.conserved());
  EXPECT_GT(summary->rows[Outcome::unprocessed], 0);
  EXPECT_EQ(static_cast<std::int64_t>(handed().size()), summary->rows[Outcome::inserted]) << "what it did is counted";
  EXPECT_EQ(static_cast<std::int64_t>(records(summary->succeeded_file).size()), summary->rows[Outcome::inserted]);
  EXPECT_EQ(static_cast<std::int64_t>(records(summary->failed_file).size()), summary->rows[Outcome::failed]);
  EXPECT_EQ(static_cast<std::int64_t>(records(summary->unprocessed_file).size()), summary->rows[Outcome::unprocessed]);
  EXPECT_EQ(shown(noted("ends").at(0).at("ends")), R"("cancelled")");

  ASSERT_OK(retry_job(*connection, {summary->job_id, "ada"}));
  run_worker();
  EXPECT_EQ(status(summary->job_id), "succeeded");
  EXPECT_EQ(record(summary->job_id).rows[Outcome::inserted], 360);
  for (const std::string& row : handed()) EXPECT_EQ(row.find("twice"), std::string::npos) << row;
}

// One that does not work any more costs no rows: they are handed over when the job is retried.
TEST_P(HandOver, BrokenItFailsTheJobNotItsRows) {
  work.settings.retry.base = std::chrono::milliseconds(1);
  const std::string job = submit(rows(100, "a"), kPeople);
  std::ofstream(ledger_path() + ".broken") << "yes";
  run_worker();
  EXPECT_EQ(status(job), "failed");
  EXPECT_EQ(record(job).error_code, "handler_keeps_failing");
  EXPECT_EQ(record(job).rows[Outcome::failed], 0);
  std::filesystem::remove(ledger_path() + ".broken");
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).rows[Outcome::inserted], 90);
  EXPECT_EQ(handed().size(), 90u);
}

TEST_P(HandOver, AfterACrashOnlyTheLastBatchesAreRepeated) {
  options.flush_batches = 1;
  options.chunk_bytes = options.bucket_bytes = 1 << 20;
  work.here = options;
  work.settings.retry.base = std::chrono::milliseconds(1);
  const std::string job = submit(rows(200, "a"), kPeople);
  ASSERT_OK(arm_failpoints("hand=error:injected@4"));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_TRUE(record(job).rows.conserved());
  EXPECT_EQ(record(job).rows[Outcome::inserted], 180);
  EXPECT_EQ(handed().size(), 180u);
  for (const std::string& row : handed()) EXPECT_EQ(row.find("twice"), std::string::npos) << row;
  EXPECT_EQ(integer("SELECT count(*) FROM lade_issue"), 20);
}

TEST_P(HandOver, SomebodyLooksFirst) {
  const std::string job = submit(rows(20, "a"), kPeople + "review: always\n");
  run_worker();
  EXPECT_EQ(status(job), "waiting_for_review");
  EXPECT_EQ(handed(), Texts{});
  ASSERT_OK(approve_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(handed().size(), 18u);
}

TEST_P(HandOver, AFixedRowIsHandedOverAlone) {
  const std::string job = submit("name,age,staff\nAnn,1,no\nrefuse,2,no\nEve,old,no\n", kPeople);
  run_worker();
  EXPECT_EQ(fix(job, {{2, {{"name", "Bob"}}}, {3, {{"age", "9"}}}}), "");
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).rows[Outcome::inserted], 3);
  EXPECT_EQ(record(job).rows[Outcome::failed], 0);
  EXPECT_EQ(handed(), (Texts{"1 Ann 1 false", "2 Bob 2 false", "3 Eve 9 false"}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_issue"), 0);
}

// What was handed over stays so, whatever is fixed in its bucket.
TEST_P(HandOver, ARowIsFixedInABucketThatIsHalfDone) {
  const auto summary = cancelled_half_way(300);
  ASSERT_OK(summary);
  ASSERT_EQ(summary->outcome, "cancelled");
  const std::string job = summary->job_id;
  EXPECT_EQ(fix(job, {{4, {{"name", "Bob"}}}}), "");
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).rows[Outcome::inserted], 271);
  EXPECT_EQ(record(job).rows[Outcome::failed], 29);
  EXPECT_EQ(record(job).buckets_processed, record(job).buckets);
  EXPECT_EQ(handed().size(), 271u);
  for (const std::string& row : handed()) EXPECT_EQ(row.find("twice"), std::string::npos) << row;
  EXPECT_EQ(integer("SELECT count(*) FROM lade_issue"), 29);
  EXPECT_EQ(noted("begins").size(), 1u) << "it goes on";
  EXPECT_EQ(noted("ends").size(), 2u);
}

// A fixed row that the handler does not get is not done.
TEST_P(HandOver, AFixedRowThatIsNotHandedOverIsUnprocessed) {
  options.results = Results::all;
  work.here = options;
  const std::string job = submit("name,age,staff\nAnn,1,no\nrefuse,2,no\n", kPeople);
  run_worker();
  EXPECT_EQ(fix(job, {{2, {{"name", "Bob"}}}}), "");
  std::ofstream(ledger_path() + ".broken") << "yes";
  run_worker();
  // One row is not enough to blame the handler.
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).rows[Outcome::failed], 1);
  EXPECT_EQ(record(job).buckets_processed, record(job).buckets);
  std::filesystem::remove(ledger_path() + ".broken");
  EXPECT_EQ(fix(job, {{2, {}}}), "");
  ASSERT_OK(cancel_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "cancelled");
  EXPECT_EQ(record(job).rows[Outcome::inserted], 1);
  EXPECT_EQ(record(job).rows[Outcome::unprocessed], 1);
  const auto storage = storage::Folder::open(storage_path(options));
  const auto files = fetch_results(*connection, *storage, record(job), folder / "results");
  ASSERT_OK(files);
  EXPECT_EQ(records(files->unprocessed).size(), 1u);
  EXPECT_EQ(records(files->succeeded).size(), 1u);
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).rows[Outcome::inserted], 2);
}

TEST_P(HandOver, OfARejectedJobItHearsNothing) {
  const std::string job = submit(rows(20, "a"), kPeople + "review: always\n");
  run_worker();
  ASSERT_OK(reject_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "rejected");
  EXPECT_FALSE(std::filesystem::exists(ledger_path()));
}

TEST_P(HandOver, ItCannotBeUndone) {
  const std::string job = submit(rows(5, "a"), kPeople);
  run_worker();
  EXPECT_FAILS(plan_undo(*connection, record(job)), "cannot_undo");
}

}  // namespace
}  // namespace lade::jobs
