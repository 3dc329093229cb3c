#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "db/connection.h"
#include "store/job_list.h"

// Which job takes which other one back.
namespace lade::store {

// The newest job that takes this one back, however that went; nullopt: there is none.
Result<std::optional<JobRecord>> undo_of(db::Connection& connection, const JobRecord& job);

// Whether an undo is under way, or was broken off when some rows were taken back already.
bool is_open_undo(const JobRecord& undo);

// Notes the undo with the job that it takes back, in the transaction that makes it. Fails with being_undone when
// somebody else was quicker.
Result<void> set_undone_by(db::Connection& connection, const JobRecord& job, std::int64_t undo);

Error being_undone(const std::string& slug, const JobRecord& undo);

}  // namespace lade::store
