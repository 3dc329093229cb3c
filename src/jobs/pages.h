#pragma once

#include <cstdint>
#include <span>

#include "jobs/control.h"
#include "jobs/desk.h"
#include "jobs/stored_job.h"
#include "queue/node.h"
#include "store/pages.h"

// Jobs whose rows name pages (docs/adr/0015): their plan task makes a page of each row, `fetch` tasks fetch groups of
// them, and when all have ended one `gather` task makes records of rows and pages, which are analysed as any others.
namespace lade::jobs {

// Pages of one fetch task: those of neighbouring rows.
constexpr std::int64_t kPagesOfTask = 500;

// The pages' part of planning: nothing is analysed before they are fetched. Fails with manifest_missing,
// manifest_empty, manifest_ingest_failed, and as binding the definition does.
Result<void> plan_pages(queue::TaskContext& context, db::Connection& connection, const StoredJob& stored,
                        Progress& progress);
// What is said of a manifest that cannot be opened; other errors stay as they are.
Error manifest_error(db::Connection& connection, std::int64_t job, Error error);

// Tasks.
Result<void> fetch_pages(queue::TaskContext& context, Desk& desk, const TaskTarget& target);
Result<void> gather_pages(queue::TaskContext& context, Desk& desk, const TaskTarget& target);

// The records of a job that was gathered before, when they are not kept any more.
Result<source::Input> gather_again(db::Connection& connection, const store::JobRecord& job, source::Input manifest,
                                   const definition::Definition& definition, const ImportOptions& here);

// Pages that have been under way for too long may be tried again; their jobs say so. Of all jobs, unless one is named.
// Gives how many.
Result<std::int64_t> requeue_stuck_pages(db::Connection& connection, std::chrono::milliseconds threshold,
                                         std::int64_t job = 0);

// Failed, blocked and cancelled pages that the filter finds are fetched once more: the job, which has ended, goes back
// to fetching; rows whose pages come now are loaded into it. Gives the job as it stands then. Fails with
// transition_refused when it has not ended or is no such job, pages_not_found when the filter finds none, staging_gone
// and file_gone when what it needs was tidied away.
Result<store::JobRecord> retry_pages(db::Connection& connection, const JobOrder& order,
                                     const store::PageFilter& filter = {.limit = 0});

}  // namespace lade::jobs
