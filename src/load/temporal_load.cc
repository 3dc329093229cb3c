#include "load/temporal_load.h"

#include <algorithm>
#include <numeric>

#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using analysis::Cell;
using analysis::EntryProgram;
using analysis::KeyPart;
using analysis::TargetField;
using definition::Strategy;

bool has_unique_index(const db::Table& table, std::vector<std::string> columns) {
  std::sort(columns.begin(), columns.end());
  return std::any_of(table.unique_indexes.begin(), table.unique_indexes.end(), [&](db::UniqueIndex index) {
    std::sort(index.columns.begin(), index.columns.end());
    return index.columns == columns;
  });
}

KeyPart part_of(const EntryProgram& entry, int field) {
  KeyPart part;
  part.column = -1;
  part.field = field;
  part.type = analysis::natural_type(entry.fields[static_cast<std::size_t>(field)].column);
  return part;
}

// The entry by whose key one slice is found: that of the entity, or its id, and the day on which the slice begins.
EntryProgram row_entry_of(const EntryProgram& entry) {
  EntryProgram rows = entry;
  const auto name = [&](int field) { return entry.fields[static_cast<std::size_t>(field)].column.name; };
  std::vector<std::string> names{name(entry.period->from_field)};
  for (const KeyPart& part : entry.key) names.push_back(name(part.field));
  if (!has_unique_index(entry.table, names) && entry.period->id_field >= 0)
    rows.key.assign(1, part_of(entry, entry.period->id_field));
  rows.key.push_back(part_of(entry, entry.period->from_field));
  rows.fields[static_cast<std::size_t>(entry.period->from_field)].key = true;
  return rows;
}

EntryProgram without_carried(EntryProgram entry) {
  std::erase_if(entry.fields, [](const TargetField& field) { return field.carried; });
  return entry;
}

// What a step says once about an entity, and who is asked only for new ones, holds for all of its time.
bool is_lasting(const analysis::Program& program, const TargetField& field) {
  if (field.ref_entry >= 0) return program.entries[static_cast<std::size_t>(field.ref_entry)].for_new >= 0;
  if (field.slot < 0) return false;
  const int column = program.slots[static_cast<std::size_t>(field.slot)].column;
  return program.columns[static_cast<std::size_t>(column)].column.purpose == definition::DataColumn::Purpose::internal;
}

TimelineRules rules_of(const analysis::Program& program, const EntryProgram& entry, bool clips) {
  TimelineRules rules;
  rules.patch = entry.strategy == Strategy::insert_or_update || entry.strategy == Strategy::update_only;
  rules.clipped = clips;
  for (std::size_t i = 0; i < entry.fields.size(); ++i) {
    const TargetField& field = entry.fields[i];
    const bool is_period =
        static_cast<int>(i) == entry.period->from_field || static_cast<int>(i) == entry.period->until_field;
    const FieldRole role = field.key || field.drawn || is_period ? FieldRole::fixed
                           : field.audit                         ? FieldRole::audit
                           : field.ephemeral                     ? FieldRole::ephemeral
                                                                 : FieldRole::core;
    rules.fields.push_back({&field.column, role, is_lasting(program, field)});
  }
  return rules;
}

const db::Column& column_at(const EntryProgram& entry, int field) {
  return entry.fields[static_cast<std::size_t>(field)].column;
}

bool clips_timelines(const analysis::Program& program, std::size_t entry) {
  const std::size_t root = program.root();
  return only_existing(program.entries[entry].strategy) && (entry == root || !program.entries[root].period);
}

// The keys of entities that may be stored, as tuples of the key columns alone.
class EntityKeys final : public db::TupleSource {
 public:
  EntityKeys(std::vector<std::string_view> tuples, std::span<const KeyPart> key)
      : tuples_(std::move(tuples)), key_(key) {}
  std::optional<std::string_view> next() override {
    if (at_ == tuples_.size()) return std::nullopt;
    split(tuples_[at_++], fields_);
    tuple_.clear();
    for (const KeyPart& part : key_) append_whole(tuple_, fields_[static_cast<std::size_t>(part.field)]);
    return tuple_;
  }

