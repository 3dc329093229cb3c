#include "load/table_load.h"

#include <fmt/format.h>

#include <algorithm>

namespace lade::load {

bool TableLoad::skips(std::size_t row) const {
  const auto found = action_of(row);
  return found && (found->action == Action::skip_exists || found->action == Action::skip_no_target ||
                   found->action == Action::skip_superseded);
}

bool TableLoad::concerns(const Portion& portion, std::size_t row, std::span<const db::WireField> fields) const {
  const std::size_t root = program_.root();
  if (entry_.for_new >= 0) {
    const bool is_new = fields[static_cast<std::size_t>(entry_.for_new)].length < 0;
    return is_new && !only_existing(program_.entries[root].strategy);
  }
  if (index_ > root && program_.entries[root].period && portion.earlier[root]->skips(row)) return false;
  return entry_.with.empty() || std::any_of(entry_.with.begin(), entry_.with.end(), [&](int slot) {
           return fields[static_cast<std::size_t>(slot)].length >= 0;
         });
}

std::vector<std::size_t> TableLoad::drawn_fields(std::span<TableLoad* const> tables, std::size_t row) const {
  std::vector<std::size_t> fields;
  for (std::size_t at = 0; at < entry_.fields.size(); ++at) {
    const analysis::TargetField& field = entry_.fields[at];
    const bool refers = field.ref_entry >= 0;
    const TableLoad& origin = refers ? *tables[static_cast<std::size_t>(field.ref_entry)] : *this;
    if (origin.is_drawn(row, refers ? static_cast<std::size_t>(field.ref_field) : at)) fields.push_back(at);
  }
  return fields;
}

model::Issue null_refusal(const analysis::EntryProgram& entry, const db::Column& column) {
  model::Issue issue;
  issue.code = "not_null";
  issue.column = column.name;
  issue.message = fmt::format("a new row of {} needs a value in '{}'", entry.table.name, column.name);
  issue.hint = "fill in the cell";
  return issue;
}

}  // namespace lade::load
