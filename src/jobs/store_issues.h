#pragma once

#include <cstdint>
#include <set>

#include "db/connection.h"
#include "jobs/job.h"

namespace lade::jobs {

// Findings as rows of lade_issue, in the caller's transaction: all of failed rows, of the others as many as this part
// of the job may keep (their totals are exact). `stored`: failed rows whose findings were stored before.
Result<void> store_issues(db::Connection& connection, const Job& job, const staging::IssueLog& findings,
                          const std::set<std::uint32_t>& stored = {});

}  // namespace lade::jobs
