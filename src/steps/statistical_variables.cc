#include <fmt/format.h>

#include <algorithm>

#include "steps/kinds.h"

namespace lade::steps {
namespace {

using definition::DataColumn;
using definition::LoadEntry;
using definition::Step;
using definition::TypeKind;

// How a variable of some type is read, and where its value goes.
struct VariableType {
  std::string_view name;
  definition::Type type;
  std::string_view column;
};

constexpr VariableType kTypes[] = {
    {"int", {TypeKind::integer}, "value_int"},
    {"float", {TypeKind::decimal, 30, 6}, "value_float"},
    {"string", {TypeKind::text}, "value_string"},
    {"bool", {TypeKind::boolean}, "value_bool"},
};

class StatisticalVariablesKind final : public StepKind {
 public:
  std::string_view name() const override { return "statistical_variables"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"definitions", "table"};
    return kOptions;
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    const std::string name = option(step, "definitions", "stat_definition");
    LADE_ASSIGN(const db::Table definitions, expansion.table(step, name));
    LADE_ASSIGN(const auto rows, expansion.rows(definitions, {"id", "code", "type", "enabled"}, "priority"));
    for (const auto& row : rows) {
      if (is_off(row[3])) continue;
      const auto type = std::ranges::find(kTypes, row[2], &VariableType::name);
      if (type == std::end(kTypes))
        return fail("stat_type_unknown",
                    fmt::format("step '{}': variable '{}' has the type '{}'", step.code, row[1], row[2]),
                    "use int, float, string or bool", ErrorKind::invalid);
      add_variable(step, row[0], row[1], *type, expansion);
    }
    return {};
  }

 private:
  static void add_variable(const Step& step, const std::string& id, const std::string& code, const VariableType& type,
                           Expansion& expansion) {
    DataColumn column;
    column.name = code;
    column.type = type.type;
    column.type_given = true;
    column.severity = definition::Severity::warning;  // the unit itself is not less known for it
    expansion.add_column(step, std::move(column));
    for (const std::string& unit : units_of(expansion.definition())) {
      LoadEntry entry;
      entry.table = option(step, "table", "stat_for_unit");
      entry.key = {unit + "_id", "stat_definition_id"};
      entry.strategy = expansion.strategy_of_parts();
      entry.columns = {Expansion::unit_reference(unit),
                       {"stat_definition_id", {}, {}, {}, definition::FixedValue{id}},
                       {std::string(type.column), code, {}, {}}};
      entry.with = {code};
      entry.temporal = expansion.temporal();
      entry.temporal->id = "id";
      for (const std::string& audit : entry.temporal->audit) entry.columns.push_back({audit, audit, {}, {}});
      expansion.add_entry(step, std::move(entry), Expansion::Rank::parts);
    }
  }
};

}  // namespace

const StepKind& statistical_variables() {
  static const StatisticalVariablesKind kKind;
  return kKind;
}

}  // namespace lade::steps
