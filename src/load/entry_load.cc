#include "load/entry_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using analysis::Cell;
using analysis::kKeep;
using analysis::TargetField;
using definition::Strategy;

// The tuples of chosen rows.
class ChosenRows final : public db::TupleSource {
 public:
  ChosenRows(std::span<const EntryRow> rows, std::span<const std::uint32_t> chosen) : rows_(rows), chosen_(chosen) {}
  std::optional<std::string_view> next() override {
    if (at_ == chosen_.size()) return std::nullopt;
    return rows_[chosen_[at_++]].tuple;
  }

 private:
  std::span<const EntryRow> rows_;
  std::span<const std::uint32_t> chosen_;
  std::size_t at_ = 0;
};

// The key fields of rows, of all or of those written. The other fields are not sent: the database might refuse them,
// which is for the write to find.
class KeysOf final : public db::TupleSource {
 public:
  KeysOf(std::span<const EntryRow> rows, std::span<const analysis::KeyPart> key, bool only_written = false)
      : rows_(rows), key_(key), only_written_(only_written), is_prefix_(begins_tuple(key)) {}
  std::optional<std::string_view> next() override {
    while (only_written_ && at_ < rows_.size() && !rows_[at_].is_written()) ++at_;
    if (at_ == rows_.size()) return std::nullopt;
    const std::string_view tuple = rows_[at_++].tuple;
    if (is_prefix_) return prefix_of(tuple);
    split(tuple, fields_);
    tuple_.clear();
    for (const analysis::KeyPart& part : key_) append_whole(tuple_, fields_[static_cast<std::size_t>(part.field)]);
    return tuple_;
  }

 private:
  // Mostly the key columns come first, in their order, and need no copy.
  static bool begins_tuple(std::span<const analysis::KeyPart> key) {
    for (std::size_t i = 0; i < key.size(); ++i)
      if (key[i].field != static_cast<int>(i)) return false;
    return true;
  }
  std::string_view prefix_of(std::string_view tuple) const {
    std::string_view rest = tuple;
    for (std::size_t i = 0; i < key_.size(); ++i) db::take_field(rest);
    return tuple.substr(0, tuple.size() - rest.size());
  }

  std::span<const EntryRow> rows_;
  std::span<const analysis::KeyPart> key_;
  const bool only_written_;
  const bool is_prefix_;
  std::size_t at_ = 0;
  std::vector<db::WireField> fields_;
  std::string tuple_;
};

}  // namespace

EntryLoad::EntryLoad(const analysis::Program& program, std::size_t entry, db::Connection& connection,
                     db::Connection* reader)
    : TableLoad(program, entry),
      key_is_root_(entry == program.root() && !program.step_names_entities && program.entity_slot < 0 &&
                   program.definition.partition != definition::Partition::hash &&
                   std::ranges::all_of(entry_.key, [](const auto& part) { return part.column >= 0; })),
      version_(entry_.set ? entry_.set->version : -1),
      keeps_lineage_(program.definition.lineage),
      target_(connection, entry_),
      connection_(connection) {
  if (entry_.deletes >= 0) remover_.emplace(connection, entry_);
  if (reader != nullptr) reader_.emplace(*reader, entry_);
  respelled_ = entry_.table.has_triggers;
  for (std::size_t at = 0; at < entry_.fields.size(); ++at) {
    const TargetField& field = entry_.fields[at];
    respelled_ = respelled_ || !analysis::is_stored_as_written(field.column);
    const bool staged = field.slot >= 0;
    if (static_cast<int>(at) == version_) continue;
    // Analysis lets no row pass whose key is blank.
    if (field.column.not_null && !(staged && field.key)) not_null_.push_back(at);
    if (!staged) {
      may_keep_ = may_keep_ || field.drawn;
      continue;
    }
    const analysis::Slot& slot = program.slots[static_cast<std::size_t>(field.slot)];
    const analysis::ColumnProgram& column = program.columns[static_cast<std::size_t>(slot.column)];
    const bool blank_keeps = column.absent || column.column.blank == definition::BlankPolicy::keep;
    may_keep_ = may_keep_ || slot.null_keeps || (slot.blank_keeps && blank_keeps);
  }
}

