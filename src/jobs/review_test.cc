// Rows that are corrected while their job waits for review.
#include "jobs/review.h"

#include "jobs/job.h"
#include "jobs/submit.h"
#include "storage/folder.h"
#include "store/files.h"
#include "store/row_list.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using model::Outcome;

class Review : public testing::DurableTest {
 protected:
  Review() { options.results = Results::all; }

  // A job of these rows that waits for review.
  std::string waiting(const std::string& rows, const std::string& rules = "") {
    const std::string job = submit("code,name,amount\n" + rows, kItems + "review: always\n" + rules);
    run_worker();
    EXPECT_EQ(status(job), "waiting_for_review");
    return job;
  }
  Result<ReviewedRow> correct(const std::string& job, std::int64_t row, Cells cells,
                              std::optional<std::int64_t> revision = {}) {
    const auto storage = storage::Folder::open(storage_path(options));
    return correct_row(*connection, {*storage, options}, {job, "ada"}, {row, std::move(cells), revision});
  }
  void finish(const std::string& job) {
    ASSERT_OK(approve_job(*connection, {job, "ada"}, record(job).review_revision));
    run_worker();
    EXPECT_EQ(status(job), "succeeded");
    EXPECT_TRUE(record(job).rows.conserved());
  }
  static std::vector<std::string> codes(const ReviewedRow& row) {
    std::vector<std::string> found;
    for (const model::Issue& issue : row.issues) found.push_back(issue.code);
    return found;
  }
  // "row code" of all failed rows.
  std::vector<std::string> failed(const std::string& job) {
    std::vector<std::string> rows;
    EXPECT_OK(store::list_rows(*connection, record(job), {.limit = 0}, [&](const store::ListedRow& row) {
      rows.push_back(fmt::format("{} {}", row.row_id, row.issue.code));
    }));
    return rows;
  }
  std::vector<std::int64_t> rows_in(const std::string& job, model::RowState state) {
    std::vector<std::int64_t> rows;
    const store::RowFilter filter{.wanted = state, .limit = 0};
    EXPECT_OK(store::list_rows(*connection, record(job), filter,
                               [&](const store::ListedRow& row) { rows.push_back(row.row_id); }));
    return rows;
  }
};
LADE_ON_BOTH_DATABASES(Review);

using Strings = std::vector<std::string>;

TEST_P(Review, ACorrectedRowGoesInAsItIsNow) {
  const std::string job = waiting("1,one,bad\n2,two,2\n3,three,worse\n");
  EXPECT_EQ(failed(job), (Strings{"1 not_an_integer", "3 not_an_integer"}));
  const auto corrected = correct(job, 1, {{"amount", "10"}, {"name", "One, \"first\""}});
  ASSERT_OK(corrected);
  EXPECT_EQ(corrected->version, 1);
  EXPECT_EQ(corrected->job.review_revision, 1);
  EXPECT_EQ(corrected->line, 2);
  EXPECT_TRUE(corrected->issues.empty());
  EXPECT_EQ(corrected->changed, (Strings{"amount", "name"}));
  EXPECT_EQ(corrected->cells[1], (std::pair<std::string, std::string>("name", "One, \"first\"")));
  EXPECT_EQ(failed(job), Strings{"3 not_an_integer"});
  EXPECT_EQ(rows_in(job, model::RowState::analysed), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(record(job).rows[Outcome::failed], 1);
  EXPECT_EQ(events(job).back(), "fixed");
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|One, \"first\"|10", "2|two|2"}));
  EXPECT_EQ(record(job).rows[Outcome::inserted], 2);
  EXPECT_EQ(record(job).rows[Outcome::failed], 1);
  EXPECT_EQ(record(job).issues, R"([{"code":"not_an_integer","column":"amount","count":1}])");
}

