#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/column_evidence.h"

namespace lade::source {

// What a number looks like, or the largest of several.
struct WrittenNumber {
  int integer_digits = 0;
  int decimals = 0;
  bool whole = true;  // neither decimals nor an exponent
  bool grouped = false;
  bool leading_zero = false;
  bool exponent = false;

  void add(const WrittenNumber& other);
};

// In which ways every cell of a column is a number: decimal sign, group sign, percent and currency signs. The same text
// can mean two numbers (1,234): as long as no cell tells, both readings stay.
class NumberEvidence {
 public:
  // A cell without outer spaces, not blank. Costs a look at its bytes while all of them are digits.
  void take(std::string_view cell, std::int64_t line);
  // A cell that is a number in its workbook, written plainly, whatever the other cells' locale is.
  void take_typed(std::string_view cell, std::int64_t line);

  // Whether a reading is left.
  bool alive() const { return alive_ != 0; }
  // 007, which ends all readings: a code.
  const std::string& leading_zeros() const { return leading_zeros_; }

  // One per meaning, at most two: with a decimal point, with a decimal comma. None before the first cell.
  std::vector<TypeReading> readings() const;
  bool is_ambiguous() const { return readings().size() > 1; }
  // For people; empty when nothing is uncertain.
  std::string note() const;

 private:
  static constexpr std::size_t kStyles = 6;

  bool take_digits(std::string_view cell, std::int64_t line);
  void take_number(std::string_view number, std::string_view cell, std::int64_t line);
  TypeReading reading(std::size_t style, const std::string& evidence) const;

  unsigned alive_ = (1U << kStyles) - 1;  // a bit for each style
  std::array<WrittenNumber, kStyles> styles_;
  std::int64_t cells_ = 0;
  std::int64_t percent_ = 0;
  std::int64_t currency_ = 0;
  int most_digits_ = 0;
  std::string first_mark_;     // the first cell with a decimal or group sign
  std::string ends_comma_;     // the cell that no reading with a decimal comma fits
  std::string ends_point_;     // the same with a decimal point
  std::string leading_zeros_;  // the first such cell
};

}  // namespace lade::source
