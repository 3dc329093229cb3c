#include <fmt/format.h>

#include "analysis/binder.h"
#include "analysis/convert.h"

namespace lade::analysis {
namespace {

// The keys of a file may be longer than any in the reference table, and must not be refused for it.
std::string unlimited_type(const db::Column& column) {
  if (is_padded(column)) return "bpchar";
  if (column.wire == db::WireType::text && column.type.starts_with("character varying(")) return "character varying";
  return column.wire == db::WireType::numeric && column.precision > 0 ? "numeric" : "";
}

}  // namespace

std::optional<LookupPart> Binder::lookup_part(const db::Table& table, const std::string& target,
                                              const definition::Type& type) {
  const db::Column* column = table.find(target);
  if (column == nullptr) {
    fault("column_not_found", fmt::format("lookup table '{}' has no column '{}'", table.name, target));
    return std::nullopt;
  }
  const auto form = wire_form(type, *column);
  if (!form) {
    fault("type_mismatch", fmt::format("a value of type {} cannot be looked up in {}.{}, which is {}",
                                       definition::to_string(type), table.name, target, column->type));
    return std::nullopt;
  }
  LookupPart part;
  part.type = type;
  part.form = *form;
  part.target = target;
  part.probe_type = unlimited_type(*column);
  part.folds_case = column->folds_case;
  return part;
}

Result<void> Binder::bind_lookup(std::size_t index) {
  ColumnProgram& column = program_->columns[index];
  const definition::Lookup& lookup = *column.column.lookup;
  LADE_ASSIGN(const db::Table* table, this->table(lookup.table, column.column.line));
  if (table == nullptr) return {};
  LookupProgram program;
  program.column = static_cast<int>(index);
  program.table = *table;
  program.missing = lookup.missing;
  program.many = lookup.many;
  program.take = lookup.take;
  for (const auto& [data, target] : lookup.match) {
    const int matched = column_index(data);
    auto part = lookup_part(*table, target, program_->columns[static_cast<std::size_t>(matched)].type);
    if (!part) return {};
    part->column = matched;
    program.described += (program.described.empty() ? "" : ", ") + data;
    program.parts.push_back(std::move(*part));
  }
  for (const auto& [target, value] : lookup.where) {
    const db::Column* found = table->find(target);
    auto part = lookup_part(*table, target, found == nullptr ? definition::Type{} : natural_type(*found));
    if (!part) return {};
    part->constant_text = std::make_shared<const std::string>(context_value(value));
    ColumnProgram plain;
    plain.type = part->type;
    plain.numbers = *NumberFormat::for_locale("");
    plain.booleans = *BooleanFormat::parse("");
    plain.dates = *DateFormat::parse("");
    if (cast_text(plain, *part->constant_text, part->constant)) {
      fault("definition_bad_value",
            fmt::format("lookup of '{}': '{}' is not a value for {}.{}, which is {}", column.column.name,
                        *part->constant_text, table->name, target, found->type));
      return {};
    }
    program.parts.push_back(std::move(*part));
  }
  const db::Column* take = table->find(lookup.take);
  if (take == nullptr) {
    fault("column_not_found", fmt::format("lookup table '{}' has no column '{}'", table->name, lookup.take));
    return {};
  }
  program.take_wire = take->wire;
  if (!column.column.type_given) column.type = natural_type(*take);
  column.lookup = static_cast<int>(program_->lookups.size());
  program_->lookups.push_back(std::move(program));
  return {};
}

void Binder::bind_checks() {
  for (const definition::Check& check : program_->definition.checks) {
    CheckProgram program{&check, {}};
    for (const std::string& name : definition::columns_of(check.expr))
      program.columns.emplace_back(name, column_index(name));
    program_->checks.push_back(std::move(program));
  }
}

}  // namespace lade::analysis
