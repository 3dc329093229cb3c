#pragma once

#include <filesystem>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "load/loader.h"
#include "load/slice.h"
#include "staging/issue_log.h"
#include "staging/row_place.h"
#include "staging/segment.h"
#include "testing/analysed.h"

// Analysed rows put into a staging area and taken out again, for the tests of what comes after staging.
namespace lade::testing {

// One bucket that holds the rows, staged in `chunks` segments in the order of the file.
class StagedRows {
 public:
  StagedRows(std::span<const AnalysedRow> rows, std::size_t chunks) : log(*area) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      staging::SegmentBuilder builder;
      for (std::size_t i = rows.size() * chunk / chunks; i < rows.size() * (chunk + 1) / chunks; ++i) {
        const auto id = static_cast<std::uint32_t>(rows[i].row_id);
        staging::stage_row(builder, rows[i].key, {id, id + 1, std::uint64_t{id} * 100}, rows[i].tuple);
      }
      auto finished = builder.finish(*area, {});
      EXPECT_OK(finished);
      ranges.push_back(finished->front());
    }
  }

  load::Settler settler(const analysis::Program& program, load::SettleOptions options = {}) const {
    return load::Settler(program, area->file(), ranges, options);
  }

  // Row id → code of every finding published so far; several are joined by a space.
  std::map<std::int64_t, std::string> findings() const {
    staging::IssueReader reader(log);
    staging::Finding finding;
    std::map<std::int64_t, std::string> codes;
    for (;;) {
      const auto more = reader.next(finding);
      EXPECT_OK(more);
      if (!more || !*more) return codes;
      std::string& text = codes[finding.place.row_id];
      text += (text.empty() ? "" : " ") + finding.issue.code;
    }
  }

  std::unique_ptr<staging::Area> area = std::move(*staging::Area::create(std::filesystem::temp_directory_path()));
  staging::IssueLog log;
  std::vector<staging::Range> ranges;
};

struct Loaded {
  model::RowCounts counts;
  std::map<std::int64_t, std::string> findings;
  staging::IssueCounts issues;
};

// Settles and loads all rows in one transaction. With `rehearsed` it rehearses first, which must decide the same (as
// long as the database itself refuses nothing).
inline Loaded load_all(const analysis::Program& program, std::span<const AnalysedRow> rows, db::Connection& connection,
                       std::size_t slice_bytes = 32 * 1024 * 1024, bool rehearsed = false) {
  const auto run = [&](bool rehearse) {
    Loaded loaded;
    StagedRows staged(rows, 3);
    load::Loader loader(program, connection);
    EXPECT_OK(loader.prepare());
    auto transaction = db::Transaction::begin(connection);
    EXPECT_OK(transaction);
    load::Settler settler = staged.settler(program, {slice_bytes, 1});
    staging::IssueWriter issues(staged.log);
    load::Slice slice;
    for (;;) {
      const auto more = settler.next(slice, issues, loaded.counts);
      EXPECT_OK(more);
      if (!more || !*more) break;
      EXPECT_OK(rehearse ? loader.rehearse(slice, issues, loaded.counts) : loader.load(slice, issues, loaded.counts));
    }
    EXPECT_OK(rehearse ? transaction->rollback() : transaction->commit());
    EXPECT_OK(issues.publish(loaded.issues));
    loaded.findings = staged.findings();
    loaded.counts.read = static_cast<std::int64_t>(rows.size());
    EXPECT_TRUE(loaded.counts.conserved()) << loaded.counts.accounted() << " of " << rows.size();
    return loaded;
  };
  if (!rehearsed) return run(false);
  const Loaded expected = run(true);
  const Loaded loaded = run(false);
  EXPECT_EQ(expected.counts.by_outcome, loaded.counts.by_outcome) << "a rehearsal decides what a load does";
  EXPECT_EQ(expected.findings, loaded.findings);
  return loaded;
}

}  // namespace lade::testing