 private:
  const std::vector<std::string_view> tuples_;
  const std::span<const KeyPart> key_;
  std::size_t at_ = 0;
  std::vector<db::WireField> fields_;
  std::string tuple_;
};

}  // namespace

TemporalLoad::TemporalLoad(const analysis::Program& program, std::size_t entry, db::Connection& connection)
    : TableLoad(program, entry),
      is_root_(entry == program.root()),
      clips_(clips_timelines(program, entry)),
      period_(*entry_.period),
      connection_(connection),
      row_entry_(row_entry_of(entry_)),
      fresh_entry_(without_carried(row_entry_)),
      timelines_(connection, entry_),
      rows_(connection, row_entry_),
      fresh_rows_(connection, fresh_entry_),
      days_(column_at(entry_, period_.from_field), column_at(entry_, period_.until_field)),
      planner_(rules_of(program, entry_, clips_)) {
  own_fields_ = fresh_entry_.fields.size();
  respelled_ = entry_.table.has_triggers;
  for (std::size_t at = 0; at < entry_.fields.size(); ++at) {
    const TargetField& field = entry_.fields[at];
    respelled_ = respelled_ || !analysis::is_stored_as_written(field.column);
    const bool is_period = static_cast<int>(at) == period_.from_field || static_cast<int>(at) == period_.until_field;
    if (field.column.not_null && !field.carried && !is_period) not_null_.push_back(at);
  }
  for (const KeyPart& part : entry_.key) {
    const TargetField& field = entry_.fields[static_cast<std::size_t>(part.field)];
    key_is_root_ = key_is_root_ && (is_root_ || part.column < 0);
    key_has_root_ = key_has_root_ || (field.ref_entry >= 0 && field.ref_entry == static_cast<int>(program.root()));
  }
}

Result<void> TemporalLoad::prepare() {
  LADE_TRY(timelines_.prepare());
  LADE_TRY(rows_.prepare());
  return fresh_rows_.prepare();
}

void TemporalLoad::clear(const Portion& portion) {
  slice_ = &portion.slice;
  begin_ = portion.begin;
  entities_.clear();
  members_.clear();
  carrier_.assign(portion.end - portion.begin, 0);
  stored_.clear();
  order_.clear();
  cursor_ = 0;
  for (auto* changes : {&deletes_, &updates_, &inserts_, &fresh_inserts_}) changes->clear();
  inserting_ = nullptr;
  arena_.clear();
}

// What a row, whose fields are in fields_, has for a field; kKeep when nothing.
db::WireField TemporalLoad::value_of(const TargetField& field, const Portion& portion, std::size_t row) const {
  if (field.slot >= 0) return fields_[static_cast<std::size_t>(field.slot)];
  if (field.constant) {
    std::string_view constant = *field.constant;
    return db::take_field(constant);
  }
  if (field.ref_entry >= 0) {
    const auto referenced = portion.earlier[static_cast<std::size_t>(field.ref_entry)]->field_of(
        row, static_cast<std::size_t>(field.ref_field));
    if (referenced) return *referenced;
  }
  return {analysis::kKeep, nullptr};
}

bool TemporalLoad::is_known_new(const Portion& portion, std::size_t row) const {
  if (is_root_) return program_.entity_slot >= 0 && fields_[static_cast<std::size_t>(program_.entity_slot)].length < 0;
  return key_has_root_ && portion.earlier[program_.root()]->is_new(row);
}

// The key of the entity that the row is about; false when a part of it is blank.
bool TemporalLoad::find_key(const Portion& portion, std::size_t row, Entity& entity) {
  scratch_.clear();
  key_scratch_.clear();
  for (const TargetField& field : entry_.fields) {
    const db::WireField value = field.key ? value_of(field, portion, row) : db::WireField{};
    if (field.key && value.length < 0) return false;
    append_whole(scratch_, value);
  }
  entity.key_tuple = arena_.keep(scratch_);
  entity.key = arena_.keep(sort_key_of(entity.key_tuple));
  return !entity.key.empty();
}