Result<void> EntryLoad::prepare() {
  if (!entry_.by_key() && respelled_ && !entry_.found_by.empty()) {
    found_entry_ = entry_;
    found_entry_->key = entry_.found_by;
    finder_.emplace(connection_, *found_entry_);
  }
  LADE_TRY(target_.prepare());
  return reader_ ? reader_->prepare() : Result<void>();
}

// The key in the form that sorts; the root's is already there when nothing else is in the identity.
std::string_view EntryLoad::key_of(std::string_view tuple, const Row* row) {
  if (row != nullptr && key_is_root_) return row->root();
  split(tuple, fields_);
  key_scratch_.clear();
  for (const analysis::KeyPart& part : entry_.key) {
    const auto at = static_cast<std::size_t>(part.field);
    Cell cell;
    if (fields_[at].length < 0 ||
        !analysis::decode_value(fields_[at], entry_.fields[at].column.wire, part.type, arena_, cell))
      return {};
    analysis::append_sort_key(key_scratch_, cell, part.type, part.folds_case, part.pad);
  }
  return key_scratch_;
}

// Builds the tuple of the row whose fields are in fields_, in scratch_; false when a reference leads nowhere.
bool EntryLoad::assemble_tuple(const Portion& portion, std::size_t index) {
  scratch_.clear();
  for (const TargetField& field : entry_.fields) {
    if (field.slot >= 0) {
      append_whole(scratch_, fields_[static_cast<std::size_t>(field.slot)]);
    } else if (version_ >= 0 && &field == &entry_.fields[static_cast<std::size_t>(version_)]) {
      scratch_ += building_;
    } else if (field.constant) {
      scratch_ += *field.constant;
    } else if (field.drawn) {
      db::append_big_endian<std::int32_t>(scratch_, kKeep);
    } else {
      const auto referenced = portion.earlier[static_cast<std::size_t>(field.ref_entry)]->field_of(
          index, static_cast<std::size_t>(field.ref_field));
      if (!referenced) return false;
      append_whole(scratch_, *referenced);
    }
  }
  return true;
}

// Rows of one entity follow each other; of those that name the same stored row only one is written, and an entity that
// is new gets one row. True when this row goes with the one before it.
bool EntryLoad::share_row(const Portion& portion, std::size_t index, std::string_view tuple, std::string_view key,
                          bool deletes) {
  if (rows_.empty()) return false;
  EntryRow& before = rows_.back();
  if (entry_.for_new >= 0) return portion.slice.rows[before.row].root() == portion.slice.rows[index].root();
  if (entry_.key.empty() || key.empty() || before.key != key) return false;
  const bool last_wins = program_.definition.duplicates != definition::DuplicatePolicy::first;
  if (last_wins) before.row = static_cast<std::uint32_t>(index), before.tuple = tuple, before.deletes = deletes;
  return true;
}

// Whether the row whose fields are in fields_ wants the stored one to go.
bool EntryLoad::says_delete() const {
  if (entry_.deletes < 0) return false;
  const auto at = static_cast<std::size_t>(entry_.deletes);
  analysis::TextArena arena;
  Cell cell;
  return fields_[at].length >= 0 &&
         analysis::decode_value(fields_[at], program_.slots[at].form.wire, {definition::TypeKind::boolean}, arena,
                                cell) &&
         cell.number != 0;
}

