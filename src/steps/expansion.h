#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "handlers/registry.h"

// A definition made of steps becomes one that says everything: what a job keeps and all workers read.
namespace lade::steps {

// What a job says about the validity of its rows, for `valid_time_from: job_provided`: days, both included.
struct ValidTime {
  std::string valid_from;
  std::string valid_to;
};

// The unit that a definition of this mode makes or changes; empty for generic_unit, which only changes what is there.
std::string_view unit_of(definition::Mode mode);

// The kinds of units that a register has, unless a step names others.
std::vector<std::string> all_unit_kinds();

// The kinds of units that rows of the definition can be about: that of its mode, or all that have identifiers.
std::vector<std::string> units_of(const definition::Definition& definition);

// What is added to a definition, step by step.
class Expansion {
 public:
  Expansion(const definition::Definition& definition, db::Connection& connection, const ValidTime& valid_time,
            const handlers::Registry* handlers = nullptr);

  const definition::Definition& definition() const { return definition_; }
  db::Connection& connection() { return connection_; }
  const ValidTime& valid_time() const { return valid_time_; }
  // Null when it is for nobody's job.
  const handlers::Registry* handlers() const { return handlers_; }
  bool has_kind(std::string_view kind) const;

  // A column of the step; one of that name that the definition has already stays.
  void add_column(const definition::Step& step, definition::DataColumn column);
  // Columns that take this column of the file, and belong to no step yet, are this step's from now on.
  void adopt_columns(const definition::Step& step, const std::string& header);
  // What it holds is known only when a row is analysed, not when the job is planned.
  void fill_late(const std::string& column) { late_columns_.insert(column); }
  void add_check(const definition::Step& step, definition::Check check);

  // Tables are loaded in this order, those of one rank in the order of the steps.
  enum class Rank { linked, unit, names, parts };
  void add_entry(const definition::Step& step, definition::LoadEntry entry, Rank rank);
  // Columns that the unit's own table gets from other steps.
  void add_to_unit(definition::TargetColumn column) { unit_columns_.push_back(std::move(column)); }
  const std::vector<definition::TargetColumn>& unit_columns() const { return unit_columns_; }

  // How a row of another table refers to the unit: column <unit>_id, with the id that the unit's entry has, or, when
  // units are not written, the one that was found.
  static definition::TargetColumn unit_reference(const std::string& unit) {
    return {unit + "_id", unit + "_id", {}, {}};
  }
  // The period of rows in a table that keeps history.
  definition::Temporal temporal() const;
  // The strategy of tables that belong to a unit: whether the unit itself may be new was decided before.
  definition::Strategy strategy_of_parts() const;

  // What a step keeps for its analyse half: an option of the expanded definition.
  void keep(const definition::Step& step, std::string_view key, definition::Node value);

  // A table of the database. Fails with table_not_found, naming the step.
  Result<db::Table> table(const definition::Step& step, const std::string& name);
  // Rows of a table, all values as text ("" for NULL). `columns` it does not have are given as "".
  Result<std::vector<std::vector<std::string>>> rows(const db::Table& table, const std::vector<std::string>& columns,
                                                     const std::string& order_by);

  Result<definition::Definition> finish() &&;

 private:
  void refer_to_units();
  void spread_late_keys();
  struct RankedEntry {
    definition::LoadEntry entry;
    Rank rank;
  };
  definition::Definition definition_;
  db::Connection& connection_;
  const ValidTime& valid_time_;
  const handlers::Registry* handlers_;
  std::set<std::string> late_columns_;
  std::vector<RankedEntry> entries_;
  std::vector<definition::TargetColumn> unit_columns_;
};

// A column that a step fills.
definition::DataColumn filled_column(
    std::string name, definition::TypeKind type,
    definition::DataColumn::Purpose purpose = definition::DataColumn::Purpose::internal);
// Whether a row of a type table says, in its column `enabled`, that it is not in use.
bool is_off(const std::string& enabled);

// Nodes as a definition's text would have them.
definition::Node text_node(std::string text);
definition::Node list_node(std::vector<definition::Node> items);
definition::Node map_node(std::vector<std::pair<std::string, definition::Node>> items);

// The text of an option, or its default.
std::string option(const definition::Step& step, std::string_view key, std::string_view otherwise = {});
std::vector<std::string> option_list(const definition::Step& step, std::string_view key);

}  // namespace lade::steps
