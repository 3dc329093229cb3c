#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "load/diff.h"
#include "load/journal.h"
#include "load/slice.h"
#include "load/timeline.h"
#include "model/issue.h"

namespace lade::load {

// What one load entry does with one row.
enum class Action : std::uint8_t {
  insert,
  update,
  remove,
  unchanged,
  skip_exists,
  skip_no_target,
  skip_superseded,
  skip_eclipsed
};

// A row that cannot be loaded, or is not, and why.
struct Refusal {
  std::size_t row;
  model::Issue issue;
};

class TableLoad;

// The rows of a slice that are loaded together.
struct Portion {
  const Slice& slice;
  std::size_t begin, end;
  std::span<TableLoad* const> earlier;  // the entries before
  const LaterBlocks& later;             // empty: no job after this one has written
  bool by_reader = false;               // compare on the reader's session
  bool writes = true;                   // write() follows
};

// What is done for one row of the slice. `own`: by its own values, otherwise it shares another row's.
struct RowAction {
  Action action;
  bool own;
};

// Loads rows into one target table: decide() what to do, then write() it. One portion after the other.
class TableLoad {
 public:
  TableLoad(const analysis::Program& program, std::size_t entry)
      : program_(program), entry_(program.entries[entry]), index_(entry), diff_table_(program, entry) {}
  TableLoad(const TableLoad&) = delete;
  TableLoad& operator=(const TableLoad&) = delete;
  virtual ~TableLoad() = default;
  const analysis::EntryProgram& program() const { return entry_; }

  // Asks the database what it must know. Once, outside a transaction.
  virtual Result<void> prepare() = 0;
  // Whether a foreign key of this table refers to that one.
  virtual Result<bool> refers_to(const db::Table& table) = 0;

  // Compares the rows that have no outcome yet with what is stored. Rows that cannot be loaded are told to `refusals`;
  // then nothing else holds, and the caller decides again without them.
  virtual Result<void> decide(const Portion& portion, std::vector<Refusal>& refusals) = 0;
  // False: something was changed or taken by somebody else meanwhile, decide again.
  virtual Result<bool> write() = 0;
  // The slice row that the database refused in the last write, when it said so.
  virtual std::optional<std::size_t> refused_row() const = 0;

  // What was written is told to this sink from now on.
  virtual void journal_to(const JournalSink& sink) = 0;
  // Tells it, after write().
  virtual Result<void> journal() = 0;
  virtual Result<void> finish_journal() = 0;

  // Of a set that is built aside: the version that readers see, if there is one, and the one that is being built, if it
  // is known yet. Tables that have no versions do not care.
  virtual void use_versions(std::optional<std::int64_t>, std::optional<std::int64_t>) {}

  // What was decided for slice row `row`; nullopt: it does not concern this table.
  virtual std::optional<RowAction> action_of(std::size_t row) const = 0;
  // The value that this table has for slice row `row`, kKeep when it has none of its own; nullopt when the row is not
  // written and not stored.
  virtual std::optional<db::WireField> field_of(std::size_t row, std::size_t field) const = 0;
  // Whether the row's entity was not stored before.
  virtual bool is_new(std::size_t row) const = 0;

  // Tells what write() will change. `tables`: all entries, decided about the same portion.
  virtual Result<void> tell_changes(std::span<TableLoad* const> tables, DiffWriter& diff) const = 0;
  // Mixes what is stored for each row of the portion into its fingerprint: 0 stays 0 when there is nothing.
  virtual void mix_stored(std::span<std::uint64_t> fingerprints) const = 0;
  // Whether the value that field_of() gives comes from a sequence, and may be another one when the row is written.
  virtual bool is_drawn(std::size_t row, std::size_t field) const = 0;

  // The periods of a row that lie within its entity's timeline; nullptr: nothing is clipped here.
  struct Period {
    Day from, until;
  };
  virtual const std::vector<Period>* clipped_periods(std::size_t) { return nullptr; }

 protected:
  // Whether the entity that a row is about has been left alone.
  bool skips(std::size_t row) const;
  // The fields of the row whose values are drawn only now, here or in a table that they refer to.
  std::vector<std::size_t> drawn_fields(std::span<TableLoad* const> tables, std::size_t row) const;
  // Whether slice row `row`, whose fields these are, has anything for this table.
  bool concerns(const Portion& portion, std::size_t row, std::span<const db::WireField> fields) const;

  const analysis::Program& program_;
  const analysis::EntryProgram& entry_;
  const std::size_t index_;
  const DiffTable diff_table_;
};

// The fingerprint with that of one more stored row in it.
inline std::uint64_t mixed(std::uint64_t fingerprint, std::uint64_t stored) {
  return fingerprint * 0x9E3779B97F4A7C15u + (stored == 0 ? 1 : stored);
}

// What is said of a new row that leaves a column NULL though the table forbids it.
model::Issue null_refusal(const analysis::EntryProgram& entry, const db::Column& column);

inline bool only_existing(definition::Strategy strategy) {
  return strategy == definition::Strategy::replace_only || strategy == definition::Strategy::update_only;
}

}  // namespace lade::load
