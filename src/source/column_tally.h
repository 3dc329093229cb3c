#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "source/column_evidence.h"
#include "source/date_evidence.h"
#include "source/distinct_values.h"
#include "source/number_evidence.h"

namespace lade::source {

// Collects the evidence of one column, cell by cell. A type that does not fit a cell is not tried again; once none is
// left a cell costs its hash.
class ColumnTally {
 public:
  // Up to `most_values` different ones are remembered.
  explicit ColumnTally(std::size_t most_values) : values_(most_values) {}

  // `typed`: it has a type in its workbook, and is written as lade writes that.
  void take(std::string_view cell, std::int64_t line, bool typed = false);
  ColumnEvidence evidence(const std::string& name) const;

 private:
  void take_type(std::string_view cell, std::int64_t line, bool typed);
  void take_null_word(std::string_view cell);
  void add_readings(ColumnEvidence& found) const;
  void add_booleans(ColumnEvidence& found) const;
  std::string note(const ColumnEvidence& found) const;

  DistinctValues values_;
  NumberEvidence numbers_;
  DateEvidence dates_;
  bool uuid_ = true;
  bool has_type_ = true;    // one of the three above is left
  std::int64_t typed_ = 0;  // cells that they have seen
  std::int64_t cells_ = 0;
  std::int64_t blank_ = 0;
  std::size_t max_length_ = 0;
  bool padded_ = false;
  std::vector<std::string> null_words_;
};

}  // namespace lade::source
