// Keys repeated in the file: decided by policy, the same however the file was cut.
#include <fmt/format.h>

#include <random>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using model::Outcome;
using testing::AnalysedRow;

class Settle : public ::testing::Test {
 protected:
  Settle() {
    EXPECT_OK(
        connection->run("CREATE TABLE item (a TEXT, b INTEGER, name TEXT, amount INTEGER, price TEXT, words TEXT, "
                        "PRIMARY KEY (a, b))"));
  }
  std::shared_ptr<const analysis::Program> bound(const std::string& yaml, const std::string& csv) {
    auto program = analysis::bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    return *program;
  }

  testing::FreshDatabase database{db::Backend::sqlite};
  std::unique_ptr<db::Connection> connection = database.connect();
};

struct Settled {
  std::map<std::int64_t, std::string> rows;  // row id → tuple
  std::map<std::int64_t, std::string> findings;
  model::RowCounts counts;
  std::size_t slices = 0;
};

Settled settled(const analysis::Program& program, const std::vector<AnalysedRow>& rows, std::size_t chunks,
                std::size_t slice_bytes) {
  testing::StagedRows staged(rows, chunks);
  Settler settler = staged.settler(program, {slice_bytes, 1});
  staging::IssueWriter issues(staged.log);
  Settled result;
  Slice slice;
  std::string last;
  for (;;) {
    const auto more = settler.next(slice, issues, result.counts);
    EXPECT_OK(more);
    if (!more || !*more) break;
    ++result.slices;
    for (const Row& row : slice.rows) {
      EXPECT_LT(last, std::string(row.key)) << "rows come in key order, each key once";
      last = row.key;
      EXPECT_EQ(row.place.line, row.place.row_id + 1);
      EXPECT_EQ(row.place.offset, std::uint64_t{row.place.row_id} * 100);
      result.rows[row.place.row_id] = row.tuple;
    }
  }
  staging::IssueCounts counts;
  EXPECT_OK(issues.publish(counts));
  result.findings = staged.findings();
  return result;
}

// Said once more, plainly.
Settled settled_naively(const std::string& policy, const std::vector<AnalysedRow>& rows) {
  std::map<std::string, std::vector<const AnalysedRow*>> groups;
  for (const AnalysedRow& row : rows) groups[row.key].push_back(&row);
  Settled result;
  for (const auto& [key, group] : groups) {
    const AnalysedRow* winner = policy == "first" ? group.front() : group.back();
    for (const AnalysedRow* row : group) {
      if (group.size() > 1 && policy == "reject") {
        result.findings[row->row_id] = "duplicate_in_file";
        ++result.counts[Outcome::failed];
      } else if (row == winner) {
        result.rows[row->row_id] = row->tuple;
      } else {
        result.findings[row->row_id] = "duplicate_in_file";
        ++result.counts[Outcome::skipped];
      }
    }
  }
  return result;
}

TEST_F(Settle, EachPolicyAgreesWithItsPlainMeaningWhateverTheChunks) {
  std::mt19937_64 random(99);
  for (const std::string policy : {"first", "last", "reject"}) {
    std::string csv = "a,b,name\n";
    for (int i = 0; i < 600; ++i)
      csv += fmt::format("{},{},n{}\n", std::string(1 + random() % 3, 'a'), random() % 60, i);
    const auto program = bound(
        "columns: {a: , b: {type: integer}, name: }\nload: [{table: item, key: [a, b]}]\nduplicates: " + policy + "\n",
        csv);
    const auto rows = testing::analyse(*program, csv, *connection).rows;
    const Settled expected = settled_naively(policy, rows);
    for (const std::size_t chunks : {1, 2, 7, 50})
      for (const std::size_t slice_bytes : {std::size_t{1}, std::size_t{2000}, std::size_t{1} << 20}) {
        const Settled found = settled(*program, rows, chunks, slice_bytes);
        EXPECT_EQ(found.rows, expected.rows) << policy;
        EXPECT_EQ(found.findings, expected.findings) << policy;
        EXPECT_EQ(found.counts.by_outcome, expected.counts.by_outcome);
        if (slice_bytes == 1 && policy != "reject") {
          EXPECT_EQ(found.slices, expected.rows.size()) << "a slice is as small as asked";
        }
      }
  }
}

TEST_F(Settle, LosersNameTheWinner) {
  const std::string csv = "a,b,name\nx,1,p\nx,1,q\nx,1,r\n";
  for (const auto& [policy, winner] : {std::pair("first", "row 1"), {"last", "row 3"}}) {
    const auto program = bound(
        fmt::format(
            "columns: {{a: , b: {{type: integer}}, name: }}\nload: [{{table: item, key: [a, b]}}]\nduplicates: {}\n",
            policy),
        csv);
    testing::StagedRows staged(testing::analyse(*program, csv, *connection).rows, 1);
    Settler settler = staged.settler(*program);
    staging::IssueWriter writer(staged.log);
    Slice slice;
    model::RowCounts counts;
    ASSERT_OK(settler.next(slice, writer, counts));
    staging::IssueCounts issues;
    ASSERT_OK(writer.publish(issues));
    staging::IssueReader reader(staged.log);
    staging::Finding finding;
    ASSERT_OK(reader.next(finding));
    EXPECT_NE(finding.issue.message.find(winner), std::string::npos) << finding.issue.message;
    EXPECT_EQ(finding.issue.severity, model::Severity::warning);
    EXPECT_EQ(finding.verdict, Outcome::skipped);
  }
}

