#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "analysis/convert.h"
#include "analysis/lookup.h"
#include "analysis/program.h"
#include "analysis/step.h"
#include "base/result.h"
#include "csv/batch.h"

namespace lade::analysis {

// The reference tables that fit in memory, loaded once and read by all workers. An empty place: probed by query.
using LookupMaps = std::vector<std::unique_ptr<const LookupMap>>;

// A row that passed: its key and its tuple, valid during the call.
struct AnalysedRow {
  std::string_view key;
  std::int64_t row_id = 0;
  std::int64_t line = 0;
  std::uint64_t offset = 0;
  std::string_view tuple;
};

// Where analysed rows and issues go.
class AnalysisSink {
 public:
  virtual ~AnalysisSink() = default;
  virtual Result<void> row(const AnalysedRow& row) = 0;
  // What is staged beside the rows: a failed row of a new entity, which concerns the entity's other rows (its key is
  // that of the entity, its tuple empty), or what a row claims (the tuple is the entity's key).
  virtual Result<void> note(const AnalysedRow&) { return {}; }
  // `failed` tells that the row has a hard error (this or another issue).
  virtual Result<void> issue(const model::Issue& issue, std::int64_t row_id, std::int64_t line,
                             std::uint64_t offset) = 0;
  virtual void failed_row() = 0;
};

struct AnalyserOptions {
  csv::Dialect dialect;
  std::size_t batch_rows = 4096;
  definition::Partition partition = definition::Partition::range;
  std::int64_t job = 0;  // its id; 0: a sample, or a rehearsal
  bool sample = false;   // only the rows' keys are wanted
};

// One pass over raw records: columns, lookups, checks, keys, tuples. One per worker; the connection is the worker's
// own, needed only when a lookup has no map.
class Analyser {
 public:
  Analyser(const Program& program, const LookupMaps& maps, db::Connection* connection, AnalyserOptions options);
  // Steps hear of `stop`, and then fail with `cancelled`.
  Result<void> analyse(const csv::Batch& batch, AnalysisSink& sink, const std::stop_token& stop = {});

 private:
  Result<void> analyse_rows(const csv::Batch& batch, std::size_t begin, std::size_t rows, AnalysisSink& sink);
  void check_structure();
  void check_text();
  Result<void> resolve(std::size_t lookup);
  bool repeats_key(const LookupProgram& lookup, std::size_t row) const;
  void leave_blank(std::size_t column, std::size_t row);
  void apply_hit(const LookupProgram& lookup, std::size_t row, const LookupHit* hit);
  void report_unresolved(const LookupProgram& lookup, std::size_t row, std::uint32_t count, bool hard);
  void run_checks(const Stage& stage);
  Result<void> run_stage(const Stage& stage);
  bool has_identity(std::size_t row) const;
  bool append_identity(std::size_t row);
  std::optional<std::string_view> write_tuple(std::size_t row);
  void refuse_range(std::size_t row, std::size_t column);
  Result<void> emit(AnalysisSink& sink);
  Result<void> emit_claims(AnalysisSink& sink);
  AnalysedRow analysed(std::size_t row, std::string_view key, std::string_view tuple) const;

  const Program& program_;
  // Of a set that is replaced as a whole: what is stored stays where a row of the file failed.
  const bool notes_failed_keys_ =
      !program_.entries.empty() && program_.entries.front().set && program_.definition.max_errors.count != 0;
  const LookupMaps& maps_;
  db::Connection* connection_;
  const AnalyserOptions options_;
  RawRows raw_;
  std::vector<TypedColumn> columns_;
  std::vector<Suggestions> suggestions_;  // of each column
  RowIssues issues_;
  TextArena arena_;
  std::stop_token stop_;  // of the call of analyse()
  std::optional<StepRows> step_rows_;
  std::string key_;
  std::vector<char> tuple_;  // as large as the largest so far
};

}  // namespace lade::analysis
