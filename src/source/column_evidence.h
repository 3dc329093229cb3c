#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "source/input.h"

namespace lade::source {

// One way in which every cell of a column (blank ones and null words apart) can be read. The three strings are what a
// definition calls them.
struct TypeReading {
  std::string type;    // integer, decimal(14,2), boolean, date, timestamp, uuid
  std::string locale;  // of numbers: "en-US", "de-DE", "de-CH", "fr-FR", "en-IN"; empty: plain
  std::string format;  // date, timestamp: DD.MM.YYYY …; boolean: ja/nein; decimal: "percent", "currency"; empty: plain
  std::string evidence;  // a cell that shows it: "13.04.2024 in line 17: the first number is the day"; may be empty
};

// What a whole column shows. Nothing is decided: `readings` lists every type that fits every cell, likeliest first;
// none means text. `ambiguous` means that the same cells have two meanings (day and month, thousands and decimals) and
// that nothing in the column tells which one.
struct ColumnEvidence {
  std::string name;  // header
  std::int64_t cells = 0;
  std::int64_t blank = 0;
  std::int64_t distinct = 0;            // values other than blank, counted up to 1,000; 0 beyond that
  bool unique = false;                  // no value comes twice; false also when there are too many to tell
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

// Reads the data of the whole file once, at most `max_rows` rows (0: all). Cells are taken without outer spaces.
// Memory: at most 64 MB, for telling whether values repeat. Fails as csv::Reader does.
Result<std::vector<ColumnEvidence>> column_evidence(const Input& input, const Layout& layout,
                                                    std::int64_t max_rows = 0);

}  // namespace lade::source
