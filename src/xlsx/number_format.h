#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Number formats of cells: "#,##0.00", "yyyy-mm-dd", "00000".
namespace lade::xlsx {

enum class FormatKind : std::uint8_t {
  number,     // any other
  zeros,      // zeros and literals alone, at least two zeros: 00000, 000-00-0000
  date,       // y, m, d
  time,       // h, m, s
  timestamp,  // both
  elapsed,    // [h]:mm: a time that may be longer than a day
};

struct FormatToken {
  enum class Type : std::uint8_t {
    literal,    // text as it stands
    digit,      // one of 0 # ?
    point,      // decimal point
    comma,      // groups of thousands, or a division by 1,000
    percent,    // and the sign itself
    exponent,   // E+ or E-
    slash,      // of a fraction
    general,    // the word General
    text,       // @
    year,       // yy, yyyy; b and e count as years too
    month,      // m … mmmmm
    day,        // d … dddd
    hour,       // h, hh
    minute,     // m, mm
    second,     // s, ss
    subsecond,  // .0 … .000
    half,       // AM/PM, A/P
    elapsed,    // [h], [m], [s] with as many letters
  };
  Type type = Type::literal;
  std::string text;  // a literal; otherwise the letters as written, in lower case where they are letters
};

// What is shown for some values. A section may begin with a condition: [>=100].
struct FormatSection {
  enum class Comparison : std::uint8_t { none, less, less_equal, equal, not_equal, greater_equal, greater };
  std::vector<FormatToken> tokens;
  Comparison comparison = Comparison::none;
  double operand = 0;
  bool moment = false;  // shows dates or times
};

// A format of zeros and literals.
struct ZeroPattern {
  std::string pattern;     // its literals, and '\0' for each place of a digit
  std::size_t places = 0;  // of digits
  bool negatives = true;   // whether it is meant for numbers below zero too

  // A whole number given by its digits.
  std::string padded(std::string_view digits, bool negative) const;
};

// The parsed form of a format code. Any text gives one, in time and memory of its length; codes longer than
// kLongestCode bytes are taken for General.
class NumberFormat {
 public:
  static constexpr std::size_t kLongestCode = 1'024;

  static NumberFormat parse(std::string_view code);
  FormatKind kind() const { return kind_; }
  const std::vector<FormatSection>& sections() const { return sections_; }

  // Of the kind zeros.
  ZeroPattern zero_pattern() const;
  // What a spreadsheet program shows for a number or a text, in English as of the United States.
  std::string display(double value, bool dates_from_1904 = false) const;
  std::string display(std::string_view text) const;

 private:
  std::vector<FormatSection> sections_;
  FormatKind kind_ = FormatKind::number;
};

// The code behind a built-in id (0–81); "General" for ids that mean nothing. The meaning of 27–36 and 50–58 depends on
// the language of the program; they are dates and times in all of them.
std::string_view built_in_format(std::uint32_t id);

}  // namespace lade::xlsx
