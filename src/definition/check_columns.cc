#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "definition/names.h"
#include "definition/sections.h"

namespace lade::definition {
namespace {

bool is_number(TypeKind kind) {
  return kind == TypeKind::integer || kind == TypeKind::decimal;
}

class ColumnChecker {
 public:
  ColumnChecker(const Definition& definition, const Node& root, const Outline& outline, Faults& faults)
      : definition_(definition), root_(root), outline_(outline), faults_(faults) {
    for (const DataColumn& column : definition.columns) {
      columns_.emplace(column.name, &column);
      names_.push_back(column.name);
    }
  }

  void check() {
    for (const DataColumn& column : definition_.columns)
      if (column.lookup) check_lookup(column);
    for (const DataColumn& column : definition_.columns) find_cycle(column);
    for (std::size_t i = 0; i < definition_.checks.size(); ++i)
      check_check(definition_.checks[i], *outline_.checks[i].node, outline_.checks[i].label);
    for (const auto& [name, aggregate] : definition_.aggregate) check_aggregate(name, aggregate);
  }

 private:
  const DataColumn* find(const std::string& name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? nullptr : found->second;
  }

  bool check_known(const std::string& name, Place place, std::string_view label) {
    if (find(name) != nullptr || has_unknown_columns(definition_)) return true;
    faults_.error(place, "definition_unknown_column",
                  fmt::format("{}: unknown data column {}{}", label, in_quotes(name), suggestion(name, names_)));
    return false;
  }

  const Outline::Part& part(const DataColumn& column) const {
    return outline_.columns[static_cast<std::size_t>(&column - definition_.columns.data())];
  }

  const Node& lookup_match(const DataColumn& column) const {
    const Node* lookup = part(column).node->find("lookup");
    const Node* match = lookup->find("match");
    return match == nullptr ? *lookup : *match;
  }

  void check_lookup(const DataColumn& column) {
    for (const auto& [name, target] : column.lookup->match)
      check_known(name, lookup_match(column).place_of(name), part(column).label + ".lookup.match");
  }

  // Walks the lookups that a column depends on; a column met again on the way is a cycle, reported once.
  void find_cycle(const DataColumn& column) {
    if (finished_.contains(&column)) return;
    path_.push_back(&column);
    if (column.lookup) {
      for (const auto& [name, target] : column.lookup->match) {
        const DataColumn* next = find(name);
        if (next == nullptr) continue;
        const auto met = std::find(path_.begin(), path_.end(), next);
        if (met == path_.end())
          find_cycle(*next);
        else
          report_cycle(static_cast<std::size_t>(met - path_.begin()), name);
      }
    }
    path_.pop_back();
    finished_.insert(&column);
  }

  void report_cycle(std::size_t begin, const std::string& name) {
    std::string way;
    for (std::size_t i = begin; i < path_.size(); ++i) way += path_[i]->name + " → ";
    const DataColumn& last = *path_.back();
    faults_.error(lookup_match(last).place_of(name), "definition_cycle",
                  fmt::format("{}.lookup.match: the lookup depends on itself: {}{}", part(last).label, way, name));
  }

  void check_check(const Check& check, const Node& node, const std::string& label) {
    const Node* expr = node.is_map() ? node.find("expr") : &node;
    const bool parsed = !check.text.empty() && !(check.expr == Expression{});
    if (expr == nullptr || !parsed) return;
    bool known = true;
    const auto used = columns_of(check.expr);
    for (const std::string& name : used) known = check_known(name, expr->place, label + ".expr") && known;
    if (const Node* columns = node.find("columns"))
      for (const std::string& name : check.columns) check_known(name, columns->place_of(name), label + ".columns");
    if (known && !is_condition(check.expr))
      faults_.error(expr->place, "expression_invalid",
                    fmt::format("{}.expr: {} is not a condition; compare something, e.g. \"quantity >= 0\"", label,
                                in_quotes(check.text)));
  }

  bool is_condition(const Expression& expression) const {
    switch (expression.operation) {
      case Operation::number:
      case Operation::text:
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::negate: return false;
      case Operation::column: {
        const DataColumn* column = find(expression.text);
        return column == nullptr || column->type.kind == TypeKind::boolean;
      }
      case Operation::logical_and:
      case Operation::logical_or:
      case Operation::logical_not:
        return std::all_of(expression.operands.begin(), expression.operands.end(),
                           [this](const Expression& operand) { return is_condition(operand); });
      default: return true;
    }
  }

  void check_aggregate(const std::string& name, Aggregate aggregate) {
    const Node* duplicates = root_.find("duplicates");
    const Node* inner = duplicates == nullptr ? nullptr : duplicates->find("aggregate");
    const Node& node = inner == nullptr ? *root_.find("aggregate") : *inner;
    const std::string label = fmt::format("aggregate.{}", name);
    if (!check_known(name, node.place_of(name), "aggregate")) return;
    if (find(name) == nullptr) return;
    const DataColumn& column = *find(name);
    // A lookup takes the type of the table's column, which only the database knows.
    if (column.lookup && !column.type_given) return;
    const bool needs_number = aggregate == Aggregate::sum || aggregate == Aggregate::count;
    const bool fits = needs_number                   ? is_number(column.type.kind)
                      : aggregate == Aggregate::join ? column.type.kind == TypeKind::text
                                                     : true;
    if (!fits)
      faults_.error(node.place_of(name), "definition_bad_value",
                    fmt::format("{}: {} needs {}, but the column is {}", label, name_of(aggregate),
                                needs_number ? "type integer or decimal(p,s)" : "type text", to_string(column.type)));
  }

  const Definition& definition_;
  const Node& root_;
  const Outline& outline_;
  Faults& faults_;
  std::map<std::string, const DataColumn*> columns_;
  std::vector<std::string_view> names_;
  std::vector<const DataColumn*> path_;
  std::set<const DataColumn*> finished_;
};

}  // namespace

bool has_unknown_columns(const Definition& definition) {
  return !definition.steps.empty() && !definition.expanded;
}

void check_columns(const Definition& definition, const Node& root, const Outline& outline, Faults& faults) {
  ColumnChecker(definition, root, outline, faults).check();
}

}  // namespace lade::definition
