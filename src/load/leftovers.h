#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"
#include "load/row_remover.h"
#include "load/slice.h"

namespace lade::load {

// The stored rows of a set that a file lacks, which is the whole truth about it. All in one session, inside one
// transaction, since the keys of the file go to a temporary table.
class Leftovers {
 public:
  // `version`: of a set that is built aside, the one that is compared with; only of such a set.
  Leftovers(db::Connection& connection, const analysis::Program& program, std::optional<std::int64_t> version = {});

  // Forgets the keys of an earlier file, and counts the rows of the set.
  Result<void> begin();
  // Whether there is anything that the file could lack: if not, its keys are only counted.
  bool has_stored() const { return stored_ > 0; }
  // The file has rows with these keys, whatever becomes of them.
  Result<void> keep(const Slice& slice);
  // The file has a row with this key (in the form that sorts) that failed: what is stored with it stays.
  void spare(std::string_view sort_key) { spared_.emplace(sort_key); }

  struct Counts {
    std::int64_t stored = 0;   // rows of the set before
    std::int64_t kept = 0;     // keys of the file
    std::int64_t removed = 0;  // rows that the file lacks
    std::int64_t spared = 0;   // rows that only failed rows of the file speak of
  };
  // Finds them, after the last keep().
  Result<Counts> find();
  // Leaves some of them where they are; gives how many. They are tuples of all columns.
  Result<std::int64_t> leave(const std::function<bool(std::string_view tuple)>& stays);
  // What was found, by its keys: shown, or removed.
  RowRemover& rows() { return rows_; }

 private:
  Result<void> fill_scope();
  std::string missing() const;

  db::Connection& connection_;
  const analysis::EntryProgram& entry_;
  RowRemover rows_;
  std::string keys_, scope_;  // temporary tables: the file's keys; the one row of constants
  std::vector<std::string> key_columns_, scope_columns_;
  std::string stored_key_, join_, condition_;  // of `stored`
  const bool compares_;                        // there is something to compare with
  std::int64_t stored_ = 0, kept_ = 0;
  std::unordered_set<std::string> spared_;
};

}  // namespace lade::load
