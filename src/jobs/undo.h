#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "jobs/control.h"
#include "jobs/versions.h"
#include "load/undo.h"
#include "store/job_list.h"
#include "store/journal.h"

// Taking a job back by its journal. It is done by a job of its own, which has the same guarantees as an import and a
// journal too: an undo can be undone.
namespace lade::jobs {

// What an undo works with.
struct UndoPlan {
  std::int64_t of = 0;            // the job that is taken back
  std::vector<db::Table> tables;  // in the order in which they were loaded
  bool at_once = false;           // all buckets in one transaction, as they were loaded
  bool locks_target = false;
  bool shows_keys = true;  // no column is sensitive
  // By bucket, oldest first.
  std::map<std::int64_t, std::vector<load::JournalPlace>> buckets;
  std::int64_t rows = 0;
};
// Of a job that is to be taken back. Fails with journal_gone when its journal was not kept, and with cannot_undo, which
// says why.
Result<UndoPlan> plan_undo(db::Connection& connection, const store::JobRecord& job);
// Blocks as the plan names them.
load::Undoer::ReadBlock journal_reader(db::Connection& connection, std::int64_t job, std::int64_t bucket);

// What an undo would do now. Rows that stay are listed, the first of them.
struct UndoPreview {
  std::int64_t restored = 0;  // rows that were changed
  std::int64_t removed = 0;   // rows that were new
  std::int64_t put_back = 0;  // rows that were deleted
  std::int64_t left = 0;      // rows that somebody has changed since
  std::vector<load::LeftRow> examples;
  std::optional<VersionChange> version;  // what readers of a set see then
};
// Begins and ends a transaction. Fails as undo_job().
Result<UndoPreview> preview_undo(db::Connection& connection, const store::JobRecord& job,
                                 const std::stop_token& stop = {});

// Makes the job that takes the other one back, and gives it. Fails with transition_refused when there is nothing to
// take back, with being_undone when that is done already or was broken off, and as plan_undo(). `reserved_by`: the boot
// id of the only process that shall work on it; empty: any.
Result<store::JobRecord> undo_job(db::Connection& connection, const JobOrder& order,
                                  const std::string& reserved_by = {});

// When the undo has ended: what it took back is undone, and what that had undone is there again, and so on.
Result<void> note_undone(db::Connection& connection, const store::JobRecord& undo);

}  // namespace lade::jobs