TEST_P(Review, ARowCanBeCorrectedAgainAndAlsoForTheWorse) {
  const std::string job = waiting("1,one,bad\n2,two,2\n");
  ASSERT_OK(correct(job, 1, {{"amount", "10"}}));
  const auto worse = correct(job, 2, {{"amount", "x"}});
  ASSERT_OK(worse);
  EXPECT_EQ(codes(*worse), Strings{"not_an_integer"});
  EXPECT_EQ(worse->issues.front().value, "x");
  EXPECT_EQ(failed(job), Strings{"2 not_an_integer"});
  const auto again = correct(job, 1, {{"name", "uno"}});
  ASSERT_OK(again);
  EXPECT_EQ(again->version, 2);
  EXPECT_EQ(again->job.review_revision, 3);
  EXPECT_EQ(again->changed, (Strings{"amount", "name"})) << "what was corrected before stays";
  finish(job);
  EXPECT_EQ(items(), Strings{"1|uno|10"});
  const auto results = store::results_of(*connection, record(job).id);
  ASSERT_OK(results);
  ASSERT_EQ(results->size(), 2u);
  const auto storage = storage::Folder::open(storage_path(options));
  for (const store::FileRecord& file : *results) {
    const auto stored = storage->read(file.stored_as(), static_cast<std::uint64_t>(file.bytes));
    ASSERT_OK(stored);
    std::string text(static_cast<std::size_t>(file.bytes), ' ');
    ASSERT_OK(stored->read_at(0, {text.data(), text.size()}));
    EXPECT_NE(text.find(file.purpose == "failed" ? "2,two,x,2," : "1,uno,10,1,"), std::string::npos) << text;
  }
}

TEST_P(Review, RepeatedKeysAreDecidedAgain) {
  const std::string job = waiting("1,one,1\n1,uno,1\n2,two,2\n3,three,3\n", "duplicates: reject\n");
  EXPECT_EQ(failed(job), (Strings{"1 duplicate_in_file", "2 duplicate_in_file"}));
  const auto parted = correct(job, 2, {{"code", "2"}});
  ASSERT_OK(parted);
  EXPECT_EQ(codes(*parted), Strings{"duplicate_in_file"});
  EXPECT_EQ(failed(job), (Strings{"2 duplicate_in_file", "3 duplicate_in_file"})) << "the first is alone now";
  ASSERT_OK(correct(job, 2, {{"code", "4"}}));
  EXPECT_EQ(failed(job), Strings{});
  ASSERT_OK(correct(job, 4, {{"code", "1"}}));
  EXPECT_EQ(failed(job), (Strings{"1 duplicate_in_file", "4 duplicate_in_file"}));
  finish(job);
  EXPECT_EQ(items(), (Strings{"2|two|2", "4|uno|1"}));
  EXPECT_EQ(record(job).rows[Outcome::failed], 2);
}

TEST_P(Review, RowsMoveBetweenBucketsOfManyChunks) {
  const std::string csv = file(1000);
  const std::string job = submit(csv, kItems + "review: always\n");
  run_worker();
  ASSERT_GT(record(job).buckets, 3);
  ASSERT_GT(record(job).chunks, 2);
  ASSERT_EQ(record(job).rows[Outcome::failed], 20);
  // From one end of the keys to the other, there and back, and a bad row to where a good one was.
  ASSERT_OK(correct(job, 1, {{"code", "100001"}}));
  ASSERT_OK(correct(job, 990, {{"code", "-5"}}));
  ASSERT_OK(correct(job, 2, {{"code", "100002"}}));
  ASSERT_OK(correct(job, 2, {{"code", "1"}}));
  ASSERT_OK(correct(job, 8, {{"amount", "77"}, {"code", "989"}}));
  EXPECT_EQ(record(job).rows[Outcome::failed], 19);
  finish(job);
  // The same rows, corrected in the file itself.
  const Strings loaded = items();
  const std::int64_t inserted = record(job).rows[Outcome::inserted];
  ASSERT_OK(connection->run("DELETE FROM item"));
  std::string corrected = csv;
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = corrected.find("\n" + from + "\n");
    ASSERT_NE(at, std::string::npos) << from;
    corrected.replace(at + 1, from.size(), to);
  };
  replace("0,name 0,1", "100001,name 0,1");
  replace("989,name 989,1", "-5,name 989,1");
  replace("7,name 7,bad", "989,name 7,77");
  const Summary summary = import(corrected, kItems);
  EXPECT_EQ(loaded, items());
  EXPECT_EQ(inserted, summary.rows[Outcome::inserted]);
}

