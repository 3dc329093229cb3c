#include <fmt/format.h>

#include <algorithm>

#include "analysis/binder.h"

namespace lade::analysis {
namespace {

const definition::Type kDate{definition::TypeKind::date};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// SQLite keeps dates as text, whatever the column is declared as.
bool is_date(const db::Column& column) {
  return column.wire == db::WireType::date || column.wire == db::WireType::sqlite_text ||
         column.wire == db::WireType::sqlite_numeric || column.wire == db::WireType::sqlite_any;
}

}  // namespace

// One end of the period: the field of the target, and the slot of the data column that says it.
int Binder::bind_day(const definition::LoadEntry& entry, const std::string& target, const std::string& data, int& slot,
                     EntryProgram& program) {
  const db::Column* column = program.table.find(target);
  if (column == nullptr) {
    fault("column_not_found", fmt::format("table '{}' has no column '{}' for the period", entry.table, target));
    return -1;
  }
  if (!is_date(*column) || column->generated) {
    fault("type_mismatch", fmt::format("'{}.{}' is {}{}; a period needs a date that can be written", entry.table,
                                       target, column->type, column->generated ? ", generated" : ""));
    return -1;
  }
  const int index = column_index(data);
  if (index < 0 || program_->columns[static_cast<std::size_t>(index)].type.kind != definition::TypeKind::date) {
    fault("type_mismatch", fmt::format("the period of table '{}' needs data columns of type date; '{}' is {}",
                                       entry.table, data, index < 0 ? "none" : "of another type"));
    return -1;
  }
  const ColumnProgram& days = program_->columns[static_cast<std::size_t>(index)];
  if (days.absent && !days.column.required) fault_missing(days.column);
  slot = add_slot({index, *wire_form(kDate, *column), false, false});
  TargetField field;
  field.column = *column;
  program.fields.push_back(std::move(field));
  return static_cast<int>(program.fields.size()) - 1;
}

// The field that is equal in all rows of an entity and drawn for a new one; -1: there is none.
int Binder::bind_entity_id(const definition::LoadEntry& entry, EntryProgram& program) {
  std::string name = entry.temporal->id;
  const auto is_unit_id = [&](const TargetField& field) {
    return field.slot >= 0 && contains(entry.key, field.column.name) &&
           program_->columns[static_cast<std::size_t>(program_->slots[static_cast<std::size_t>(field.slot)].column)]
                   .column.purpose == definition::DataColumn::Purpose::pk_id;
  };
  if (name.empty() && entry.key.size() == 1) {
    const auto found = std::find_if(program.fields.begin(), program.fields.end(), is_unit_id);
    if (found != program.fields.end()) name = found->column.name;
  }
  if (name.empty()) return -1;
  const db::Column* column = program.table.find(name);
  if (column == nullptr) {
    fault("column_not_found", fmt::format("table '{}' has no column '{}' to name its entities", entry.table, name));
    return -1;
  }
  auto field = std::find_if(program.fields.begin(), program.fields.end(),
                            [&](const TargetField& known) { return known.column.name == name; });
  if (field == program.fields.end()) {
    TargetField drawn;
    drawn.column = *column;
    field = program.fields.insert(program.fields.end(), std::move(drawn));
  }
  const bool is_integer = natural_type(*column).kind == definition::TypeKind::integer;
  if (!is_integer || (connection_.backend() == db::Backend::postgresql && column->sequence.empty()))
    fault("reference_not_drawn",
          fmt::format("'{}.{}' names the entities of a new timeline and has no sequence to draw from; give it one",
                      entry.table, name));
  field->drawn = true;
  return static_cast<int>(field - program.fields.begin());
}

// What each column means for the timeline, and those that only go along.
void Binder::bind_roles(const definition::LoadEntry& entry, EntryProgram& program) {
  for (const auto* names : {&entry.temporal->ephemeral, &entry.temporal->audit})
    for (const std::string& name : *names)
      if (program.table.find(name) == nullptr)
        fault("column_not_found",
              fmt::format("table '{}' has no column '{}' (line {} of the definition)", entry.table, name, entry.line));
  for (const db::Column& column : program.table.columns) {
    const auto same = [&](const TargetField& field) { return field.column.name == column.name; };
    if (column.generated || std::any_of(program.fields.begin(), program.fields.end(), same)) continue;
    TargetField field;
    field.column = column;
    field.carried = true;
    // What the database fills in by itself says nothing about the entity.
    field.ephemeral = column.has_default;
    program.fields.push_back(std::move(field));
  }
  for (TargetField& field : program.fields) {
    field.ephemeral = field.ephemeral || contains(entry.temporal->ephemeral, field.column.name);
    field.audit = contains(entry.temporal->audit, field.column.name);
  }
}

void Binder::bind_period(const definition::LoadEntry& entry, EntryProgram& program) {
  PeriodProgram period;
  period.id_field = bind_entity_id(entry, program);
  period.from_field = bind_day(entry, entry.temporal->from, entry.temporal->valid_from, period.from_slot, program);
  period.until_field = bind_day(entry, entry.temporal->until, entry.temporal->valid_to, period.to_slot, program);
  bind_roles(entry, program);
  program.period = period;
}

// A slot of the column, in whatever form: only its blanks matter.
int Binder::any_slot_of(int column) {
  const auto& slots = program_->slots;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].column == column) return static_cast<int>(i);
  Slot slot;
  slot.column = column;
  slot.form.wire = connection_.backend() == db::Backend::postgresql ? db::WireType::text : db::WireType::sqlite_text;
  return add_slot(slot);
}

void Binder::bind_conditions(const definition::LoadEntry& entry, EntryProgram& program) {
  for (const std::string& name : entry.with) program.with.push_back(any_slot_of(column_index(name)));
  for (std::size_t i = 0; entry.identifies && i < program.fields.size(); ++i)
    if (program.fields[i].ref_entry >= 0) program.identifies = static_cast<int>(i);
  if (!entry.for_new.empty()) program.for_new = any_slot_of(column_index(entry.for_new));
  if (entry.deletes.empty()) return;
  Slot slot;
  slot.column = column_index(entry.deletes);
  slot.form.wire =
      connection_.backend() == db::Backend::postgresql ? db::WireType::boolean : db::WireType::sqlite_integer;
  program.deletes = add_slot(slot);
}

}  // namespace lade::analysis
