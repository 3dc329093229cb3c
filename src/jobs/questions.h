#pragma once

#include <cstdint>

#include "jobs/job.h"
#include "steps/entities.h"

// Names that nobody can say for sure whom they mean: asked by analysis, answered by people, remembered.
namespace lade::jobs {

// What a company has decided about names.
steps::Memory memory_of(std::int64_t company);

// Puts the questions among the findings of analysed rows before people, in the transaction that stores the findings.
// Those that were answered while the rows were analysed are decided at once, and their rows will be sent again.
Result<void> store_questions(db::Connection& connection, const Job& job, const std::string& storage,
                             const staging::IssueLog& findings);
// The same for rows that are analysed once more: what was asked about them before counts no more.
Result<void> replace_questions(db::Connection& connection, const Job& job, const staging::IssueLog& findings,
                               std::span<const std::int64_t> rows);

}  // namespace lade::jobs