TEST_F(Settle, RowsOfOneRootEntityStayInOneSlice) {
  ASSERT_OK(connection->run("CREATE TABLE root (a TEXT PRIMARY KEY, name TEXT)"));
  std::string csv = "a,b,name\n";
  for (int i = 0; i < 300; ++i) csv += fmt::format("e{},{},n\n", i % 17, i);
  for (const std::string partition : {"range", "hash"}) {
    const auto program =
        bound("columns: {a: , b: {type: integer}, name: }\npartition: " + partition +
                  "\nload: [{table: root, key: a, columns: [a, name]}, {table: item, key: [a, b], columns: [a, b]}]\n",
              csv);
    const auto rows = testing::analyse(*program, csv, *connection).rows;
    testing::StagedRows staged(rows, 5);
    Settler settler = staged.settler(*program, {1, 1});
    staging::IssueWriter issues(staged.log);
    Slice slice;
    model::RowCounts counts;
    std::size_t slices = 0, total = 0;
    for (;;) {
      const auto more = settler.next(slice, issues, counts);
      ASSERT_OK(more);
      if (!*more) break;
      ++slices;
      total += slice.rows.size();
      for (const Row& row : slice.rows) EXPECT_EQ(row.root(), slice.rows.front().root());
    }
    EXPECT_EQ(slices, 17u) << partition;
    EXPECT_EQ(total, 300u);
  }
}

// A staged field as text; merging is judged by what would be written.
std::vector<std::string> texts_of(const analysis::Program& program, std::string_view tuple) {
  std::vector<std::string> texts;
  analysis::TextArena arena;
  for (const analysis::Slot& slot : program.slots) {
    const db::WireField field = db::take_field(tuple);
    const auto& type = program.columns[static_cast<std::size_t>(slot.column)].type;
    analysis::Cell cell;
    if (field.length < 0) {
      texts.emplace_back("blank");
    } else {
      EXPECT_TRUE(analysis::decode_value(field, slot.form.wire, type, arena, cell));
      texts.push_back(analysis::to_text(cell, type));
    }
  }
  return texts;
}

TEST_F(Settle, MergeCombinesColumnByColumn) {
  const std::string head = "a,b,name,amount,price,words\n";
  const std::string columns =
      "columns: {a: , b: {type: integer}, name: , amount: {type: integer}, price: {type: \"decimal(6,2)\"}, words: "
      "{max_length: 9}}\n"
      "load: [{table: item, key: [a, b]}]\nduplicates: merge\n";
  struct Case {
    const char* aggregate;
    const char* csv;
    std::vector<std::string> expected;  // without the key; empty: refused
  };
  const Case cases[] = {
      {"{}", "x,1,p,1,1,u\nx,1,,2,,v\nx,1,r,,3.5,\n", {"r", "2", "3.50", "v"}},
      {"{name: first, amount: first, price: first, words: first}",
       "x,1,,1,1,u\nx,1,q,2,2,v\n",
       {"q", "1", "1.00", "u"}},
      {"{amount: sum, price: sum}", "x,1,p,1,1.25,\nx,1,,,2.5,\nx,1,,-5,0.25,\n", {"p", "-4", "4.00", "blank"}},
      {"{amount: min, price: max}", "x,1,p,10,-1,\nx,1,p,9,-2,\nx,1,p,,,\n", {"p", "9", "-1.00", "blank"}},
      {"{name: min, words: max}", "x,1,b,,,b\nx,1,a,,,c\nx,1,c,,,a\n", {"a", "blank", "blank", "c"}},
      {"{amount: count}", "x,1,p,7,,\nx,1,p,,,\nx,1,p,7,,\n", {"p", "2", "blank", "blank"}},
      {"{words: join}", "x,1,p,,,u\nx,1,p,,,\nx,1,p,,,v\nx,1,p,,,u\n", {"p", "blank", "blank", "u, v, u"}},
      {"{words: join}", "x,1,p,,,äöü\nx,1,p,,,äöüß\n", {"p", "blank", "blank", "äöü, äöüß"}},
      {"{words: join}", "x,1,p,,,abcd\nx,1,p,,,efgh\n", {}},
      {"{price: sum}", "x,1,p,,9999.99,\nx,1,p,,0.01,\n", {}},
      {"{amount: sum}", "x,1,p,9223372036854775807,,\nx,1,p,1,,\n", {}},
      {"{amount: sum}",
       "x,1,p,9223372036854775807,,\nx,1,p,1,,\nx,1,p,-1,,\n",
       {"p", "9223372036854775807", "blank", "blank"}}};
  for (const Case& merge : cases) {
    SCOPED_TRACE(std::string(merge.aggregate) + "\n" + merge.csv);
    const std::string csv = head + merge.csv;
    const auto program = bound(columns + "aggregate: " + merge.aggregate + "\n", csv);
    const auto rows = testing::analyse(*program, csv, *connection).rows;
    for (const std::size_t chunks : {1, 3}) {
      const Settled found = settled(*program, rows, chunks, 1 << 20);
      if (merge.expected.empty()) {
        EXPECT_TRUE(found.rows.empty());
        EXPECT_EQ(found.counts[Outcome::failed], static_cast<std::int64_t>(rows.size()));
        continue;
      }
      ASSERT_EQ(found.rows.size(), 1u);
      EXPECT_EQ(found.rows.begin()->first, rows.back().row_id) << "the last row carries the outcome";
      auto texts = texts_of(*program, found.rows.begin()->second);
      texts.erase(texts.begin(), texts.begin() + 2);
      EXPECT_EQ(texts, merge.expected);
      EXPECT_EQ(found.findings.at(1), "merged_into");
      EXPECT_EQ(found.counts[Outcome::skipped], static_cast<std::int64_t>(rows.size()) - 1);
    }
  }
}

}  // namespace
}  // namespace lade::load
