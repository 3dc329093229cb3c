#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/control.h"
#include "jobs/corrections.h"
#include "jobs/import.h"
#include "storage/storage.h"

// Single rows of a job, to be looked at and corrected while it waits for review.
namespace lade::jobs {

// A row as it stands now.
struct ReviewedRow {
  store::JobRecord job;
  std::int64_t row = 0;
  std::int64_t line = 0;
  std::int64_t version = 0;                                // 0: as the source has it
  std::vector<std::pair<std::string, std::string>> cells;  // by source column; sensitive ones masked
  std::vector<std::string> changed;                        // columns that were corrected
  std::vector<model::Issue> issues;
};

struct Correction {
  std::int64_t row = 0;
  Cells cells;                                // other text for some of its source columns
  std::optional<std::int64_t> revision = {};  // of the job, as who corrects it has seen it; nullopt: whichever
};

// Where a job's files lie, and what this process adds to it.
struct ReviewPlace {
  const storage::Storage& storage;
  const ImportOptions& here;
};

// Fails with row_not_found, with results_not_ready before the job is planned, and as reading the file does.
Result<ReviewedRow> show_row(db::Connection& connection, const ReviewPlace& place, const store::JobRecord& job,
                             std::int64_t row);

// Replaces cells of a row and analyses it at once, as its job would. In one transaction (the caller's when there is
// one): the row's new version with its issues, the repeated keys of its old and its new bucket decided again, the
// counts of failed rows, an event, and the job's next revision. Fails with job_not_found, row_not_found,
// transition_refused when the job does not wait for review, revision_changed, source_column_unknown,
// value_not_writable, and as reading file and segments does; nothing is changed then.
Result<ReviewedRow> correct_row(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                                const Correction& correction);

}  // namespace lade::jobs