void EntryLoad::assemble_row(const Portion& portion, std::size_t index) {
  const Row& row = portion.slice.rows[index];
  std::string_view tuple = row.tuple;
  bool deletes = false;
  if (!entry_.tuple_is_row) {
    split(row.tuple, fields_);
    if (!concerns(portion, index, fields_) || !assemble_tuple(portion, index)) return;
    deletes = says_delete();
    tuple = arena_.keep(scratch_);
  }
  std::string_view key;
  if (!entry_.key.empty()) {
    key = key_of(tuple, &row);
    if (key.data() == key_scratch_.data()) key = arena_.keep(key);
  }
  if (!share_row(portion, index, tuple, key, deletes)) {
    sorted_ = sorted_ && (entry_.key.empty() || rows_.empty() || rows_.back().key < key);
    EntryRow& added = rows_.emplace_back();
    added.row = static_cast<std::uint32_t>(index);
    added.tuple = tuple;
    added.key = key;
    added.deletes = deletes;
  }
  carrier_[index - begin_] = static_cast<std::uint32_t>(rows_.size());
}

void EntryLoad::assemble(const Portion& portion) {
  rows_.clear();
  arena_.clear();
  order_.clear();
  written_.clear();
  in_insert_ = false;
  slice_ = &portion.slice;
  begin_ = portion.begin;
  cursor_ = 0;
  sorted_ = true;
  carrier_.assign(portion.end - portion.begin, 0);
  rows_.reserve(portion.end - portion.begin);
  for (std::size_t i = portion.begin; i < portion.end; ++i)
    if (portion.slice.rows[i].outcome == model::Outcome::unprocessed) assemble_row(portion, i);
}

Result<void> EntryLoad::decide(const Portion& portion, std::vector<Refusal>& refusals) {
  assemble(portion);
  // What identifies an entity was not stored when its rows were analysed. It is asked for again only when it turns out
  // to be taken: mostly it is not.
  if (entry_.identifies < 0 || key_taken_ || !portion.writes) LADE_TRY(compare(portion.by_reader));
  if (portion.later && journals()) LADE_TRY(give_way(portion.later));
  LADE_TRY(complete_new_rows());
  refuse_nulls(refusals);
  refuse_others(refusals);
  return {};
}

void EntryLoad::refuse_others(std::vector<Refusal>& refusals) {
  for (const EntryRow& row : rows_) {
    if (!row.elsewhere) continue;
    model::Issue issue;
    issue.code = "other_set";
    issue.message = "the stored row with this key belongs to another set";
    issue.hint = "check whether the file is for this set";
    refusals.push_back({row.row, std::move(issue)});
  }
}

void EntryLoad::use_versions(std::optional<std::int64_t> active, std::optional<std::int64_t> building) {
  if (version_ < 0) return;
  const db::Column& column = entry_.fields[static_cast<std::size_t>(version_)].column;
  has_active_ = active.has_value();
  if (active) target_.read_only(column, *active);
  if (active && reader_) reader_->read_only(column, *active);
  building_.clear();
  if (building) building_ = integer_field(column, *building);
  if (building_.empty()) db::append_big_endian<std::int32_t>(building_, db::kNull);
}

void EntryLoad::refuse_nulls(std::vector<Refusal>& refusals) {
  for (const EntryRow& row : rows_) {
    if (row.action != Action::insert) continue;
    if (const db::Column* column = forbidden_null(row)) refusals.push_back({row.row, null_refusal(entry_, *column)});
  }
}

std::optional<RowAction> EntryLoad::action_of(std::size_t row) const {
  const EntryRow* carrier = row_of(row);
  if (carrier == nullptr) return std::nullopt;
  return RowAction{carrier->action, carrier->row == row};
}

bool EntryLoad::is_new(std::size_t row) const {
  const EntryRow* carrier = row_of(row);
  return carrier != nullptr && carrier->action == Action::insert;
}

Result<void> EntryLoad::tell_changes(std::span<TableLoad* const> tables, DiffWriter& diff) const {
  for (const EntryRow& row : rows_) {
    if (row.action == Action::remove)
      LADE_TRY(diff.add(diff_table_, {slice_->rows[row.row].place, row.stored, {}, {}}));
    if (!row.is_written()) continue;
    const bool is_new = row.action == Action::insert;
    const std::vector<std::size_t> drawn = drawn_fields(tables, row.row);
    LADE_TRY(diff.add(diff_table_,
                      {slice_->rows[row.row].place, is_new ? std::string_view() : row.stored, row.tuple, drawn}));
  }
  return {};
}

