#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/outcome.h"

// What became of the rows of a bucket, in one small piece of bytes instead of one stored row each. A row that went in
// costs about two bytes, a run of neighbouring rows with the same fate about four in all.
namespace lade::store {

struct RowOutcome {
  std::uint32_t row_id = 0;
  model::Outcome outcome = model::Outcome::unprocessed;
  std::string_view code = {};  // of its issue, or why it was skipped; empty: none
  bool operator==(const RowOutcome&) const = default;
};

// Owned by one thread.
class OutcomePacker {
 public:
  // Rows in any order; each row id at most once.
  void add(const RowOutcome& row);
  std::size_t rows() const { return entries_.size(); }
  // The packer is empty afterwards.
  std::string finish();

 private:
  std::uint32_t code_index(std::string_view code);

  std::vector<std::uint64_t> entries_;  // row id in the upper half, outcome and code in the lower one
  std::vector<std::string> codes_;      // their place + 1 is the code's number
};

// Gives the rows back in the order of their ids.
class OutcomeReader {
 public:
  // `packed` outlives the reader, and so do the codes that it gives.
  explicit OutcomeReader(std::string_view packed) : rest_(packed) {}
  // False at the end; outcomes_damaged when these are no packed outcomes.
  Result<bool> next(RowOutcome& row);

 private:
  Result<void> start();
  Result<std::uint64_t> number();
  Result<void> next_run();

  std::string_view rest_;
  std::vector<std::string_view> codes_;
  bool started_ = false;
  std::uint64_t runs_ = 0;    // not begun yet
  std::uint64_t in_run_ = 0;  // rows of this run not given yet
  std::uint64_t next_row_ = 0;
  RowOutcome current_;
};

// Calls `take`, which gives a Result<void>, for every row of `packed`; the codes live as long as the call.
template <class Take>
Result<void> for_each_outcome(std::string_view packed, Take&& take) {
  OutcomeReader reader(packed);
  RowOutcome row;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(row));
    if (!more) return {};
    LADE_TRY(take(row));
  }
}

}  // namespace lade::store
