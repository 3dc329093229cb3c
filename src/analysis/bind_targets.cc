#include <fmt/format.h>

#include <algorithm>

#include "analysis/binder.h"
#include "analysis/convert.h"
#include "base/nearest.h"

namespace lade::analysis {
namespace {

using definition::Strategy;

bool updates(Strategy strategy) {
  return strategy == Strategy::insert_or_update || strategy == Strategy::update_only;
}

// Whether the database sorts the column as its sort key does, so that a range of keys is a range of the index.
bool sorts_like_key(const definition::Type& type, const db::Column& column) {
  using db::WireType;
  switch (column.wire) {
    case WireType::text:
    case WireType::sqlite_text:
      // Texts, dates and uuids sort as they are spelled; numbers and times do not (9 and 10, 12:00:00Z and
      // 12:00:00.5Z).
      return column.order_is_bytes &&
             (type.kind == definition::TypeKind::text || type.kind == definition::TypeKind::date ||
              type.kind == definition::TypeKind::uuid);
    case WireType::int2:
    case WireType::int4:
    case WireType::int8:
    case WireType::numeric:
    case WireType::date:
    case WireType::timestamp:
    case WireType::timestamptz:
    case WireType::uuid:
    case WireType::boolean: return true;
    case WireType::sqlite_integer: return type.kind == definition::TypeKind::integer;
    default: return false;
  }
}

std::string names_of(const db::Table& table) {
  std::string text;
  for (const db::Column& column : table.columns) text += (text.empty() ? "" : ", ") + column.name;
  return text;
}

}  // namespace

int Binder::add_slot(const Slot& slot) {
  auto& slots = program_->slots;
  const auto found = std::find(slots.begin(), slots.end(), slot);
  if (found != slots.end()) return static_cast<int>(found - slots.begin());
  slots.push_back(slot);
  return static_cast<int>(slots.size()) - 1;
}

void Binder::limit_length(ColumnProgram& column, const db::Column& target) {
  if (target.length <= 0 || column.type.kind != definition::TypeKind::text) return;
  if (column.max_length == 0 || column.max_length > target.length) column.max_length = target.length;
}

void Binder::bind_reference(const definition::TargetColumn& column, EntryProgram& program) {
  TargetField field;
  field.column = *program.table.find(column.target);
  for (std::size_t i = 0; i < program_->entries.size(); ++i) {
    EntryProgram& earlier = program_->entries[i];
    if (program_->definition.load[i].table != column.ref_table) continue;
    const db::Column* referenced = earlier.table.find(column.ref_column);
    if (referenced == nullptr) {
      fault("column_not_found",
            fmt::format("table '{}' has no column '{}' to refer to", column.ref_table, column.ref_column));
      return;
    }
    if (referenced->wire != field.column.wire) {
      fault("type_mismatch",
            fmt::format("{}.{} is {} and cannot hold {}.{}, which is {}", program.table.name, column.target,
                        field.column.type, column.ref_table, column.ref_column, referenced->type));
      return;
    }
    const auto same = [&](const TargetField& f) { return f.column.name == column.ref_column; };
    auto found = std::find_if(earlier.fields.begin(), earlier.fields.end(), same);
    if (found != earlier.fields.end() && found->carried) {
      fault("reference_not_drawn",
            fmt::format("nothing writes '{}.{}'; map it, or name it as the id of that table's timelines",
                        column.ref_table, column.ref_column));
      return;
    }
    if (found == earlier.fields.end()) {
      if (referenced->sequence.empty())
        fault("reference_not_drawn",
              fmt::format("'{}.{}' is not written and has no sequence to draw from; map it or refer to another column",
                          column.ref_table, column.ref_column));
      TargetField drawn;
      drawn.column = *referenced;
      drawn.drawn = true;
      found = earlier.fields.insert(earlier.fields.end(), std::move(drawn));
      earlier.tuple_is_row = false;
    }
    field.ref_entry = static_cast<int>(i);
    field.ref_field = static_cast<int>(found - earlier.fields.begin());
    program.fields.push_back(std::move(field));
    return;
  }
}

// A value that is the same in every row, written plainly.
void Binder::bind_constant(const definition::TargetColumn& column, EntryProgram& program) {
  TargetField field;
  field.column = *program.table.find(column.target);
  const std::string text = context_value(*column.value);
  ColumnProgram plain;
  plain.type = natural_type(field.column);
  plain.numbers = *NumberFormat::for_locale("");
  plain.booleans = *BooleanFormat::parse("");
  plain.dates = *DateFormat::parse("");
  const auto form = wire_form(plain.type, field.column);
  Cell cell;
  std::string constant;
  if (!form || cast_text(plain, text, cell) || !append_value(constant, cell, plain.type, *form)) {
    fault("definition_bad_value", fmt::format("'{}' is not a value of {}.{}, which is {}", text, program.table.name,
                                              column.target, field.column.type));
    return;
  }
  field.constant = std::move(constant);
  program.fields.push_back(std::move(field));
}

void Binder::bind_fields(const definition::LoadEntry& entry, EntryProgram& program) {
  std::vector<definition::TargetColumn> wanted = entry.columns;
  const auto is_period = [&](const std::string& target) {
    return entry.temporal && (target == entry.temporal->from || target == entry.temporal->until);
  };
  if (!entry.columns_given)
    for (const ColumnProgram& column : program_->columns)
      if (program.table.find(column.column.name) != nullptr)
        wanted.push_back({column.column.name, column.column.name, {}, {}});
  for (const definition::TargetColumn& column : wanted) {
    if (is_period(column.target)) continue;
    const db::Column* target = program.table.find(column.target);
    if (target == nullptr) {
      fault("column_not_found", fmt::format("table '{}' has no column '{}'; it has: {}", entry.table, column.target,
                                            names_of(program.table)));
      continue;
    }
    if (target->generated) {
      fault("column_generated",
            fmt::format("'{}.{}' is generated by the database and cannot be written", entry.table, column.target));
      continue;
    }
    if (!column.ref_table.empty() || column.value) {
      column.value ? bind_constant(column, program) : bind_reference(column, program);
      continue;
    }
    const int index = column_index(column.data_column);
    ColumnProgram& data = program_->columns[static_cast<std::size_t>(index)];
    const auto form = wire_form(data.type, *target);
    if (!form) {
      fault("type_mismatch",
            fmt::format("column '{}' of type {} does not fit {}.{}, which is {}; declare a type that does",
                        data.column.name, definition::to_string(data.type), entry.table, column.target, target->type));
      continue;
    }
    limit_length(data, *target);
    const bool is_key = std::find(entry.key.begin(), entry.key.end(), column.target) != entry.key.end();
    TargetField field;
    field.column = *target;
    field.key = is_key;
    field.slot = add_slot({index, *form, updates(entry.strategy) && !is_key, !is_key});
    program.fields.push_back(std::move(field));
  }
}

void Binder::bind_key(const definition::LoadEntry& entry, EntryProgram& program) {
  for (const std::string& name : entry.key) {
    const auto found = std::find_if(program.fields.begin(), program.fields.end(),
                                    [&](const TargetField& f) { return f.column.name == name; });
    if (found == program.fields.end()) {
      if (program.table.find(name) == nullptr) {
        fault("column_not_found", fmt::format("key column '{}' is not in table '{}'; it has: {}", name, entry.table,
                                              names_of(program.table)));
      } else {
        fault("key_not_mapped",
              fmt::format("key column '{}' of table '{}' gets no value; map a data column to it", name, entry.table));
      }
      return;
    }
    found->key = true;
    KeyPart part;
    part.field = static_cast<int>(found - program.fields.begin());
    part.column = found->slot < 0 ? -1 : program_->slots[static_cast<std::size_t>(found->slot)].column;
    part.type =
        part.column < 0 ? natural_type(found->column) : program_->columns[static_cast<std::size_t>(part.column)].type;
    part.folds_case = found->column.folds_case;
    part.pad = is_padded(found->column);
    part.ordered = sorts_like_key(part.type, found->column);
    program.key.push_back(part);
    // A required column that is missing was named already.
    if (part.column >= 0 && program_->columns[static_cast<std::size_t>(part.column)].absent &&
        !program_->columns[static_cast<std::size_t>(part.column)].column.required)
      fault_missing(program_->columns[static_cast<std::size_t>(part.column)].column);
    if (!found->column.deterministic && program_->definition.partition != definition::Partition::single)
      fault("collation_nondeterministic",
            fmt::format("'{}.{}' compares by a nondeterministic collation; declare partition: single", entry.table,
                        name));
  }
  if (program.by_key()) check_unique(entry, program);
}

void Binder::check_unique(const definition::LoadEntry& entry, const EntryProgram& program) {
  std::vector<std::vector<std::string>> accepted{entry.key};
  if (entry.set && entry.set->version) accepted.front().push_back(entry.set->version->column);
  if (entry.temporal) {
    accepted.front().push_back(entry.temporal->from);
    if (!entry.temporal->id.empty()) accepted.push_back({entry.temporal->id, entry.temporal->from});
  }
  std::string described;
  for (std::vector<std::string>& wanted : accepted) {
    described += fmt::format("{}({})", described.empty() ? "" : " or ", fmt::join(wanted, ", "));
    std::sort(wanted.begin(), wanted.end());
    for (db::UniqueIndex index : program.table.unique_indexes) {
      std::sort(index.columns.begin(), index.columns.end());
      if (index.columns == wanted) return;
    }
  }
  fault("key_not_unique",
        fmt::format(
            "table '{}' has no primary key or unique index on exactly {}; create one, or name the key that has one",
            entry.table, described));
}

Result<void> Binder::bind_entry(const definition::LoadEntry& entry) {
  LADE_ASSIGN(const db::Table* table, this->table(entry.table, entry.line));
  EntryProgram program;
  // What each new entity gets one of is not looked for.
  program.strategy = entry.for_new.empty() || !entry.key.empty() ? entry.strategy : Strategy::append;
  if (table != nullptr) {
    program.table = *table;
    bind_fields(entry, program);
    bind_conditions(entry, program);
    if (entry.set) LADE_TRY(bind_set(entry, program));
    if (entry.temporal) bind_period(entry, program);
    bind_key(entry, program);
    if (program.fields.empty() && entry.for_new.empty() && faults_.empty())
      fault("nothing_to_write", fmt::format("no data column has a column of its name in table '{}'; it has: {}",
                                            entry.table, names_of(*table)));
  }
  program_->entries.push_back(std::move(program));
  return {};
}

// A handler gets what the file has, as text; every row is its own.
Result<void> Binder::bind_handler(const definition::LoadEntry& entry) {
  std::vector<definition::TargetColumn> wanted = entry.columns;
  if (!entry.columns_given)
    for (const ColumnProgram& column : program_->columns)
      if (!column.absent) wanted.push_back({column.column.name, column.column.name, {}, {}});
  if (program_->step_names_entities || program_->has_claims || program_->definition.load.size() > 1)
    fault("handler_needs_plain_rows",
          "steps that identify units or load tables do not go with a handler as the target");
  EntryProgram program;
  program.strategy = Strategy::append;
  for (const definition::TargetColumn& column : wanted) {
    const int index = column_index(column.data_column);
    if (index < 0) continue;  // a fault that was told already
    const definition::Type& type = program_->columns[static_cast<std::size_t>(index)].type;
    TargetField field;
    field.column.name = column.target;
    field.column.wire = type.kind == definition::TypeKind::boolean ? db::WireType::boolean : db::WireType::text;
    field.slot = add_slot({index, *wire_form(type, field.column), false, false});
    program.fields.push_back(std::move(field));
  }
  program_->entries.push_back(std::move(program));
  return {};
}

void Binder::add_identity(const KeyPart& part) {
  const auto same = [&](const KeyPart& known) { return known.column == part.column; };
  if (part.column < 0 || std::any_of(program_->identity.begin(), program_->identity.end(), same)) return;
  program_->identity.push_back(part);
}

// The root's key, the periods, and what keys of further entries add; those of entries that not every row has are left
// out. A step's names of entities stand for all keys.
void Binder::bind_identity() {
  auto& entries = program_->entries;
  const std::size_t root = program_->root();
  const auto& period = entries[root].period;
  if (const auto& key = entries[root].key; key.size() == 1 && key.front().column >= 0) {
    const ColumnProgram& column = program_->columns[static_cast<std::size_t>(key.front().column)];
    if (column.column.purpose == definition::DataColumn::Purpose::pk_id &&
        (!period || period->id_field == key.front().field))
      program_->entity_slot = entries[root].fields[static_cast<std::size_t>(key.front().field)].slot;
  }
  const bool named = program_->step_names_entities || program_->entity_slot >= 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].for_new >= 0) continue;
    if (!named && (i == root || entries[i].with.empty()))
      for (const KeyPart& part : entries[i].key) add_identity(part);
    if (i == root) program_->root_parts = program_->identity.size();
    if (entries[i].period) {
      const definition::Type date{definition::TypeKind::date};
      const auto column = [&](int slot) { return program_->slots[static_cast<std::size_t>(slot)].column; };
      add_identity({column(entries[i].period->from_slot), entries[i].period->from_field, date});
      add_identity({column(entries[i].period->to_slot), entries[i].period->until_field, date});
    }
  }
  program_->row_is_key = !named && entries[root].key.empty();
  if (program_->row_is_key) program_->identity.clear(), program_->root_parts = 0;
  // A single table that takes every field of the tuple in order needs no rearranging.
  if (entries.size() == 1) {
    auto& fields = entries.front().fields;
    entries.front().tuple_is_row = fields.size() == program_->slots.size();
    for (std::size_t i = 0; i < fields.size(); ++i)
      entries.front().tuple_is_row &= fields[i].slot == static_cast<int>(i);
  }
}

}  // namespace lade::analysis
