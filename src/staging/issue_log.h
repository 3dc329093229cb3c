#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/issue.h"
#include "model/outcome.h"
#include "staging/row_place.h"
#include "staging/segment.h"

namespace lade::staging {

// What is said about a row that did not simply go in: an issue, a reason for skipping it, or that it was not processed.
struct Finding {
  RowPlace place;
  // failed, skipped or unprocessed: what the finding makes of the row; unchanged: a warning, which decides nothing.
  model::Outcome verdict = model::Outcome::failed;
  model::Issue issue;
};

// All findings of a job, in the staging area, read back in row order. The ranges of one log are added by many threads.
class IssueLog {
 public:
  explicit IssueLog(Area& area) : area_(area) {}
  void add_range(const Range& range);
  const std::vector<Range>& ranges() const { return ranges_; }
  Area& area() const { return area_; }

 private:
  Area& area_;
  std::mutex mutex_;
  std::vector<Range> ranges_;
};

// (code, column) → how often.
using IssueCounts = std::map<std::pair<std::string, std::string>, std::int64_t>;

// One thread's hand in the log. Nothing is seen by others before publish(); memory is bounded, the rest lies in the
// area.
class IssueWriter {
 public:
  explicit IssueWriter(IssueLog& log) : log_(log) {}
  Result<void> add(const Finding& finding);
  // Makes what was added since the last call part of the log, and adds it to the counts.
  Result<void> publish(IssueCounts& counts);
  // Forgets it instead: the work it belongs to was rolled back.
  void discard();

 private:
  Result<void> spill();

  IssueLog& log_;
  SegmentBuilder builder_;
  std::vector<Range> ranges_;
  IssueCounts counts_;
};

// All records of the log in row order: as bytes they are a range for another log.
Result<void> take_records(const IssueLog& log, const std::function<Result<void>(std::string_view record)>& take);
Result<std::string> pack(const IssueLog& log);
// Adds to the log what pack() gave.
Result<void> unpack(std::string_view packed, IssueLog& log);

// Reads the findings of a log in row order.
class IssueReader {
 public:
  explicit IssueReader(const IssueLog& log);
  Result<bool> next(Finding& finding);

 private:
  Merge merge_;
};

}  // namespace lade::staging