// The entity that the row is about, found among those of its root or added; none when the row has no key for it.
std::uint32_t TemporalLoad::entity_of(const Portion& portion, std::size_t row) {
  const auto none = static_cast<std::uint32_t>(-1);
  const std::string_view root = portion.slice.rows[row].root();
  const bool follows = !entities_.empty() && entities_.back().root == root;
  if (follows && key_is_root_) return static_cast<std::uint32_t>(entities_.size()) - 1;
  Entity entity;
  entity.root = root;
  entity.sought = !is_known_new(portion, row);
  if ((entity.sought || !key_is_root_) && !find_key(portion, row, entity)) return none;
  for (std::size_t i = entities_.size(); follows && i > 0 && entities_[i - 1].root == root; --i)
    if (entities_[i - 1].key == entity.key) return static_cast<std::uint32_t>(i) - 1;
  if (period_.id_field >= 0) {
    const db::WireField id = value_of(entry_.fields[static_cast<std::size_t>(period_.id_field)], portion, row);
    scratch_.clear();
    append_whole(scratch_, id);
    if (id.length >= 0) entity.id = arena_.keep(scratch_);
  }
  entities_.push_back(entity);
  return static_cast<std::uint32_t>(entities_.size()) - 1;
}

void TemporalLoad::add_row(const Portion& portion, std::size_t row) {
  split(portion.slice.rows[row].tuple, fields_);
  if (!concerns(portion, row, fields_)) return;
  const std::uint32_t entity = entity_of(portion, row);
  if (entity >= entities_.size()) return;
  Member& member = members_.emplace_back();
  member.row = static_cast<std::uint32_t>(row);
  member.entity = entity;
}

void TemporalLoad::group(const Portion& portion) {
  for (std::size_t i = portion.begin; i < portion.end; ++i)
    if (portion.slice.rows[i].outcome == model::Outcome::unprocessed) add_row(portion, i);
  const auto place = [&](const Member& member) {
    return std::pair(member.entity, portion.slice.rows[member.row].place.row_id);
  };
  if (!std::ranges::is_sorted(members_, {}, place)) std::ranges::sort(members_, {}, place);
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    Entity& entity = entities_[members_[i].entity];
    if (entity.members++ == 0) entity.member = i;
    carrier_[members_[i].row - begin_] = i + 1;
  }
}

std::string_view TemporalLoad::sort_key_of(std::string_view tuple) {
  split(tuple, pool_);
  key_scratch_.clear();
  for (const KeyPart& part : entry_.key) {
    const auto at = static_cast<std::size_t>(part.field);
    Cell cell;
    if (pool_[at].length < 0 ||
        !analysis::decode_value(pool_[at], entry_.fields[at].column.wire, part.type, arena_, cell))
      return {};
    analysis::append_sort_key(key_scratch_, cell, part.type, part.folds_case, part.pad);
  }
  return key_scratch_;
}

// The entity with the key, or entities_.size(). Stored slices mostly come in key order, so neighbours are tried first.
std::size_t TemporalLoad::find(std::string_view key) {
  for (std::size_t at = cursor_; at < std::min(cursor_ + 2, order_.size()); ++at)
    if (entities_[order_[at]].key == key) return order_[cursor_ = at];
  const auto found = std::ranges::lower_bound(order_, key, {}, [&](std::uint32_t at) { return entities_[at].key; });
  if (found == order_.end() || entities_[*found].key != key) return entities_.size();
  cursor_ = static_cast<std::size_t>(found - order_.begin());
  return *found;
}

