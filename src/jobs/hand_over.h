#pragma once

#include "jobs/task.h"

// Imports that are a handler's own: it writes wherever it wants, and says of each row what became of it.
namespace lade::jobs {

// Hands the rows of a bucket to the handler. After every few batches what became of their rows is stored, so that only
// those of the last ones are handed over again when this process dies.
Result<void> hand_over(const Work& work);

// Makes the handler's pool for a bound job, if there is such a handler here.
void open_handler(Job& job);

// The hooks: before the first row, and when there are no more. What goes wrong in the second one is only logged, for
// the rows are in.
Result<void> tell_begin(const Job& job);
void tell_end(const Job& job, std::string_view status, const model::RowCounts& counts);

}  // namespace lade::jobs
