// Findings come back in row order, those of one row in the order they were found, and only what was published.
#include "staging/issue_log.h"

#include <filesystem>
#include <random>
#include <thread>

#include "testing/results.h"

namespace lade::staging {
namespace {

using model::Outcome;
using model::Severity;

Finding finding(std::uint32_t row, std::string code, Outcome verdict = Outcome::failed, std::string value = {}) {
  return {{row, row + 1, std::uint64_t{row} << 33},
          verdict,
          {Severity::error, std::move(code), "column", std::move(value), "message", "hint"}};
}

class IssueLogTest : public ::testing::Test {
 protected:
  std::vector<Finding> read() {
    IssueReader reader(log);
    std::vector<Finding> findings;
    Finding next;
    for (;;) {
      const auto more = reader.next(next);
      EXPECT_OK(more);
      if (!more || !*more) return findings;
      findings.push_back(next);
    }
  }

  std::unique_ptr<Area> area = std::move(*Area::create(std::filesystem::temp_directory_path()));
  IssueLog log{*area};
  IssueCounts counts;
};

TEST_F(IssueLogTest, KeepsEveryField) {
  IssueWriter writer(log);
  Finding told = finding(3'000'000'000, "code", Outcome::skipped, std::string("a\0b\n", 4));
  told.issue.severity = Severity::warning;
  told.issue.column = "Spalte ä";
  ASSERT_OK(writer.add(told));
  ASSERT_OK(writer.publish(counts));
  const auto findings = read();
  ASSERT_EQ(findings.size(), 1u);
  const Finding& found = findings.front();
  EXPECT_EQ(found.place.row_id, 3'000'000'000u);
  EXPECT_EQ(found.place.line, 3'000'000'001u);
  EXPECT_EQ(found.place.offset, std::uint64_t{3'000'000'000} << 33);
  EXPECT_EQ(found.verdict, Outcome::skipped);
  EXPECT_EQ(found.issue.severity, Severity::warning);
  EXPECT_EQ(found.issue.code, "code");
  EXPECT_EQ(found.issue.column, "Spalte ä");
  EXPECT_EQ(found.issue.value, std::string("a\0b\n", 4));
  EXPECT_EQ(found.issue.message, "message");
  EXPECT_EQ(found.issue.hint, "hint");
}

TEST_F(IssueLogTest, RowsInOrderAndFindingsOfARowAsFound) {
  std::mt19937_64 random(5);
  std::vector<std::vector<std::string>> expected(300);
  IssueWriter writer(log);
  for (int i = 0; i < 2000; ++i) {
    const auto row = static_cast<std::uint32_t>(random() % 300);
    expected[row].push_back(std::to_string(i));
    ASSERT_OK(writer.add(finding(row, expected[row].back())));
    if (random() % 100 == 0) {
      ASSERT_OK(writer.publish(counts));
    }
  }
  ASSERT_OK(writer.publish(counts));
  std::vector<std::vector<std::string>> found(300);
  std::uint32_t last = 0;
  for (const Finding& f : read()) {
    EXPECT_GE(f.place.row_id, last);
    last = f.place.row_id;
    found[last].push_back(f.issue.code);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(IssueLogTest, SpillsAndStillReadsInOrder) {
  IssueWriter writer(log);
  const std::string value(60'000, 'v');
  for (std::uint32_t row = 400; row > 0; --row) ASSERT_OK(writer.add(finding(row, "code", Outcome::failed, value)));
  EXPECT_GT(area->file().size().value(), 8u * 1024 * 1024) << "memory is bounded";
  EXPECT_TRUE(read().empty()) << "nothing is seen before it is published";
  ASSERT_OK(writer.publish(counts));
  const auto findings = read();
  ASSERT_EQ(findings.size(), 400u);
  for (std::uint32_t i = 0; i < 400; ++i) EXPECT_EQ(findings[i].place.row_id, i + 1);
}

TEST_F(IssueLogTest, WhatIsDiscardedWasNeverThere) {
  IssueWriter writer(log);
  const std::string value(60'000, 'v');
  for (std::uint32_t row = 1; row <= 300; ++row)
    ASSERT_OK(writer.add(finding(row, "rolled_back", Outcome::failed, value)));
  writer.discard();
  ASSERT_OK(writer.add(finding(7, "kept")));
  ASSERT_OK(writer.publish(counts));
  ASSERT_OK(writer.publish(counts));
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(counts, (IssueCounts{{{"kept", "column"}, 1}}));
}

TEST_F(IssueLogTest, CountsByCodeAndColumnButNotUnprocessedRows) {
  IssueWriter writer(log);
  for (const char* code : {"b", "a", "b"}) ASSERT_OK(writer.add(finding(1, code)));
  ASSERT_OK(writer.add(finding(2, "", Outcome::unprocessed)));
  ASSERT_OK(writer.publish(counts));
  EXPECT_EQ(counts, (IssueCounts{{{"a", "column"}, 1}, {{"b", "column"}, 2}}));
}

TEST_F(IssueLogTest, WritersOfSeveralThreadsShareOneLog) {
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([this, thread] {
        IssueWriter writer(log);
        IssueCounts own;
        for (std::uint32_t i = 0; i < 500; ++i) {
          EXPECT_OK(writer.add(finding(i * 4 + thread, "code")));
          if (i % 50 == 49) {
            EXPECT_OK(writer.publish(own));
          }
        }
      });
  }
  const auto findings = read();
  ASSERT_EQ(findings.size(), 2000u);
  for (std::uint32_t i = 0; i < 2000; ++i) ASSERT_EQ(findings[i].place.row_id, i);
}

}  // namespace
}  // namespace lade::staging
