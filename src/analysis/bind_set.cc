#include <fmt/format.h>

#include "analysis/binder.h"

namespace lade::analysis {
namespace {

// Set ids are counted, whatever the width of their column.
bool is_integer(const db::Column& column) {
  return column.wire == db::WireType::int2 || column.wire == db::WireType::int4 || column.wire == db::WireType::int8 ||
         column.wire == db::WireType::sqlite_integer;
}

}  // namespace

// The scope's columns are the same in every row of the set.
Result<void> Binder::bind_set(const definition::LoadEntry& entry, EntryProgram& program) {
  program.set.emplace();
  for (const definition::ScopeColumn& column : entry.set->scope) {
    if (program.table.find(column.target) == nullptr) {
      fault("column_not_found", fmt::format("table '{}' has no column '{}' for its scope", entry.table, column.target));
      continue;
    }
    const std::size_t before = program.fields.size();
    bind_constant(
        {.target = column.target, .data_column = {}, .ref_table = {}, .ref_column = {}, .value = column.value},
        program);
    if (program.fields.size() > before) program.set->scope.push_back(static_cast<int>(before));
  }
  return entry.set->version ? bind_version(entry, program) : Result<void>();
}

// The version of its rows is known only when they are written.
Result<void> Binder::bind_version(const definition::LoadEntry& entry, EntryProgram& program) {
  const definition::SetVersion& version = *entry.set->version;
  const auto require = [&](const db::Table& table, const std::string& name) -> const db::Column* {
    const db::Column* column = table.find(name);
    if (column == nullptr)
      fault("column_not_found",
            fmt::format("table '{}' has no column '{}', which versions of a set need", table.name, name));
    return column;
  };
  const db::Column* column = require(program.table, version.column);
  LADE_ASSIGN(const db::Table* table, this->table(version.table, entry.line));
  if (table == nullptr) return {};
  const db::Column* id = require(*table, version.id);
  require(*table, version.flag);
  for (const definition::ScopeColumn& scope : entry.set->scope) require(*table, scope.target);
  for (const db::Column* number : {column, id})
    if (number != nullptr && !is_integer(*number))
      fault("type_mismatch", fmt::format("versions are numbers, but column '{}' is {}", number->name, number->type));
  if (column == nullptr) return {};
  TargetField field;
  field.column = *column;
  program.set->version = static_cast<int>(program.fields.size());
  program.fields.push_back(std::move(field));
  return {};
}

}  // namespace lade::analysis
