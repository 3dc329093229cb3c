#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "store/job_list.h"

// What became of every row of a job, or will, in one byte each: any place of a list of rows is found without walking
// through what stands before it. Made once for a state of the job and kept by whoever shows it.
namespace lade::jobs {

// Which rows a list has. While a job waits for review, inserted, updated and unchanged are what will be done.
enum class RowFate : std::uint8_t { unprocessed, inserted, updated, unchanged, failed, skipped, deleted };
std::string_view to_string(RowFate state);

struct RowWish {
  enum class What { all, state, warning, edited } what = What::all;
  RowFate state = RowFate::failed;
  std::string code = {};    // only rows with such an issue; empty: any
  std::string column = {};  // data column of it; empty: any
  std::string text = {};    // only rows with it in a cell (row_search.h); the index knows no cells and leaves it out
};
// all, failed, warning, inserted, updated, unchanged, skipped, unprocessed, edited. Fails with request_invalid.
Result<RowWish> row_wish(std::string_view word);

// Issues of one code in one column.
struct IssueGroup {
  std::string code;
  std::string column;
  bool error = true;
  std::int64_t count = 0;
  std::vector<std::uint32_t> rows;  // ascending, each once
};

class RowIndex {
 public:
  // Memory: a byte a row, four an issue, eight a change that waits for review. Fails as reading outcomes and the diff
  // does.
  static Result<std::shared_ptr<const RowIndex>> of(db::Connection& connection, const store::JobRecord& job);
  // Differs as soon as the index of the job would.
  static std::string stamp(const store::JobRecord& job);

  std::int64_t rows() const { return static_cast<std::int64_t>(marks_.size()); }
  RowFate state(std::int64_t row) const { return static_cast<RowFate>(marks_[at(row)] & kState); }
  bool has_warning(std::int64_t row) const { return (marks_[at(row)] & kWarning) != 0; }
  bool is_edited(std::int64_t row) const { return (marks_[at(row)] & kEdited) != 0; }
  const std::vector<IssueGroup>& groups() const { return groups_; }

  // By state alone, whatever issues are wished for.
  bool fits(const RowWish& wish, std::int64_t row) const;
  // How many rows are wished for.
  std::int64_t count(const RowWish& wish) const;
  // At most `limit` of them from the `from`th on, counted from 0.
  std::vector<std::int64_t> page(const RowWish& wish, std::int64_t from, std::int64_t limit) const;
  // How many of them have smaller ids than this.
  std::int64_t place(const RowWish& wish, std::int64_t row) const;

  // The blocks of the diff that have a record of the row, by their place in the diff.
  struct Change {
    std::uint32_t row;
    std::uint32_t block;
  };
  std::span<const Change> changes(std::int64_t row) const;

 private:
  static constexpr std::uint8_t kState = 0x0f, kWarning = 0x10, kEdited = 0x20;
  static std::size_t at(std::int64_t row) { return static_cast<std::size_t>(row - 1); }

  Result<void> read_outcomes(db::Connection& connection, const store::JobRecord& job);
  Result<void> read_issues(db::Connection& connection, const store::JobRecord& job);
  Result<void> read_edits(db::Connection& connection, const store::JobRecord& job);
  Result<void> read_diff(db::Connection& connection, const store::JobRecord& job);
  void take_change(std::string_view record, std::uint32_t block);
  // Calls `take` with each wished-for row in order until it gives false.
  template <class Take>
  void walk(const RowWish& wish, Take&& take) const;

  std::vector<std::uint8_t> marks_;
  std::vector<IssueGroup> groups_;
  std::vector<Change> changes_;  // by row
};

}  // namespace lade::jobs