void EntryLoad::mix_stored(std::span<std::uint64_t> fingerprints) const {
  for (std::size_t i = 0; i < carrier_.size(); ++i) {
    const EntryRow* row = row_of(begin_ + i);
    if (row != nullptr && row->seen != 0) fingerprints[i] = mixed(fingerprints[i], row->seen);
  }
}

bool EntryLoad::is_drawn(std::size_t row, std::size_t field) const {
  return static_cast<int>(field) == version_ || (entry_.fields[field].drawn && is_new(row));
}

const EntryRow* EntryLoad::row_of(std::size_t row) const {
  const std::uint32_t at = carrier_[row - begin_];
  return at == 0 ? nullptr : &rows_[at - 1];
}

std::optional<db::WireField> EntryLoad::field_of(std::size_t row, std::size_t field) const {
  const EntryRow* carrier = row_of(row);
  if (carrier == nullptr && entry_.for_new >= 0) return db::WireField{kKeep, nullptr};  // the entity has its own
  if (carrier == nullptr || carrier->action == Action::skip_no_target) return std::nullopt;
  std::string_view tuple =
      carrier->action == Action::insert || carrier->stored.empty() ? carrier->tuple : carrier->stored;
  db::WireField found;
  for (std::size_t i = 0; i <= field; ++i) found = db::take_field(tuple);
  return found;
}

void EntryLoad::sort_index() {
  if (sorted_ || !order_.empty()) return;
  order_.resize(rows_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return rows_[a].key < rows_[b].key; });
}

// The row with the key, or rows_.size(). Stored rows mostly come in key order, so the next one is tried first.
std::size_t EntryLoad::find(std::string_view key) {
  const auto at = [&](std::size_t i) { return order_.empty() ? i : order_[i]; };
  if (cursor_ < rows_.size() && rows_[at(cursor_)].key == key) return at(cursor_++);
  std::size_t low = 0, high = rows_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (rows_[at(middle)].key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == rows_.size() || rows_[at(low)].key != key) return rows_.size();
  cursor_ = low + 1;
  return at(low);
}

// Lays the tuple over the stored row in scratch_: values that are not written stay. True when something differs.
bool EntryLoad::overlay(std::string_view tuple, std::string_view stored) {
  split(tuple, fields_);
  split(stored, stored_fields_);
  scratch_.clear();
  bool differs = false;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (static_cast<int>(i) == version_) {
      append_whole(scratch_, fields_[i]);
      continue;
    }
    const bool keep = fields_[i].length == kKeep || entry_.fields[i].key;
    append_whole(scratch_, keep ? stored_fields_[i] : fields_[i]);
    differs = differs || (!keep && !analysis::same_value(fields_[i], stored_fields_[i], entry_.fields[i].column));
  }
  return differs;
}

// Whether the stored row belongs to the set that the file is about.
bool EntryLoad::is_in_scope(std::string_view tuple, std::string_view stored) {
  if (!entry_.set || entry_.set->scope.empty() || version_ >= 0) return true;
  return std::ranges::all_of(entry_.set->scope, [&](int field) {
    const db::Column& column = entry_.fields[static_cast<std::size_t>(field)].column;
    return analysis::same_value(field_at(tuple, field), field_at(stored, field), column);
  });
}

void EntryLoad::decide_existing(EntryRow& row, std::string_view stored) {
  const bool keep_image = !entry_.tuple_is_row;  // a later entry may refer to it
  row.action = Action::unchanged;
  row.seen = fingerprint(stored);
  row.elsewhere = !is_in_scope(row.tuple, stored);
  if (row.deletes) {
    row.action = Action::remove;
  } else if (version_ >= 0) {
    // Every row is written into the new version, with what stays of the old one.
    if (overlay(row.tuple, stored)) row.action = Action::update;
    row.tuple = arena_.keep(scratch_);
  } else if (entry_.strategy == Strategy::insert_only) {
    row.action = Action::skip_exists;
  } else if (row.tuple != stored && overlay(row.tuple, stored) && target_.can_update()) {
    row.action = Action::update;
    row.tuple = arena_.keep(scratch_);
  }
  if (keep_image || row.action == Action::update) row.stored = arena_.keep(stored);
}

