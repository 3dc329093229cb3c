#include <fmt/format.h>

#include <algorithm>

#include "steps/kinds.h"

namespace lade::steps {
namespace {

using definition::DataColumn;
using definition::LoadEntry;
using definition::Step;
using definition::TargetColumn;

class TableKind final : public StepKind {
 public:
  std::string_view name() const override { return "table"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"table", "key", "id", "prefix", "set", "ephemeral", "temporal"};
    return kOptions;
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    const std::string name = option(step, "table", step.code);
    LADE_ASSIGN(const db::Table table, expansion.table(step, name));
    const definition::Definition& definition = expansion.definition();
    const bool is_unit = definition.mode && unit_of(*definition.mode) == name;
    LoadEntry entry;
    entry.table = name;
    add_columns(step, table, expansion, entry);
    add_fixed(step, entry);
    if (option(step, "temporal", "true") == "true") {
      entry.temporal = expansion.temporal();
      entry.temporal->id = is_unit ? "" : option(step, "id", table.find("id") == nullptr ? "" : "id");
      entry.temporal->ephemeral = option_list(step, "ephemeral");
      std::erase_if(entry.temporal->audit, [&](const std::string& column) { return table.find(column) == nullptr; });
    }
    if (is_unit) {
      entry.key = {"id"};
      entry.with.clear();
      entry.strategy = definition.strategy.value_or(definition::Strategy::insert_or_update);
      entry.columns.insert(entry.columns.begin(), {"id", name + "_id", {}, {}});
      const auto& others = expansion.unit_columns();
      entry.columns.insert(entry.columns.end(), others.begin(), others.end());
      expansion.add_entry(step, std::move(entry), Expansion::Rank::unit);
      return {};
    }
    return add_part(step, table, std::move(entry), expansion);
  }

 private:
  // The columns of the step that the table has, under the name without the prefix.
  static void add_columns(const Step& step, const db::Table& table, const Expansion& expansion, LoadEntry& entry) {
    const std::string prefix = option(step, "prefix");
    for (const DataColumn& column : expansion.definition().columns) {
      if (column.step != step.code) continue;
      const std::string target = column.name.starts_with(prefix) ? column.name.substr(prefix.size()) : column.name;
      if (table.find(target) == nullptr) continue;
      entry.columns.push_back({target, column.name, {}, {}});
      entry.with.push_back(column.name);
    }
    for (const std::string& column : expansion.temporal().audit)
      if (table.find(column) != nullptr) entry.columns.push_back({column, column, {}, {}});
  }

  static void add_fixed(const Step& step, LoadEntry& entry) {
    const definition::Node* set = step.options.find("set");
    for (std::size_t i = 0; set != nullptr && set->is_map() && i < set->size(); ++i)
      entry.columns.push_back({set->key(i).text, {}, {}, {}, definition::FixedValue{set->value(i).text}});
  }

  // A table with rows of units: one entry for each kind of unit that it can have.
  static Result<void> add_part(const Step& step, const db::Table& table, LoadEntry entry, Expansion& expansion) {
    entry.strategy = expansion.strategy_of_parts();
    const std::vector<std::string> key = option_list(step, "key");
    const bool generic = expansion.definition().mode == definition::Mode::generic_unit;
    bool any = false;
    for (const std::string& unit : units_of(expansion.definition())) {
      const std::string column = unit + "_id";
      if (table.find(column) == nullptr) continue;
      any = true;
      LoadEntry part = entry;
      part.columns.push_back(Expansion::unit_reference(unit));
      part.key = {column};
      part.key.insert(part.key.end(), key.begin(), key.end());
      if (generic) part.with = {column};
      expansion.add_entry(step, std::move(part), Expansion::Rank::parts);
    }
    if (any) return {};
    return fail("column_not_found",
                fmt::format("step '{}': the table '{}' has no column {}_id that says whose row it is", step.code,
                            table.name, fmt::join(units_of(expansion.definition()), "_id or ")),
                {}, ErrorKind::invalid);
  }
};

}  // namespace

const StepKind& table() {
  static const TableKind kKind;
  return kKind;
}

}  // namespace lade::steps
