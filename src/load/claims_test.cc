// What rows of a file claim for their entities, over all chunks.
#include "load/claims.h"

#include "analysis/entity_key.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using testing::AnalysedRow;
using Rows = std::vector<std::uint32_t>;

class Claims : public ::testing::Test {
 protected:
  Claims() {
    for (const char* name : {"tax_ident", "stat_ident", "primary"}) program.columns.emplace_back().column.name = name;
    program.columns[1].column.sensitive = true;
    program.asked_column = 2;
  }

  static AnalysedRow claim(std::int64_t row, std::int16_t column, const std::string& what, const std::string& entity) {
    AnalysedRow claimed{std::string(1, analysis::kClaim), row, entity};
    db::append_big_endian(claimed.key, column);
    claimed.key += what;
    return claimed;
  }

  // The same however the file was cut; findings are told once.
  ClaimResults settled(const std::vector<AnalysedRow>& claims) {
    ClaimResults results;
    for (const std::size_t chunks : {1, 2, 5}) {
      testing::StagedRows staged(claims, chunks);
      staging::IssueWriter issues(staged.log);
      auto found = settle_claims(program, staged.area->file(), staged.ranges, &issues);
      EXPECT_OK(found);
      staging::IssueCounts counts;
      EXPECT_OK(issues.publish(counts));
      if (chunks > 1) {
        EXPECT_EQ(found->contested, results.contested);
        EXPECT_EQ(found->granted, results.granted);
        EXPECT_EQ(staged.findings(), findings);
      }
      findings = staged.findings();
      results = *found;
    }
    return results;
  }

  analysis::Program program;
  std::map<std::int64_t, std::string> findings;
};

TEST_F(Claims, RowsOfOneEntityMayClaimTheSame) {
  const auto results =
      settled({claim(1, 0, "T1", "a"), claim(2, 0, "T1", "a"), claim(3, 0, "T2", "b"), claim(3, 1, "T1", "b")});
  EXPECT_EQ(results.contested, Rows());
  EXPECT_TRUE(findings.empty());
}

TEST_F(Claims, RowsOfTwoEntitiesFail) {
  const auto results = settled({claim(1, 0, "T1", "a"), claim(2, 0, "T1", "b"), claim(2, 1, "S1", "b"),
                                claim(4, 1, "S1", "c"), claim(5, 0, "T3", "d"), claim(6, 0, "T1", "a")});
  EXPECT_EQ(results.contested, (Rows{1, 2, 4, 6}));
  EXPECT_EQ(findings,
            (std::map<std::int64_t, std::string>{
                {1, "claimed_twice"}, {2, "claimed_twice claimed_twice"}, {4, "claimed_twice"}, {6, "claimed_twice"}}));
}

TEST_F(Claims, TheFirstEntityOfTheFileGetsWhatIsAskedFor) {
  const auto results = settled(
      {claim(3, 2, "7", "late"), claim(2, 2, "7", "first"), claim(9, 2, "7", "first"), claim(4, 2, "8", "only")});
  EXPECT_EQ(results.granted, (Rows{2, 4, 9}));
  EXPECT_EQ(results.contested, Rows());
}

}  // namespace
}  // namespace lade::load
