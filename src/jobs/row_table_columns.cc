#include "jobs/row_table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace lade::jobs {
namespace {

using analysis::ColumnProgram;
using analysis::Program;
using Purpose = definition::DataColumn::Purpose;

constexpr std::string_view kKnownOfRow[] = {
    "operation", "action", "state", "error", "invalid_codes", "last_completed_priority", "merge_status"};

std::string lower(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Gives out names, each once.
class Names {
 public:
  std::string take(std::string_view wanted) {
    std::string name(wanted);
    for (int i = 2; !taken_.insert(lower(name)).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

int slot_of(const Program& program, int column) {
  const auto found = std::ranges::find(program.slots, column, &analysis::Slot::column);
  return found == program.slots.end() ? -1 : static_cast<int>(found - program.slots.begin());
}

// What the value of a source_input column is called: days of a validity period have names of their own.
std::string value_name(const Program& program, const std::string& column) {
  for (const definition::LoadEntry& entry : program.definition.load) {
    if (!entry.temporal) continue;
    if (entry.temporal->valid_from == column) return "derived_valid_from";
    if (entry.temporal->valid_to == column) return "derived_valid_to";
  }
  return "typed_" + column;
}

}  // namespace

UploadColumns::UploadColumns(const std::vector<std::string>& header) {
  Names taken;
  taken.take("row_id");
  for (std::size_t i = 0; i < header.size(); ++i)
    names.push_back(taken.take(header[i].empty() ? fmt::format("column_{}", i + 1) : header[i]));
}

std::string UploadColumns::declaration() const {
  std::string text = "row_id integer PRIMARY KEY";
  for (const std::string& name : names) text += fmt::format(", {} text", db::Connection::quote_name(name));
  return text;
}

DataColumns::DataColumns(const Program& program) {
  Names taken;
  taken.take("row_id");
  for (const std::string_view name : kKnownOfRow) taken.take(name);
  using Kind = DataField::Kind;
  std::vector<DataField> values;
  for (std::size_t i = 0; i < program.columns.size(); ++i) {
    const ColumnProgram& column = program.columns[i];
    // Declared by a step, and known of every row.
    if (column.column.purpose == Purpose::internal && std::ranges::count(kKnownOfRow, column.column.name) > 0) continue;
    const auto index = static_cast<int>(i);
    const int slot = slot_of(program, index);
    const bool from_file = column.column.purpose == Purpose::source_input && column.source >= 0;
    const Kind kind = from_file ? Kind::cell : column.fixed ? Kind::fixed : slot >= 0 ? Kind::value : Kind::none;
    fields.push_back({kind, taken.take(column.column.name), index, slot});
    if (from_file && slot >= 0 && column.type.kind != definition::TypeKind::text)
      values.push_back({Kind::value, value_name(program, column.column.name), index, slot});
  }
  for (DataField& value : values) {
    value.name = taken.take(value.name);
    fields.push_back(std::move(value));
  }
}

std::vector<std::string> DataColumns::names() const {
  std::vector<std::string> names = {"row_id"};
  for (const DataField& field : fields) names.push_back(field.name);
  for (const std::string_view name : kKnownOfRow) names.emplace_back(name);
  return names;
}

std::string DataColumns::declaration(db::Backend backend) const {
  std::string text = "row_id integer PRIMARY KEY";
  for (const DataField& field : fields) text += fmt::format(", {} text", db::Connection::quote_name(field.name));
  const std::string_view json = backend == db::Backend::sqlite ? "text" : "jsonb";
  return text + fmt::format(
                    ", operation text, action text, state text NOT NULL, error {0}, invalid_codes {0}, "
                    "last_completed_priority integer NOT NULL, merge_status text",
                    json);
}

}  // namespace lade::jobs
