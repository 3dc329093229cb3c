#include <algorithm>

#include "analysis/binder.h"

// How rows of tables that are only appended to are found again, should they be undone.
namespace lade::analysis {
namespace {

// The field that fills the column; -1: none does.
int field_of(const EntryProgram& program, const std::string& column) {
  for (std::size_t i = 0; i < program.fields.size(); ++i)
    if (program.fields[i].column.name == column) return static_cast<int>(i);
  return -1;
}

}  // namespace

// Takes the index if each of its columns is written. `draw`: or can be, by drawing it from its sequence beforehand.
bool Binder::find_by(EntryProgram& program, const db::UniqueIndex& index, bool draw) {
  std::vector<KeyPart> parts;
  std::vector<TargetField> drawn;
  for (const std::string& name : index.columns) {
    const db::Column* column = program.table.find(name);
    int field = field_of(program, name);
    const bool has_sequence = column != nullptr && !column->sequence.empty();
    if (column == nullptr || (!column->not_null && !has_sequence) || !column->deterministic) return false;
    if (field < 0) {
      if (!draw || !has_sequence) return false;
      field = static_cast<int>(program.fields.size() + drawn.size());
      drawn.push_back({.column = *column, .drawn = true});
    }
    KeyPart part;
    part.column = -1;
    part.field = field;
    part.type = natural_type(*column);
    parts.push_back(part);
  }
  program.found_by = std::move(parts);
  std::ranges::move(drawn, std::back_inserter(program.fields));
  return true;
}

// What is written anyway comes first: drawing ids takes time.
void Binder::bind_found_by() {
  for (EntryProgram& program : program_->entries) {
    if (program.by_key()) continue;
    const auto find = [&](bool draw) {
      return std::ranges::any_of(program.table.unique_indexes, [&](const db::UniqueIndex& index) {
        return (!draw || index.primary) && find_by(program, index, draw);
      });
    };
    if (!find(false)) find(true);
  }
}

}  // namespace lade::analysis
