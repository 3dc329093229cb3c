#pragma once

#include <cstdint>
#include <string_view>

#include "model/job_state.h"
#include "model/outcome.h"

// How far a row has come is not kept anywhere: it follows from where its job, its chunk and its bucket stand, and from
// its outcome.
namespace lade::model {

enum class RowState : std::uint8_t { pending, analysing, analysed, processing, processed, error };
constexpr std::size_t kRowStates = 6;

std::string_view to_string(RowState state);

// What is known of a row. Each holds once the work on it is committed.
struct RowProgress {
  bool analysed = false;  // its chunk is
  bool settled = false;   // keys repeated in its bucket are decided
  bool loaded = false;    // its bucket is
  Outcome outcome = Outcome::unprocessed;
};

// An error stays one; otherwise as far as the row has come, and what the job is about to do with it.
RowState row_state(const JobStanding& job, const RowProgress& row);

// The phases through which every row goes, in this order.
constexpr int kAnalysisPriority = 100;
constexpr int kSettlePriority = 110;
constexpr int kProcessPriority = 200;
// The last phase that has the row behind it, also when it is the one that refused the row; 0: none.
int last_completed_priority(const RowProgress& row);

// What is done with the row in the target: insert, update or skip; empty: not known yet.
std::string_view row_action(Outcome outcome);

}  // namespace lade::model