// A date or uuid in a text column is a text to the database: spelled otherwise it is another key.
bool EntryLoad::is_spelled_alike(std::string_view tuple, std::string_view stored) {
  const auto is_converted = [this](const analysis::KeyPart& part) {
    const db::WireType wire = entry_.fields[static_cast<std::size_t>(part.field)].column.wire;
    return (wire == db::WireType::text || wire == db::WireType::sqlite_text) &&
           part.type.kind != definition::TypeKind::text && !part.folds_case && !part.pad;
  };
  if (std::none_of(entry_.key.begin(), entry_.key.end(), is_converted)) return true;
  split(tuple, fields_);
  split(stored, stored_fields_);
  return std::all_of(entry_.key.begin(), entry_.key.end(), [&](const analysis::KeyPart& part) {
    const auto at = static_cast<std::size_t>(part.field);
    return !is_converted(part) || fields_[at].bytes() == stored_fields_[at].bytes();
  });
}

Result<void> EntryLoad::match(std::string_view stored) {
  const std::string_view key = key_of(stored, nullptr);
  sort_index();
  const std::size_t at = find(key);
  if (at < rows_.size() && is_spelled_alike(rows_[at].tuple, stored)) decide_existing(rows_[at], stored);
  return {};
}

Result<void> EntryLoad::compare(bool by_reader) {
  if (!entry_.by_key() || rows_.empty() || !has_active_) return {};
  Target& target = by_reader ? *reader_ : target_;
  // Beside a timeline rows are made as they are needed: the timeline is what must exist.
  const bool may_insert =
      !only_existing(entry_.strategy) || (program_.entries[program_.root()].period && index_ != program_.root());
  for (EntryRow& row : rows_) row.action = may_insert && !row.deletes ? Action::insert : Action::skip_no_target;
  const auto on_row = [this](std::string_view stored) { return match(stored); };
  const bool ordered = sorted_ && program_.definition.partition != definition::Partition::hash &&
                       std::all_of(entry_.key.begin(), entry_.key.end(), [](const auto& part) { return part.ordered; });
  bool read = false;
  if (ordered) {
    LADE_ASSIGN(read, target.read_range(rows_.front().tuple, rows_.back().tuple, rows_.size(), on_row));
  }
  if (!read) {
    KeysOf keys(rows_, entry_.key);
    std::vector<std::string> found;  // answers come while the temporary table is read; they are matched afterwards
    const auto collect = [&](std::string_view stored) -> Result<void> {
      found.emplace_back(stored);
      return {};
    };
    LADE_TRY(target.read_keys(keys, collect));
    for (const std::string& stored : found) LADE_TRY(match(stored));
  }
  return {};
}

Result<void> EntryLoad::give_way(const LaterBlocks& later) {
  std::string_view first, last;
  std::unordered_map<std::string, EntryRow*> changed;  // by key
  KeysOf keys(rows_, entry_.key);
  for (EntryRow& row : rows_) {
    const std::string_view key = *keys.next();
    if (row.action != Action::update) continue;
    if (changed.empty() || row.key < first) first = row.key;
    if (changed.empty() || row.key > last) last = row.key;
    changed.emplace(key, &row);
  }
  if (changed.empty()) return {};
  LADE_ASSIGN(const std::vector<std::string> blocks, later(entry_.table.quoted, first, last));
  for (const std::string& block : blocks) {
    LADE_ASSIGN(JournalReader reader, JournalReader::open(block));
    JournalEntry entry;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(entry));
      if (!more) break;
      const auto found = changed.find(std::string(entry.key));
      if (found != changed.end()) found->second->action = Action::skip_superseded;
    }
  }
  return {};
}

