#include "mirror/job_progress.h"

#include <gtest/gtest.h>

namespace lade::mirror {
namespace {

using namespace std::chrono_literals;

const Moment kNow = *moment_of("2025-10-22T10:35:00.000Z");

JobProgress at(std::int64_t succeeded, std::int64_t failed) {
  return {.succeeded = succeeded, .failed = failed, .total = 10'000, .last_updated = kNow};
}

TEST(JobProgress, IsTheValueThatOtherApplicationsRead) {
  EXPECT_EQ(to_json(at(2480, 20)),
            R"({"processed_rows":2500,"total_rows":10000,"success_count":2480,"failure_count":20,"percentage":25.0,)"
            R"("last_updated":"2025-10-22T10:35:00.000Z","attempt":0,"finished":false})");
  EXPECT_EQ(to_json({.last_updated = kNow}),
            R"({"processed_rows":0,"total_rows":null,"success_count":0,"failure_count":0,"percentage":0.0,)"
            R"("last_updated":"2025-10-22T10:35:00.000Z","attempt":0,"finished":false})");
}

TEST(JobProgress, IsReadBack) {
  JobProgress progress = at(7, 3);
  progress.attempt = 2;
  progress.finished = true;
  const auto read = read_progress(to_json(progress));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->same_as(progress));
  EXPECT_EQ(read->last_updated, kNow);
  EXPECT_TRUE(read_progress(to_json({.last_updated = kNow})));
}

TEST(JobProgress, ReachesAHundredOnlyWithTheLastRow) {
  EXPECT_EQ(at(9999, 0).percentage(), 99.9);
  EXPECT_EQ(at(9999, 1).percentage(), 100.0);
  EXPECT_EQ((JobProgress{.total = 0}).percentage(), 0.0);
  EXPECT_EQ((JobProgress{.total = 0, .finished = true}).percentage(), 100.0);
}

TEST(JobProgress, TakesNothingThatLadeWouldNotWrite) {
  const std::string good = to_json(at(2480, 20));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  };
  ASSERT_TRUE(read_progress(good));
  for (const std::string& text : {std::string(),
                                  std::string("null"),
                                  std::string("[]"),
                                  std::string("{}"),
                                  std::string("42"),
                                  good.substr(0, good.size() - 1),
                                  good + "x",
                                  std::string(200'000, '['),
                                  changed("2500", "2501"),
                                  changed("2500", "\"2500\""),
                                  changed("2500", "-2500"),
                                  changed("2480", "2480.0"),
                                  changed("10000", "2499"),
                                  changed("10000", "\"many\""),
                                  changed("2025-10-22T10:35:00.000Z", "yesterday"),
                                  changed("\"2025-10-22T10:35:00.000Z\"", "17"),
                                  changed("\"attempt\":0", "\"attempt\":null"),
                                  changed("false", "0"),
                                  changed("2480", "9223372036854775807"),
                                  changed("\"failure_count\":20,", "")})
    EXPECT_FALSE(read_progress(text)) << text.substr(0, 200);
}

TEST(Fresher, IsTheMirrorWhenItIsFurther) {
  EXPECT_EQ(fresher(at(100, 0), at(120, 5), kNow + 1s).processed(), 125);
}

TEST(Fresher, IsTheDatabaseInAllOtherCases) {
  const JobProgress stored = at(100, 10);
  const auto counted = [&](const JobProgress& mirrored, Moment now = kNow) {
    return fresher(stored, mirrored, now).processed();
  };
  EXPECT_EQ(fresher(stored, std::nullopt, kNow).processed(), 110);
  EXPECT_EQ(counted(at(90, 10)), 110) << "smaller";
  EXPECT_TRUE(fresher(stored, at(110, 0), kNow).same_as(stored)) << "not further";
  EXPECT_EQ(counted(at(200, 10), kNow + kFreshFor), 210);
  EXPECT_EQ(counted(at(200, 10), kNow + kFreshFor + 1ms), 110) << "old";
  EXPECT_EQ(counted(at(200, 10), kNow - kFreshFor - 1ms), 110) << "from the future";
  JobProgress mirrored = at(200, 10);
  mirrored.attempt = 1;
  EXPECT_EQ(counted(mirrored), 110) << "another attempt";
  mirrored = at(200, 10);
  mirrored.total = 9'999;
  EXPECT_EQ(counted(mirrored), 110) << "another file";
  mirrored = at(200, 10);
  mirrored.finished = true;
  EXPECT_EQ(counted(mirrored), 110) << "the end is told by the database";
  JobProgress ended = stored;
  ended.finished = true;
  EXPECT_EQ(fresher(ended, at(200, 10), kNow).processed(), 110);
}

}  // namespace
}  // namespace lade::mirror