TEST_P(Review, AnApprovalOfWhatWasSeenBeforeIsRefused) {
  const std::string job = waiting("1,one,bad\n");
  ASSERT_OK(correct(job, 1, {{"amount", "1"}}, 0));
  EXPECT_FAILS(correct(job, 1, {{"amount", "2"}}, 0), "revision_changed");
  EXPECT_FAILS(approve_job(*connection, {job, "ada"}, 0), "revision_changed");
  EXPECT_EQ(status(job), "waiting_for_review");
  finish(job);
  EXPECT_EQ(items(), Strings{"1|one|1"});
  EXPECT_FAILS(correct(job, 1, {{"amount", "2"}}), "transition_refused");
  EXPECT_EQ(status(job), "succeeded");
}

TEST_P(Review, NothingOfARefusedCorrectionStays) {
  const std::string job = waiting("1,one,bad\n");
  EXPECT_FAILS(correct(job, 2, {{"amount", "1"}}), "row_not_found");
  EXPECT_FAILS(correct(job, 0, {{"amount", "1"}}), "row_not_found");
  EXPECT_FAILS(correct(job, 1, {{"Amount", "1"}}), "source_column_unknown");
  EXPECT_FAILS(correct("nothing", 1, {}), "job_not_found");
  EXPECT_EQ(record(job).review_revision, 0);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_row_version"), 0);
  EXPECT_EQ(events(job).back(), "review_needed");
  EXPECT_EQ(failed(job), Strings{"1 not_an_integer"});
}

TEST_P(Review, ARejectedJobGivesBackRowsAsTheyWereCorrected) {
  const std::string job = waiting("1,one,bad\n2,two,2\n");
  ASSERT_OK(correct(job, 1, {{"amount", "5"}}));
  ASSERT_OK(reject_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "rejected");
  EXPECT_EQ(record(job).rows[Outcome::unprocessed], 2);
  EXPECT_EQ(record(job).rows[Outcome::failed], 0);
  EXPECT_EQ(items(), Strings{});
  ASSERT_OK(delete_job(*connection, {job, "ada"}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_row_version"), 0);
}

TEST_P(Review, ASensitiveValueIsShownToNobody) {
  const std::string yaml =
      "columns: {code: {type: integer}, name: {sensitive: true, max_length: 8}, amount: {type: integer}}\n"
      "load: [{table: item, key: code}]\nreview: always\n";
  const std::string job = submit("code,name,amount\n1,much too long,1\n", yaml);
  run_worker();
  const auto corrected = correct(job, 1, {{"name", "secretly long"}});
  ASSERT_OK(corrected);
  EXPECT_EQ(corrected->cells[1].second, "***");
  ASSERT_EQ(corrected->issues.size(), 1u);
  EXPECT_EQ(corrected->issues[0].value, "***");
  for (const char* sql : {"SELECT count(*) FROM lade_issue WHERE value LIKE '%secret%' OR message LIKE '%secret%'",
                          "SELECT count(*) FROM lade_event WHERE data LIKE '%secret%'"})
    EXPECT_EQ(integer(sql), 0) << sql;
}

TEST_P(Review, CellsThatARecordLacksAreAdded) {
  const std::string job = waiting("1\n2,two,2,surplus\n3,th\"ree,3\n");
  EXPECT_EQ(failed(job).size(), 3u);
  ASSERT_OK(correct(job, 1, {{"amount", "1"}}));
  ASSERT_OK(correct(job, 2, {{"amount", "22"}}));
  ASSERT_OK(correct(job, 3, {{"name", "three"}}));
  EXPECT_EQ(failed(job), Strings{});
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|NULL|1", "2|two|22", "3|three|3"}));
}

TEST_P(Review, AFileWithoutQuotesTakesNoTextThatNeedsThem) {
  const std::string job =
      submit("code\n1\nx\n",
             "source: {format: csv, delimiter: semicolon, quote: none}\ncolumns: {code: {type: integer}}\n"
             "load: [{table: item, key: code}]\nreview: always\n");
  run_worker();
  ASSERT_EQ(status(job), "waiting_for_review");
  EXPECT_FAILS(correct(job, 2, {{"code", "2;3"}}), "value_not_writable");
  EXPECT_FAILS(correct(job, 2, {{"code", "2\n3"}}), "value_not_writable");
  EXPECT_FAILS(correct(job, 2, {{"code", ""}}), "record_not_readable") << "it would be a blank line";
  ASSERT_OK(correct(job, 2, {{"code", "2"}}));
  EXPECT_EQ(failed(job), Strings{});
}

}  // namespace
}  // namespace lade::jobs
