#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "load/period_days.h"
#include "load/table_load.h"
#include "load/target.h"
#include "load/timeline.h"

namespace lade::load {

// A table that keeps history: the rows of a slice are grouped by entity, laid over its stored timeline (timeline.h),
// and the difference is written. An entity that is known to be new is not looked for.
class TemporalLoad final : public TableLoad {
 public:
  TemporalLoad(const analysis::Program& program, std::size_t entry, db::Connection& connection);
  Result<void> prepare() override;
  Result<bool> refers_to(const db::Table& table) override { return timelines_.refers_to(table); }
  Result<void> decide(const Portion& portion, std::vector<Refusal>& refusals) override;
  Result<bool> write() override;
  std::optional<std::size_t> refused_row() const override;

  void journal_to(const JournalSink& sink) override;
  Result<void> journal() override;
  Result<void> finish_journal() override;

  std::optional<RowAction> action_of(std::size_t row) const override;
  std::optional<db::WireField> field_of(std::size_t row, std::size_t field) const override;
  bool is_new(std::size_t row) const override;
  const std::vector<Period>* clipped_periods(std::size_t row) override;
  Result<void> tell_changes(std::span<TableLoad* const> tables, DiffWriter& diff) const override;
  void mix_stored(std::span<std::uint64_t> fingerprints) const override;
  bool is_drawn(std::size_t row, std::size_t field) const override;

 private:
  struct Entity {
    std::string_view root;       // the root key of its rows
    std::string_view key;        // sorts and compares like the stored keys; may be empty when it is new
    std::string_view key_tuple;  // a whole tuple of which only the key is filled in
    std::string_view id;         // a field of a tuple; empty: there is none
    std::uint32_t member = 0;    // the first of its rows
    std::uint32_t members = 0;
    std::uint32_t stored = 0;  // the first of its stored slices
    std::uint32_t slices = 0;
    bool sought = false;  // something may be stored
    bool drawn = false;   // its id comes from the sequence
  };
  // A row of the file.
  struct Member {
    std::uint32_t row = 0;  // of the slice
    std::uint32_t entity = 0;
    Action action = Action::unchanged;
    Period period{};
    std::string_view tuple;  // without the columns that are only carried; kKeep stands for what it does not write
  };
  struct StoredSlice {
    std::uint32_t entity;
    Day from, until;
    std::string_view tuple;
  };
  // A row of the table that is written or deleted.
  struct Change {
    std::uint32_t row;  // of the slice
    std::uint32_t entity;
    std::string_view tuple;   // empty: deleted
    std::string_view before;  // empty: new
  };

  // Grouping.
  void clear(const Portion& portion);
  void group(const Portion& portion);
  void add_row(const Portion& portion, std::size_t row);
  bool is_known_new(const Portion& portion, std::size_t row) const;
  bool find_key(const Portion& portion, std::size_t row, Entity& entity);
  std::uint32_t entity_of(const Portion& portion, std::size_t row);
  db::WireField value_of(const analysis::TargetField& field, const Portion& portion, std::size_t row) const;

  // Reading.
  Result<void> read();
  Result<void> read_by_keys();
  Result<void> keep_stored(std::string_view tuple);
  std::string_view sort_key_of(std::string_view tuple);
  std::size_t find(std::string_view key);

  // Deciding (temporal_plan.cc).
  Result<void> draw_ids();
  void decide_entity(const Portion& portion, std::uint32_t entity, std::vector<Refusal>& refusals);
  bool assemble(const Portion& portion, const Entity& entity, Member& member, std::vector<Refusal>& refusals);
  void insert_alone(std::uint32_t entity, Member& member, std::vector<Refusal>& refusals);
  void plan(const Portion& portion, std::uint32_t entity, std::vector<Refusal>& refusals);
  bool add_stored(const Entity& entity);
  void add_incoming(const Portion& portion, const Entity& entity);
  void add_edit(std::uint32_t entity, const TimelineEdit& edit, std::vector<Refusal>& refusals);
  void set_actions(const Entity& entity);
  void skip(const Entity& entity, Action action);
  bool refuse_null(std::uint32_t row, const db::WireField* fields, std::vector<Refusal>& refusals) const;

  // Writing (temporal_write.cc).
  Result<void> give_way(const LaterBlocks& later);
  void leave(const std::unordered_set<std::uint32_t>& entities);
  Result<bool> lock(const std::vector<Change>& changes);
  Result<bool> insert(Target& target, const std::vector<Change>& changes);
  Result<void> tell(JournalWriter& writer, Target& target, std::vector<Change>& changes);
  Result<void> read_back(Target& target, std::vector<Change>& changes);

  const bool is_root_;
  bool key_is_root_ = true;    // rows of one root entity are about one entity of this table
  bool key_has_root_ = false;  // the key refers to the root: a new root has nothing stored here
  const bool clips_;           // only existing timelines are changed
  const analysis::PeriodProgram period_;
  std::size_t own_fields_ = 0;         // those that are not only carried come first
  std::vector<std::size_t> not_null_;  // of them
  bool respelled_ = false;             // what is stored may have other bytes than what was written
  db::Connection& connection_;
  analysis::EntryProgram row_entry_;    // its key names one slice
  analysis::EntryProgram fresh_entry_;  // the same without the columns that are only carried
  Target timelines_;                    // read by the key of entities
  Target rows_, fresh_rows_;
  PeriodDays days_;
  TimelinePlanner planner_;

  const Slice* slice_ = nullptr;  // the last one that was decided about
  std::size_t begin_ = 0;
  std::vector<Entity> entities_;
  std::vector<Member> members_;
  std::vector<std::uint32_t> carrier_;  // slice row - begin_ → member + 1, 0: none
  std::vector<StoredSlice> stored_;
  std::vector<std::uint32_t> order_;  // entities to look for, by key
  std::size_t cursor_ = 0;
  std::vector<Change> deletes_, updates_, inserts_, fresh_inserts_;
  const std::vector<Change>* inserting_ = nullptr;  // what is being inserted, and by which
  const Target* inserter_ = nullptr;
  std::vector<Period> clipped_;
  analysis::TextArena arena_;
  std::string scratch_, key_scratch_;
  std::vector<db::WireField> fields_, pool_;
  std::vector<TimelineSlice> plan_stored_;
  std::vector<IncomingPeriod> plan_incoming_;
  std::optional<JournalWriter> journal_, fresh_journal_;
};

}  // namespace lade::load
