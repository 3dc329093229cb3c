#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"
#include "load/journal.h"

// What a job itself has written is put back before it loads some of its rows once more in another way.
namespace lade::load {

// The blocks of the job's own journal for a table, oldest first.
using OwnBlocks = std::function<Result<std::vector<std::string>>(std::string_view table)>;

struct Reversal {
  const OwnBlocks& own;
  const LaterBlocks& later;             // empty: no job after this one has written
  const JournalSink& journal;           // hears of it
  const std::set<std::uint32_t>& rows;  // whose writing is put back
};

// Restores, in the caller's transaction, the stored rows that these rows of the file have changed, and removes those
// that they have added; the last table first. Left as they are: what is not any more as the job has left it, what a
// later job has written, and tables that keep history or are only appended to. Gives the rows of the file of which
// nothing is left. When the database refuses (others refer to an added row), nothing is put back.
Result<std::set<std::uint32_t>> revert(const analysis::Program& program, db::Connection& connection,
                                       const Reversal& reversal);

}  // namespace lade::load
