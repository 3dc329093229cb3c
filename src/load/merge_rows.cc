#include "load/merge_rows.h"

#include <fmt/format.h>

#include "analysis/convert.h"

namespace lade::load {

using analysis::Cell;
using definition::Aggregate;
using definition::TypeKind;

RowMerger::RowMerger(const analysis::Program& program) : program_(program), fields_(program.slots.size()) {
  for (const analysis::Slot& slot : program.slots) {
    const auto& name = program.columns[static_cast<std::size_t>(slot.column)].column.name;
    const auto found = program.definition.aggregate.find(name);
    aggregates_.push_back(found == program.definition.aggregate.end() ? Aggregate::last : found->second);
  }
}

void RowMerger::combine(std::size_t index, db::WireField field, std::string_view whole) {
  const analysis::Slot& slot = program_.slots[index];
  const definition::Type& type = program_.columns[static_cast<std::size_t>(slot.column)].type;
  Field& merged = fields_[index];
  Cell cell;
  const auto is_text = type.kind == TypeKind::text;
  const auto less = [&](const Cell& a, const Cell& b) { return is_text ? a.text < b.text : a.number < b.number; };
  switch (aggregates_[index]) {
    case Aggregate::last: merged.bytes = whole; break;
    case Aggregate::first:
      if (merged.count == 0) merged.bytes = whole;
      break;
    case Aggregate::sum:
      if (!analysis::decode_value(field, slot.form.wire, type, arena_, cell)) merged.overflow = true;
      merged.overflow |= __builtin_add_overflow(merged.total.number, cell.number, &merged.total.number);
      break;
    case Aggregate::min:
    case Aggregate::max: {
      analysis::decode_value(field, slot.form.wire, type, arena_, cell);
      const bool smaller = merged.count == 0 ||
                           (aggregates_[index] == Aggregate::min ? less(cell, merged.total) : less(merged.total, cell));
      if (smaller) merged.total = cell, merged.bytes = whole;
      break;
    }
    case Aggregate::count: break;
    case Aggregate::join:
      analysis::decode_value(field, slot.form.wire, type, arena_, cell);
      merged.joined += (merged.count > 0 ? ", " : "") + analysis::to_text(cell, type);
      break;
  }
  ++merged.count;
}

void RowMerger::add(std::string_view tuple) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const char* begin = tuple.data();
    const db::WireField field = db::take_field(tuple);
    const std::string_view whole(begin, static_cast<std::size_t>(tuple.data() - begin));
    if (field.length >= 0) {
      combine(i, field, whole);
    } else if (fields_[i].bytes.empty()) {
      fields_[i].bytes = whole;  // blank so far; a later value replaces it
    }
  }
}

std::optional<std::string> RowMerger::finish() {
  std::string tuple;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    Field& field = fields_[i];
    const analysis::Slot& slot = program_.slots[i];
    const analysis::ColumnProgram& column = program_.columns[static_cast<std::size_t>(slot.column)];
    bool fits = true;
    if (aggregates_[i] == Aggregate::sum && field.count > 0) {
      analysis::Int128 limit = 1;
      for (int digit = 0; digit < column.type.precision; ++digit) limit *= 10;
      const bool too_large = column.type.kind == TypeKind::decimal
                                 ? field.total.number >= limit || field.total.number <= -limit
                                 : field.total.number != static_cast<std::int64_t>(field.total.number);
      fits = !field.overflow && !too_large && analysis::append_value(tuple, field.total, column.type, slot.form);
    } else if (aggregates_[i] == Aggregate::count) {
      field.total.number = field.count;
      fits = analysis::append_value(tuple, field.total, column.type, slot.form);
    } else if (aggregates_[i] == Aggregate::join && field.count > 0) {
      field.total.text = field.joined;
      fits = column.max_length == 0 || analysis::characters(field.joined) <= column.max_length;
      if (fits) analysis::append_value(tuple, field.total, column.type, slot.form);
    } else {
      tuple += field.bytes;
    }
    if (!fits) {
      refusal_.code = "out_of_range";
      refusal_.column = column.column.name;
      refusal_.message = fmt::format("the merged value of '{}' does not fit {}", column.column.name,
                                     definition::to_string(column.type));
      refusal_.hint = "correct one of the rows with this key";
      return std::nullopt;
    }
  }
  return tuple;
}

}  // namespace lade::load
