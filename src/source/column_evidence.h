#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "source/input.h"

namespace lade::source {

// One way in which every cell of a column (blank ones apart) can be read.
struct TypeReading {
  std::string type;    // integer, decimal, boolean, date, timestamp, uuid; what a definition calls it
  std::string locale;  // decimal and integer with groups: "en-US", "de-DE", "de-CH", "fr-FR", "en-IN"; empty: plain
  std::string format;  // date, timestamp: DD.MM.YYYY …; boolean: ja/nein; decimal: "percent", "currency"; empty: plain
  std::string
      evidence;  // the cell that decides it, with its line: "13.04.2024 in line 17: the first number is the day"
};

// What a whole column shows. Nothing is decided: `readings` lists every type that fits every cell, likeliest first;
// none means text. More than one date order there means that no cell tells day from month (`ambiguous`).
struct ColumnEvidence {
  std::string name;  // header
  std::int64_t cells = 0;
  std::int64_t blank = 0;
  std::int64_t distinct = 0;            // counted up to 1,000, then 0
  std::vector<std::string> samples;     // up to 5 different ones, the first found
  std::vector<std::string> values;      // all of them when there are at most 20 different ones
  std::size_t max_length = 0;           // characters
  bool leading_zeros = false;           // 007: a code, not a number
  bool padded = false;                  // outer spaces
  std::vector<std::string> null_words;  // N/A, -, NULL …: the cells that keep it from being of one type
  std::vector<TypeReading> readings;
  bool ambiguous = false;
  std::string note;  // for people: what is uncertain, and what to say in the definition
};

// Reads the whole file once, at most `max_rows` rows (0: all).
Result<std::vector<ColumnEvidence>> column_evidence(const Input& input, const Layout& layout,
                                                    std::int64_t max_rows = 0);

}  // namespace lade::source
