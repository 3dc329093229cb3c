#pragma once

#include <memory>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"
#include "load/diff.h"
#include "load/entry_load.h"
#include "load/seen_rows.h"
#include "load/slice.h"
#include "load/table_load.h"
#include "staging/issue_log.h"

namespace lade::load {

// What a rehearsal tells beside its counts; null: nobody wants to know.
struct Rehearsed {
  DiffWriter* diff = nullptr;
  SeenRows* seen = nullptr;
};

// Loads slices into the target tables of a definition. The caller owns the connection's transaction.
class Loader {
 public:
  // `reader`: another session with the same database, which makes decide_ahead() possible.
  Loader(const analysis::Program& program, db::Connection& connection, db::Connection* reader = nullptr);
  // Creates the session's temporary tables; once, outside a transaction.
  Result<void> prepare();

  // Writes the rows of the slice into all tables. When the database refuses, the slice is halved until the guilty row
  // stands alone; that row fails and the rest goes in. Of a new entity with a timeline, the other rows are skipped then
  // (`sibling_failed`). Sets each row's outcome, counts it, and tells the findings. An error means that the transaction
  // must be rolled back.
  Result<void> load(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts);

  // Compares the slice with what is stored, on the reader's session, and draws up its journal, while somebody else uses
  // the connection: load() of this slice then need not do it, unless others have written to the database since. Does
  // nothing for definitions whose decisions depend on what the connection itself writes. (SQLite)
  Result<void> decide_ahead(Slice& slice);

  // A row refused by a foreign key to a table that this definition itself loads may only wait for its parent. While
  // holding, load() leaves such rows `unprocessed` and uncounted, for the caller to load again after the last bucket.
  void hold_orphans(bool hold) { hold_orphans_ = hold; }

  // What load() writes from now on is told to the journal; of rows that cannot be found again it says only how many
  // there are. finish_journal() hands on the last of it.
  void journal_to(const JournalSink& sink);
  Result<void> finish_journal();

  // Of a set that is built aside: rows are compared with the version that readers see and written into the other one.
  void use_versions(std::optional<std::int64_t> active, std::optional<std::int64_t> building);

  // For a job that comes late: rows that a job after it has written meanwhile are skipped (`superseded`).
  void give_way_to(LaterBlocks later) { later_ = std::move(later); }

  // The same decisions without writing: what load() would do unless the database itself refuses rows.
  Result<void> rehearse(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts,
                        const Rehearsed& told = {});

  // From now on load() refuses rows for which something else is stored than a rehearsal has seen
  // (`changed_since_review`), and those that it has refused. Tables to which several entities write the same row are
  // not looked at (`partition: single`). Null: whatever is stored. (seen_check.cc)
  void expect(const SeenRows* seen) { expected_ = seen; }

 private:
  enum class Attempt { done, again, refused };
  Result<void> load_range(Slice& slice, std::size_t begin, std::size_t end);
  Result<Attempt> attempt(Slice& slice, std::size_t begin, std::size_t end);
  Result<bool> decide(Slice& slice, std::size_t begin, std::size_t end, std::size_t entry, bool by_reader = false);
  Result<void> confirm_decisions(Slice& slice);
  Result<std::int64_t> data_version();
  Result<void> halve(Slice& slice, std::size_t begin, std::size_t end);
  Result<void> load_around(Slice& slice, std::size_t begin, std::size_t end, std::size_t guilty);
  Result<void> load_entity(Slice& slice, std::size_t begin, std::size_t end, const db::Diagnosis& refusal);
  Result<void> load_one_by_one(Slice& slice, std::size_t begin, std::size_t end, const db::Diagnosis& refusal);
  Result<void> find_guilty(Slice& slice, std::size_t begin, std::size_t end, const db::Diagnosis& refusal);
  void make_known(Slice& slice, std::size_t row, db::WireField id);
  Result<bool> recognise(Slice& slice, std::size_t begin, std::size_t end, std::size_t index);
  void add_refusals(Slice& slice, std::vector<Refusal> refused);
  bool is_new_entity(const Slice& slice, std::size_t row) const;
  void skip_siblings(Slice& slice, std::size_t guilty);
  Result<void> refuse(Slice& slice, std::size_t row, const db::Diagnosis& refusal);
  Result<void> draft_journal();
  Result<void> journal();
  Result<void> tell_rehearsed(const Slice& slice, const Rehearsed& told);
  std::vector<std::uint64_t> stored_fingerprints(std::size_t rows) const;
  bool checks_seen() const { return expected_ != nullptr && !rehearsing_ && !in_entity_; }
  model::Issue changed_issue(std::size_t row, std::size_t entry, std::string_view how) const;
  bool refuse_changed(Slice& slice, std::size_t begin, std::size_t end);
  Result<bool> is_as_seen(Slice& slice, std::size_t begin, std::size_t end);
  Result<void> count(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts);
  void set_outcomes(Slice& slice, std::size_t begin, std::size_t end);
  void set_outcome(Slice& slice, std::size_t row);

  const analysis::Program& program_;
  db::Connection& connection_;
  const bool has_reader_;
  std::int64_t version_ = 0;           // of the data, as the connection saw it last; its own writes do not change it
  bool decided_ahead_ = false;         // the whole slice was, at that version
  std::vector<JournalBlock> drafted_;  // the journal of that slice, if it will be written so
  std::vector<std::unique_ptr<TableLoad>> entries_;
  std::vector<TableLoad*> views_;
  EntryLoad* single_ = nullptr;  // the only entry, if it has no timelines
  const std::size_t root_;
  const bool has_timelines_;  // the root has
  const bool founds_;         // and may get new ones
  JournalSink sink_;          // empty: there is no journal
  std::vector<Refusal> refusals_;
  std::vector<Refusal> skips_;
  LaterBlocks later_;             // empty: there is nothing later
  std::size_t failed_entry_ = 0;  // of the last attempt: what was decided for it and those before still holds
  bool has_own_parents_ = false;  // a foreign key leads from one of the loaded tables to one of them
  bool hold_orphans_ = false;
  bool rehearsing_ = false;             // nothing is written
  std::vector<bool> watched_;           // entries whose stored rows count as seen
  const SeenRows* expected_ = nullptr;  // null: whatever is stored
  bool in_entity_ = false;  // rows of one entity are loaded one by one: those before have changed what is stored
};

// Whether the database refused the data itself (halving helps) or could not work (the bucket is tried again).
bool is_data_refusal(const db::Diagnosis& diagnosis);
bool is_transient(const db::Diagnosis& diagnosis);

}  // namespace lade::load
