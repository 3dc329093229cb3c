#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "load/claims.h"
#include "load/merge_rows.h"
#include "model/outcome.h"
#include "staging/issue_log.h"
#include "staging/segment.h"

namespace lade::load {

// A row of a slice. Its views live as long as the slice.
struct Row {
  std::string_view key;
  std::uint32_t root_bytes = 0;  // how much of the key is the root entity's
  staging::RowPlace place;
  std::string_view tuple;
  model::Outcome outcome = model::Outcome::unprocessed;
  std::string_view root() const { return key.substr(0, root_bytes); }
};

// Rows in key order, each identity once, that are loaded together. Rows of one root entity are never parted.
class Slice {
 public:
  void clear();
  // A copy of the text that lives as long as the slice.
  std::string_view keep(std::string_view text) { return arena_.keep(text); }
  Row& add(std::string_view key, const staging::RowPlace& place, std::string_view tuple);
  // Gives a row of this slice another tuple.
  void replace_tuple(Row& row, std::string_view tuple);
  std::vector<Row> rows;
  std::size_t bytes() const { return bytes_; }

 private:
  analysis::TextArena arena_;
  std::size_t bytes_ = 0;
};

struct SettleOptions {
  std::size_t slice_bytes = 32 * 1024 * 1024;
  std::size_t buffer_bytes = 4 * 1024 * 1024;
  // Of a set that is replaced as a whole: hears the keys of failed rows.
  std::function<void(std::string_view key)> on_failed = {};
};

// Reads the rows of one bucket in key order and decides among keys repeated in the file, by the definition's policy,
// the same whatever the chunking was. What it takes out is told to the issue writer and counted as skipped or failed.
// Ranges that lie in memory outlive the slices, whose rows point into them. Rows that are contested are as if they were
// not there.
class Settler {
 public:
  Settler(const analysis::Program& program, const File& staged, std::span<const staging::Range> ranges,
          SettleOptions options, std::shared_ptr<const ClaimResults> claims = nullptr);

  // The next rows of the bucket; false when there are none left.
  Result<bool> next(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts);

 private:
  Result<void> fetch();
  void tell_failed(std::string_view key) const;
  Result<void> skip_siblings(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts);
  Result<bool> read_group(Slice& slice);
  std::string_view with_grant(Slice& slice, std::string_view tuple);
  void add_to_group(Slice& slice, const staging::RowPlace& place, std::string_view tuple);
  Result<void> settle_group(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts);
  Result<void> fail_group(const model::Issue& issue, staging::IssueWriter& issues, model::RowCounts& counts);
  Result<void> reject_group(staging::IssueWriter& issues, model::RowCounts& counts);
  Result<void> skip_losers(const staging::RowPlace& winner, staging::IssueWriter& issues, model::RowCounts& counts);
  // What was read last, for as long as the slice lives.
  std::string_view kept(Slice& slice, std::string_view text) const { return in_memory_ ? text : slice.keep(text); }

  const analysis::Program& program_;
  const SettleOptions options_;
  const bool in_memory_;                              // all ranges
  const std::shared_ptr<const ClaimResults> claims_;  // null: rows claim nothing
  staging::Merge merge_;
  // The rows of the identity at hand, which is the slice's last row: the tuple of the one that counts so far.
  std::vector<staging::RowPlace> places_;  // in file order
  std::optional<RowMerger> merger_;
  staging::Record ahead_;  // the first record after them
  bool has_ahead_ = false;
  std::uint32_t ahead_sibling_ = 0;   // the failed row of its entity, if that is new; 0: there is none
  std::uint32_t failed_sibling_ = 0;  // the same for the identity at hand
  // The last new entity with a failed row, and that row.
  std::string failed_entity_;
  std::uint32_t failed_row_ = 0;
};

// What is said about the other rows of a new entity of which one failed: they are not loaded either.
model::Issue sibling_failed(std::uint32_t row);

// How many bytes of a row's key name its root entity.
std::uint32_t root_bytes(const analysis::Program& program, std::string_view key);

// Writes the loader's or settler's word about a row.
Result<void> tell(staging::IssueWriter& issues, const staging::RowPlace& place, model::Outcome verdict,
                  model::Issue issue);

}  // namespace lade::load
