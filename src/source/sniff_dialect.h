#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "csv/dialect.h"
#include "source/input.h"

namespace lade::source {

// How the sample reads in one dialect.
struct Reading {
  csv::Dialect dialect;
  std::size_t records = 0;  // those of the table: without titles above it
  std::size_t titles = 0;   // records above the table that have fewer fields
  std::size_t fields = 0;   // of most records
  std::size_t fitting = 0;  // records with that many fields
  std::size_t divided = 0;  // records with two fields or more
  std::size_t faults = 0;   // records with stray quotes and the like
  std::size_t quoted = 0;   // fields
  bool first_fits = false;  // the first record has that many fields
  double score = 0;
};

struct DialectFinding {
  Reading best;
  std::vector<std::string> evidence;
};

// Reads the sample in every likely dialect that the overrides leave open and takes the one in which its records agree
// best. best.records is 0 when there is none.
DialectFinding sniff_dialect(std::string_view sample, const Overrides& overrides);

// A byte as people name it: tab, space, none, 'x'.
std::string shown(char byte);

}  // namespace lade::source
