#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "definition/match.h"
#include "source/column_evidence.h"
#include "source/input.h"

// What somebody who matches columns looks at: for each data column what might be meant, what the file has there, and
// the values that need a decision.
namespace lade::jobs {

// A value of the file, by the rows that have it.
struct ValueCount {
  std::string text;
  std::int64_t rows = 0;
  std::optional<std::string> target = {};  // what it is read as; nullopt: it would fail
  std::string similar = {};                // of those that it would be accepted as; empty: none
};

// Of a column that takes only some values: an enum's, or those that a lookup finds.
struct ValueList {
  std::string kind;            // enum, lookup
  std::int64_t total = 0;      // different ones, counted up to kMostDistinct
  std::int64_t rows_open = 0;  // with a value that would fail
  std::vector<std::string> accepted;
  std::vector<ValueCount> items;  // those that would fail first, then by their rows
};

struct Candidate {
  std::string source_column;
  definition::MatchKind kind = definition::MatchKind::similar;
  double score = 0;
};

struct TargetDetail {
  const definition::DataColumn* column = nullptr;
  std::optional<Candidate> match = {};
  std::vector<Candidate> candidates = {};  // best first
  std::optional<std::size_t> source = {};  // index of the matched column in the header
  std::optional<ValueList> values = {};
};

struct MatchDetail {
  std::vector<TargetDetail> targets;            // columns that are read from files, in the definition's order
  std::vector<source::ColumnEvidence> sources;  // of each column of the header
  std::int64_t rows = 0;                        // that were looked at
  bool complete = true;                         // those are all
};

inline constexpr std::size_t kMostListedValues = 200, kMostCandidates = 5;
inline constexpr std::size_t kMostDistinct = 100'000;
inline constexpr std::int64_t kMostEvidenceRows = 200'000, kMostValueRows = 1'000'000;

// `definition` is whole and outlives the result. Reads the file's first kMostValueRows rows, and the reference tables
// of lookups by one column. Fails as reading the file does.
Result<MatchDetail> match_detail(db::Connection& connection, const definition::Definition& definition,
                                 const definition::HeaderMatch& match, const source::Input& input,
                                 const source::Layout& layout);

}  // namespace lade::jobs
