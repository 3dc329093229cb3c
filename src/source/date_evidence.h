#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/column_evidence.h"
#include "source/date_cell.h"

namespace lade::source {

// In which ways every cell of a column is a date, or a date with a time. Day and month are told apart only by a cell
// that can be read in one order alone; as long as there is none, every order stays.
class DateEvidence {
 public:
  // A cell without outer spaces, not blank.
  void take(std::string_view cell, std::int64_t line);

  bool alive() const { return iso_ || compact_ || orders_ != 0; }
  // One per order of day, month and year; none before the first cell.
  std::vector<TypeReading> readings() const;
  // Eight digits that are also a number.
  bool is_compact() const { return compact_ && cells_ > 0; }
  bool is_ambiguous() const { return readings().size() > 1; }
  // For people; empty when nothing is uncertain.
  std::string note() const;

 private:
  static constexpr std::size_t kOrders = 3;

  void take_pattern(std::string_view cell, std::int64_t line);
  bool fits(const DateCell& cell, std::size_t order) const;
  std::string format_of(std::size_t order) const;
  std::string time_format() const;
  std::string evidence_for(std::size_t order) const;

  bool iso_ = true;                        // YYYY-MM-DD, with or without a time
  bool iso_time_ = false;                  // one of them has a time
  bool compact_ = true;                    // YYYYMMDD
  unsigned orders_ = (1U << kOrders) - 1;  // a bit for each order
  std::int64_t cells_ = 0;
  std::optional<DateShape> shape_;            // that all cells share
  std::array<bool, kOrders> single_digit_{};  // a part of one digit was seen
  bool single_digit_hour_ = false;
  MonthName month_name_ = MonthName::none;
  std::string first_;                          // the first cell
  std::array<std::string, kOrders> ended_by_;  // the cell that an order does not fit
};

}  // namespace lade::source