// The tuple with NULL where the stored value would stay.
std::string_view EntryLoad::without_keep(std::string_view tuple) {
  split(tuple, fields_);
  if (std::none_of(fields_.begin(), fields_.end(), [](const db::WireField& f) { return f.length == kKeep; }))
    return tuple;
  scratch_.clear();
  for (db::WireField field : fields_) {
    if (field.length == kKeep) field.length = db::kNull;
    append_whole(scratch_, field);
  }
  return arena_.keep(scratch_);
}

Result<void> EntryLoad::draw_ids() {
  for (std::size_t at = 0; at < entry_.fields.size(); ++at) {
    if (!entry_.fields[at].drawn) continue;
    std::vector<EntryRow*> fresh;
    for (EntryRow& row : rows_)
      if (row.action == Action::insert) fresh.push_back(&row);
    if (fresh.empty()) continue;
    LADE_ASSIGN(const auto ids, target_.draw(entry_.fields[at].column, fresh.size()));
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      scratch_.clear();
      if (at + 1 == entry_.fields.size()) {
        scratch_.append(fresh[i]->tuple.substr(0, fresh[i]->tuple.size() - sizeof(std::int32_t))).append(ids[i]);
      } else {
        split(fresh[i]->tuple, fields_);
        for (std::size_t f = 0; f < fields_.size(); ++f)
          f == at ? void(scratch_.append(ids[i])) : append_whole(scratch_, fields_[f]);
      }
      fresh[i]->tuple = arena_.keep(scratch_);
    }
  }
  return {};
}

Result<void> EntryLoad::complete_new_rows() {
  LADE_TRY(draw_ids());
  if (!may_keep_) return {};
  for (EntryRow& row : rows_)
    if (row.action == Action::insert) row.tuple = without_keep(row.tuple);
  return {};
}

const db::Column* EntryLoad::forbidden_null(const EntryRow& row) {
  if (not_null_.empty()) return nullptr;
  split(row.tuple, fields_);
  for (const std::size_t at : not_null_)
    if (fields_[at].length < 0) return &entry_.fields[at].column;
  return nullptr;
}

Result<bool> EntryLoad::write() {
  if (auto inserted = insert_rows(); !inserted) {
    key_taken_ = target_.key_was_taken();
    if (key_taken_) return false;
    return fail(std::move(inserted).error());
  }
  key_taken_ = false;
  if (version_ >= 0) return true;
  LADE_ASSIGN(const bool updated, update_rows());
  if (!updated) return false;
  LADE_TRY(remove_rows());
  return true;
}

// New rows; of a set that is built aside all rows.
Result<void> EntryLoad::insert_rows() {
  written_.clear();
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].action == Action::insert || version_ >= 0) written_.push_back(i);
  in_insert_ = true;
  if (!written_.empty()) {
    ChosenRows tuples(rows_, written_);
    LADE_TRY(target_.insert(tuples));
  }
  in_insert_ = false;
  return {};
}

Result<bool> EntryLoad::update_rows() {
  written_.clear();
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].action == Action::update) written_.push_back(i);
  if (written_.empty()) return true;
  ChosenRows tuples(rows_, written_);
  std::size_t seen = 0;
  bool same = true;
  const auto on_locked = [&](std::string_view stored) -> Result<void> {
    const std::size_t at = find(key_of(stored, nullptr));
    same = same && at < rows_.size() && rows_[at].stored == stored;
    ++seen;
    return {};
  };
  LADE_TRY(target_.stage_update(tuples, on_locked));
  if (connection_.backend() == db::Backend::postgresql && (!same || seen != written_.size())) return false;
  LADE_TRY(target_.apply_update());
  return true;
}

// Rows that somebody else has deleted meanwhile are gone, as they should be.
Result<void> EntryLoad::remove_rows() {
  if (!remover_) return {};
  removed_.clear();
  written_.clear();
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].action == Action::remove) written_.push_back(i);
  if (written_.empty()) return {};
  std::vector<EntryRow> gone;
  for (const std::uint32_t at : written_) gone.push_back(rows_[at]);
  KeysOf keys(gone, entry_.key);
  LADE_TRY(remover_->choose(keys));
  LADE_TRY(remover_->remove([this](std::string_view tuple) -> Result<void> {
    const std::size_t at = find(remover_->sort_key_of(tuple));
    if (at < rows_.size()) removed_.emplace_back(arena_.keep(tuple), slice_->rows[rows_[at].row].place);
    return {};
  }));
  return {};
}