Result<void> TemporalLoad::keep_stored(std::string_view tuple) {
  const std::size_t entity = find(sort_key_of(tuple));
  if (entity == entities_.size()) return {};
  const auto from = days_.from(pool_[static_cast<std::size_t>(period_.from_field)]);
  const auto until = days_.until(pool_[static_cast<std::size_t>(period_.until_field)]);
  stored_.push_back({static_cast<std::uint32_t>(entity), from.value_or(0), until.value_or(0), arena_.keep(tuple)});
  return {};
}

Result<void> TemporalLoad::read() {
  for (std::uint32_t i = 0; i < entities_.size(); ++i)
    if (entities_[i].sought) order_.push_back(i);
  if (order_.empty()) return {};
  const auto key = [&](std::uint32_t at) { return entities_[at].key; };
  if (!std::ranges::is_sorted(order_, {}, key)) std::ranges::sort(order_, {}, key);
  const bool ordered = program_.definition.partition != definition::Partition::hash &&
                       std::all_of(entry_.key.begin(), entry_.key.end(), [](const auto& part) { return part.ordered; });
  bool done = false;
  if (ordered) {
    LADE_ASSIGN(done,
                timelines_.read_range(entities_[order_.front()].key_tuple, entities_[order_.back()].key_tuple,
                                      order_.size(), [this](std::string_view tuple) { return keep_stored(tuple); }));
  }
  if (!done) LADE_TRY(read_by_keys());
  const auto place = [](const StoredSlice& slice) { return std::pair(slice.entity, slice.from); };
  if (!std::ranges::is_sorted(stored_, {}, place)) std::ranges::sort(stored_, {}, place);
  for (std::uint32_t i = 0; i < stored_.size(); ++i) {
    Entity& entity = entities_[stored_[i].entity];
    if (entity.slices++ == 0) entity.stored = i;
  }
  return {};
}

Result<void> TemporalLoad::read_by_keys() {
  std::vector<std::string_view> tuples;
  for (const std::uint32_t at : order_) tuples.push_back(entities_[at].key_tuple);
  EntityKeys keys(std::move(tuples), entry_.key);
  std::vector<std::string> found;  // answers come while the temporary table is read; they are matched afterwards
  LADE_TRY(timelines_.read_keys(keys, [&](std::string_view tuple) -> Result<void> {
    found.emplace_back(tuple);
    return {};
  }));
  for (const std::string& tuple : found) LADE_TRY(keep_stored(tuple));
  return {};
}

Result<void> TemporalLoad::decide(const Portion& portion, std::vector<Refusal>& refusals) {
  clear(portion);
  group(portion);
  LADE_TRY(read());
  LADE_TRY(draw_ids());
  for (std::uint32_t i = 0; i < entities_.size(); ++i) decide_entity(portion, i, refusals);
  return portion.later ? give_way(portion.later) : Result<void>();
}

std::optional<RowAction> TemporalLoad::action_of(std::size_t row) const {
  const std::uint32_t at = carrier_[row - begin_];
  if (at == 0) return std::nullopt;
  return RowAction{members_[at - 1].action, true};
}

std::optional<db::WireField> TemporalLoad::field_of(std::size_t row, std::size_t field) const {
  const std::uint32_t at = carrier_[row - begin_];
  if (at == 0 || members_[at - 1].action == Action::skip_no_target) return std::nullopt;
  const Entity& entity = entities_[members_[at - 1].entity];
  std::string_view tuple = members_[at - 1].tuple;
  if (static_cast<int>(field) == period_.id_field) {
    tuple = entity.id;
    field = 0;
  } else if (entity.slices > 0) {
    tuple = stored_[entity.stored].tuple;
  }
  if (tuple.empty()) return std::nullopt;
  db::WireField found;
  for (std::size_t i = 0; i <= field; ++i) found = db::take_field(tuple);
  return found;
}

bool TemporalLoad::is_new(std::size_t row) const {
  const std::uint32_t at = carrier_[row - begin_];
  return at != 0 && entities_[members_[at - 1].entity].slices == 0;
}

}  // namespace lade::load
