#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "db/connection.h"
#include "jobs/job.h"
#include "store/job_list.h"

namespace lade::jobs {

// Findings as rows of lade_issue, in the caller's transaction: all of failed rows, of the others as many as this part
// of the job may keep (their totals are exact). `stored`: failed rows whose findings were stored before.
Result<void> store_issues(db::Connection& connection, const Job& job, const staging::IssueLog& findings,
                          const std::set<std::uint32_t>& stored = {});

// A finding about one row that is listed however many there are.
struct NewIssue {
  staging::RowPlace place;
  model::Issue issue;
};
Result<void> store_issues(db::Connection& connection, const store::JobRecord& job, std::span<const NewIssue> issues);

}  // namespace lade::jobs