// Takes the tuples of written rows from the database. A row that is not found was not left as it was written.
Result<void> EntryLoad::read_back() {
  if (!entry_.by_key()) return read_back_appended();
  std::vector<std::string> found;
  KeysOf keys(rows_, entry_.key, true);
  LADE_TRY(target_.read_keys(keys, [&](std::string_view stored) -> Result<void> {
    found.emplace_back(stored);
    return {};
  }));
  sort_index();
  for (const std::string& stored : found) {
    const std::size_t at = find(key_of(stored, nullptr));
    if (at < rows_.size() && rows_[at].is_written()) rows_[at].tuple = arena_.keep(stored);
  }
  return {};
}

Result<void> EntryLoad::read_back_appended() {
  std::unordered_map<std::string, EntryRow*> written;
  KeysOf all(rows_, entry_.found_by, true);
  for (EntryRow& row : rows_)
    if (row.is_written()) written.emplace(*all.next(), &row);
  KeysOf keys(rows_, entry_.found_by, true);
  std::string key;
  return finder_->read_keys(keys, [&](std::string_view stored) -> Result<void> {
    split(stored, stored_fields_);
    key.clear();
    for (const analysis::KeyPart& part : entry_.found_by)
      append_whole(key, stored_fields_[static_cast<std::size_t>(part.field)]);
    if (const auto row = written.find(key); row != written.end()) row->second->tuple = arena_.keep(stored);
    return {};
  });
}

void EntryLoad::journal_to(const JournalSink& sink) {
  sink_ = sink;
  lost_ = 0;
  journal_.reset();
  // The version before is still there: only for where rows come from.
  if (version_ >= 0 && !keeps_lineage_) return;
  if (!entry_.journal_key().empty()) journal_.emplace(entry_, sink);
  if (remover_) remover_->journal_to(sink);
}

Result<void> EntryLoad::journal() {
  for (const auto& [tuple, place] : removed_) LADE_TRY(remover_->tell(tuple, place));
  removed_.clear();
  if (journal_) return journal(*journal_);
  if (version_ < 0) lost_ += std::ranges::count_if(rows_, &EntryRow::is_written);
  return {};
}

Result<void> EntryLoad::finish_journal() {
  if (remover_) LADE_TRY(remover_->finish_journal());
  if (journal_) return journal_->finish();
  if (!sink_ || lost_ == 0) return {};
  JournalBlock lost;
  lost.table = entry_.table.quoted;
  lost.rows = std::exchange(lost_, 0);
  return sink_(lost);
}

Result<void> EntryLoad::journal(JournalWriter& writer) {
  if (std::none_of(rows_.begin(), rows_.end(), [](const EntryRow& row) { return row.is_written(); })) return {};
  if (respelled_ && version_ < 0) LADE_TRY(read_back());
  KeysOf keys(rows_, entry_.journal_key(), true);
  for (const EntryRow& row : rows_) {
    if (!row.is_written()) continue;
    const bool is_new = row.action == Action::insert;
    const staging::RowPlace& place = slice_->rows[row.row].place;
    // Nobody asks for a range of appended rows.
    const std::string_view sort_key = entry_.by_key() ? row.key : std::string_view();
    LADE_TRY(writer.add(sort_key, {*keys.next(), is_new ? std::string_view() : row.stored, fingerprint(row.tuple),
                                   place.row_id, place.line}));
  }
  return {};
}

std::optional<std::size_t> EntryLoad::refused_row() const {
  const std::int64_t at = target_.refused_row();
  if (!in_insert_ || at < 1 || at > static_cast<std::int64_t>(written_.size())) return std::nullopt;
  return rows_[written_[static_cast<std::size_t>(at - 1)]].row;
}

}  // namespace lade::load
