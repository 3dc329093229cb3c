#include "model/row_state.h"

#include <array>

namespace lade::model {
namespace {

constexpr std::array<std::string_view, kRowStates> kNames = {"pending",    "analysing", "analysed",
                                                             "processing", "processed", "error"};

// A row that waits for others is not, even when the rest of its bucket is.
bool is_loaded(const RowProgress& row) {
  return row.loaded && row.outcome != Outcome::unprocessed;
}

}  // namespace

std::string_view to_string(RowState state) {
  return kNames[static_cast<std::size_t>(state)];
}

RowState row_state(const JobStanding& job, const RowProgress& row) {
  if (row.outcome == Outcome::failed) return RowState::error;
  if (is_loaded(row)) return RowState::processed;
  if (row.analysed || row.settled || row.loaded)
    return job.state == JobState::processing_data ? RowState::processing : RowState::analysed;
  return job.state == JobState::analysing_data ? RowState::analysing : RowState::pending;
}

int last_completed_priority(const RowProgress& row) {
  if (is_loaded(row)) return kProcessPriority;
  if (row.settled) return kSettlePriority;
  return row.analysed || row.loaded || row.outcome == Outcome::failed ? kAnalysisPriority : 0;
}

std::string_view row_action(Outcome outcome) {
  switch (outcome) {
    case Outcome::inserted: return "insert";
    case Outcome::updated: return "update";
    case Outcome::deleted: return "delete";
    case Outcome::unchanged:
    case Outcome::skipped:
    case Outcome::failed: return "skip";
    case Outcome::unprocessed: break;
  }
  return {};
}

}  // namespace lade::model
