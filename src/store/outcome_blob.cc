#include "store/outcome_blob.h"

#include <algorithm>

#include "base/assert.h"
#include "base/short_numbers.h"

// Version, number of codes, the codes (length, text), number of runs, the runs. A run is rows with consecutive ids and
// the same fate: the gap before it and whether it is longer than one row (in one number), its length if so, its fate
// (outcome and code in one number).
namespace lade::store {
namespace {

constexpr char kVersion = 1;
constexpr unsigned kOutcomeBits = 3;
constexpr std::uint64_t kOutcomes = std::size(model::kOutcomes);

tl::unexpected<Error> damaged(std::string what) {
  return fail("outcomes_damaged", "the stored outcomes of a bucket cannot be read: " + std::move(what),
              "check the database; the target tables are not concerned");
}

}  // namespace

std::uint32_t OutcomePacker::code_index(std::string_view code) {
  if (code.empty()) return 0;
  // There are few codes, and the same one comes again and again.
  auto found = std::find(codes_.begin(), codes_.end(), code);
  if (found == codes_.end()) found = codes_.insert(codes_.end(), std::string(code));
  return static_cast<std::uint32_t>(found - codes_.begin()) + 1;
}

void OutcomePacker::add(const RowOutcome& row) {
  const std::uint32_t fate = code_index(row.code) << kOutcomeBits | static_cast<std::uint32_t>(row.outcome);
  entries_.push_back(std::uint64_t{row.row_id} << 32 | fate);
}

std::string OutcomePacker::finish() {
  if (!std::is_sorted(entries_.begin(), entries_.end())) std::sort(entries_.begin(), entries_.end());
  std::string runs;
  runs.reserve(entries_.size() * 2);
  std::uint64_t count = 0, next_row = 0;
  for (std::size_t begin = 0; begin < entries_.size(); ++count) {
    // The next row of a run is the same number with one more in its upper half.
    std::size_t end = begin + 1;
    while (end < entries_.size() && entries_[end] == entries_[end - 1] + (std::uint64_t{1} << 32)) ++end;
    const std::uint64_t first = entries_[begin] >> 32, length = end - begin;
    LADE_ASSERT(first >= next_row);
    put_number(runs, (first - next_row) << 1 | (length > 1));
    if (length > 1) put_number(runs, length);
    put_number(runs, entries_[begin] & 0xFFFF'FFFF);
    next_row = first + length;
    begin = end;
  }
  std::string packed(1, kVersion);
  put_number(packed, codes_.size());
  for (const std::string& code : codes_) put_text(packed, code);
  put_number(packed, count);
  packed += runs;
  entries_.clear();
  codes_.clear();
  return packed;
}

Result<std::uint64_t> OutcomeReader::number() {
  const auto number = take_number(rest_);
  if (!number) return damaged("a number is cut off or too long");
  return *number;
}

Result<void> OutcomeReader::start() {
  started_ = true;
  if (rest_.empty() || rest_.front() != kVersion) return damaged("unknown version");
  rest_.remove_prefix(1);
  LADE_ASSIGN(const std::uint64_t codes, number());
  for (std::uint64_t i = 0; i < codes; ++i) {
    const auto code = take_text(rest_);
    if (!code) return damaged("a code is cut off");
    codes_.push_back(*code);
  }
  LADE_ASSIGN(runs_, number());
  return {};
}

Result<void> OutcomeReader::next_run() {
  LADE_ASSIGN(const std::uint64_t gap, number());
  in_run_ = 1;
  if ((gap & 1) != 0) {
    LADE_ASSIGN(in_run_, number());
  }
  LADE_ASSIGN(const std::uint64_t fate, number());
  const std::uint64_t outcome = fate & ((1u << kOutcomeBits) - 1), code = fate >> kOutcomeBits;
  next_row_ += gap >> 1;
  constexpr std::uint64_t kRowLimit = std::uint64_t{1} << 32;
  if (outcome >= kOutcomes || code > codes_.size() || in_run_ == 0 || next_row_ >= kRowLimit ||
      in_run_ > kRowLimit - next_row_)
    return damaged("a run makes no sense");
  current_.outcome = static_cast<model::Outcome>(outcome);
  current_.code = code == 0 ? std::string_view() : codes_[code - 1];
  --runs_;
  return {};
}

Result<bool> OutcomeReader::next(RowOutcome& row) {
  if (!started_) LADE_TRY(start());
  if (in_run_ == 0) {
    if (runs_ == 0 && rest_.empty()) return false;
    if (runs_ == 0) return damaged("there is more than their number says");
    LADE_TRY(next_run());
  }
  current_.row_id = static_cast<std::uint32_t>(next_row_++);
  --in_run_;
  row = current_;
  return true;
}

}  // namespace lade::store
