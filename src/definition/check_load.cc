#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "definition/names.h"
#include "definition/sections.h"

namespace lade::definition {
namespace {

class LoadChecker {
 public:
  LoadChecker(const Definition& definition, const Node& root, const Outline& outline, Faults& faults)
      : definition_(definition), root_(root), outline_(outline), faults_(faults) {
    for (const DataColumn& column : definition.columns) names_.push_back(column.name);
    known_.insert(names_.begin(), names_.end());
  }

  void check() {
    const Node* load = root_.find("load");
    for (std::size_t i = 0; i < definition_.load.size(); ++i) {
      if (!load->items[i].is_map()) continue;
      check_columns_of(i, load->items[i]);
      check_key(i, load->items[i]);
      check_temporal(i, load->items[i]);
      check_concerned(i, load->items[i]);
      check_set(i, load->items[i]);
      check_delete(i, load->items[i]);
      if (i > 0) check_meets_root(i, load->items[i]);
    }
    if (load != nullptr) check_handler(*load);
    check_duplicates();
    warn_unused();
  }

 private:
  static std::string label(std::size_t index, std::string_view key) {
    return fmt::format("load[{}].{}", index + 1, key);
  }

  // The data column that goes to a target column of an entry; nullptr for none and for references.
  const std::string* data_column(const LoadEntry& entry, const std::string& target) const {
    if (!entry.columns_given) {
      const auto found = known_.find(target);
      return found == known_.end() ? nullptr : &definition_.find(target)->name;
    }
    for (const TargetColumn& column : entry.columns)
      if (column.target == target && !column.data_column.empty()) return &column.data_column;
    return nullptr;
  }
  // The same for what comes from elsewhere: a reference or a fixed value.
  static const TargetColumn* other_origin(const LoadEntry& entry, const std::string& target) {
    for (const TargetColumn& column : entry.columns)
      if (column.target == target && column.data_column.empty()) return &column;
    return nullptr;
  }

  bool check_known(const std::string& name, Place place, const std::string& label) {
    if (known_.contains(name) || has_unknown_columns(definition_)) return known_.contains(name);
    faults_.error(place, "definition_unknown_column",
                  fmt::format("{}: unknown data column {}{}", label, in_quotes(name), suggestion(name, names_)));
    return false;
  }

  void check_columns_of(std::size_t index, const Node& node) {
    const Node* columns = node.find("columns");
    if (columns == nullptr) return;
    std::set<std::string> targets;
    for (const TargetColumn& column : definition_.load[index].columns) {
      const bool is_data = !column.data_column.empty();
      const Node* own = columns->find(column.target);
      const bool is_short = is_data && (own == nullptr || !own->is_map());
      const Place place = columns->place_of(is_short ? column.data_column : column.target);
      if (is_data) check_known(column.data_column, place, label(index, "columns"));
      if (!targets.insert(column.target).second)
        faults_.error(
            place, "definition_bad_value",
            fmt::format("{}: two values go to target column {}", label(index, "columns"), in_quotes(column.target)));
      if (!column.ref_table.empty()) check_reference(index, column, place);
    }
  }

  void check_reference(std::size_t index, const TargetColumn& column, Place place) {
    std::vector<std::string_view> earlier;
    bool comes_later = false;
    for (std::size_t i = 0; i < definition_.load.size(); ++i) {
      if (i < index) earlier.push_back(definition_.load[i].table);
      if (i >= index && definition_.load[i].table == column.ref_table) comes_later = true;
    }
    if (std::find(earlier.begin(), earlier.end(), column.ref_table) != earlier.end()) return;
    const std::string why = comes_later ? "is not loaded before this entry; put it first"
                                        : "is not loaded by this definition" + suggestion(column.ref_table, earlier);
    faults_.error(
        place, "definition_unknown_reference",
        fmt::format("{}.{}: table {} {}", label(index, "columns"), column.target, in_quotes(column.ref_table), why));
  }

  void check_key(std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    for (const std::string& name : entry.key) {
      if (data_column(entry, name) != nullptr || other_origin(entry, name) != nullptr) continue;
      if (!entry.columns_given && has_unknown_columns(definition_)) continue;
      if (is_bound(entry, name)) continue;  // said by check_temporal()
      if (is_scope(entry, name)) continue;
      std::vector<std::string_view> mapped;
      for (const TargetColumn& column : entry.columns) mapped.push_back(column.target);
      if (!entry.columns_given) mapped = names_;
      faults_.error(node.find("key")->place_of(name), "definition_key_not_mapped",
                    fmt::format("{}: no data column goes to key column {}{}", label(index, "key"), in_quotes(name),
                                suggestion(name, mapped)));
    }
  }

  void check_temporal(std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    if (!entry.temporal) return;
    const Node& temporal = *node.find("temporal");
    if (entry.strategy == Strategy::append)
      faults_.error(temporal.place, "definition_bad_value",
                    fmt::format("{}: strategy append lays nothing over what is stored; use insert_or_update",
                                label(index, "temporal")));
    check_day("valid_from", entry.temporal->valid_from, temporal, label(index, "temporal"));
    check_day("valid_to", entry.temporal->valid_to, temporal, label(index, "temporal"));
    for (const std::string& bound : {entry.temporal->from, entry.temporal->until}) check_bound(bound, index, node);
  }

  static bool is_bound(const LoadEntry& entry, const std::string& target) {
    return entry.temporal && (entry.temporal->from == target || entry.temporal->until == target);
  }

  void check_day(std::string_view key, const std::string& name, const Node& temporal, const std::string& label) {
    const Node* node = temporal.find(key);
    if (node == nullptr || name.empty() || !check_known(name, node->place, fmt::format("{}.{}", label, key))) return;
    const Type& type = definition_.find(name)->type;
    if (type.kind != TypeKind::date)
      faults_.error(node->place, "definition_bad_value",
                    fmt::format("{}.{}: column {} is {}; a period needs type date", label, key, in_quotes(name),
                                to_string(type)));
  }

  // The table's own columns for the period are written from the timeline, by nothing else.
  void check_bound(const std::string& bound, std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    for (const TargetColumn& column : entry.columns)
      if (column.target == bound)
        faults_.error(
            node.find("columns")->place, "definition_bad_value",
            fmt::format("{}: target column {} belongs to the period", label(index, "columns"), in_quotes(bound)));
    if (std::find(entry.key.begin(), entry.key.end(), bound) != entry.key.end())
      faults_.error(node.find("key")->place_of(bound), "definition_bad_value",
                    fmt::format("{}: {} belongs to the period; the key names the entity without it",
                                label(index, "key"), in_quotes(bound)));
  }

  void check_concerned(std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    for (const std::string& name : entry.with)
      check_known(name, node.find("with")->place_of(name), label(index, "with"));
    if (!entry.for_new.empty()) check_known(entry.for_new, node.find("for_new")->place, label(index, "for_new"));
  }

  static bool is_scope(const LoadEntry& entry, const std::string& target) {
    return entry.set && std::ranges::find(entry.set->scope, target, &ScopeColumn::target) != entry.set->scope.end();
  }

  // Nothing but the set itself fills the columns that say what belongs to it.
  void check_own(const std::string& target, std::string_view key, std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    if (data_column(entry, target) != nullptr || other_origin(entry, target) != nullptr)
      faults_.error(node.find(key)->place, "definition_bad_value",
                    fmt::format("{}: target column {} gets its value from {}, nothing else may go there",
                                label(index, key), in_quotes(target), key));
  }

  void check_set(std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    if (!entry.set) return;
    const Place place = node.find("strategy")->place;
    if (definition_.load.size() > 1 || !definition_.steps.empty())
      faults_.error(
          place, "definition_bad_value",
          fmt::format("{}: replace_set stands alone; give each set a definition of its own", label(index, "strategy")));
    if (entry.temporal)
      faults_.error(place, "definition_bad_value",
                    fmt::format("{}: a table that keeps history is not replaced; use insert_or_replace",
                                label(index, "strategy")));
    for (const ScopeColumn& column : entry.set->scope) check_own(column.target, "scope", index, node);
    if (!entry.set->version) return;
    check_own(entry.set->version->column, "version", index, node);
    if (definition_.max_errors.given() && definition_.max_errors.count != 0)
      faults_.error(root_.find("max_errors")->place, "definition_bad_value",
                    "max_errors: a version of a set is whole or not at all; leave it out");
  }

  void check_delete(std::size_t index, const Node& node) {
    const LoadEntry& entry = definition_.load[index];
    if (entry.deletes.empty()) return;
    const Node& named = *node.find("delete");
    if (entry.set || entry.temporal || entry.strategy == Strategy::append || !definition_.steps.empty())
      return faults_.error(named.place, "definition_bad_value",
                           fmt::format("{}: rows are deleted by their key; use a strategy such as insert_or_update",
                                       label(index, "delete")));
    if (!check_known(entry.deletes, named.place, label(index, "delete"))) return;
    if (const Type& type = definition_.find(entry.deletes)->type; type.kind != TypeKind::boolean)
      faults_.error(named.place, "definition_bad_value",
                    fmt::format("{}: column {} is {}; it must be boolean", label(index, "delete"),
                                in_quotes(entry.deletes), to_string(type)));
  }

  void check_handler(const Node& load) {
    for (std::size_t i = 0; i < definition_.load.size(); ++i) {
      if (!definition_.load[i].handler) continue;
      if (definition_.load.size() > 1)
        faults_.error(load.items[i].place, "definition_bad_value",
                      fmt::format("{}: a handler stands alone; rows that go into tables as well are a definition of "
                                  "their own",
                                  label(i, "handler")));
      if (definition_.commit == Commit::all_or_nothing)
        faults_.error(root_.find("commit")->place, "definition_bad_value",
                      "commit: what a handler has done cannot be taken back; use per_bucket");
    }
  }

  // Rows are parted by the root's key: an entry whose key does not contain it could be written by two buckets at once.
  void check_meets_root(std::size_t index, const Node& node) {
    const LoadEntry& root = definition_.load.front();
    const LoadEntry& entry = definition_.load[index];
    if (definition_.partition == Partition::single || entry.strategy == Strategy::append || entry.key.empty()) return;
    if (root.table.empty() || !node.find("key")) return;
    // Rows of steps are parted by their unit, whatever a table's key is.
    if (!definition_.steps.empty()) return;
    std::set<std::string> parts;
    for (const std::string& name : entry.key) {
      if (const std::string* column = data_column(entry, name)) parts.insert(*column);
      const TargetColumn* ref = other_origin(entry, name);
      if (ref != nullptr && ref->ref_table == root.table) return;
    }
    const bool contains_root = std::all_of(root.key.begin(), root.key.end(), [&](const std::string& name) {
      const std::string* column = data_column(root, name);
      return column == nullptr || parts.contains(*column);
    });
    if (contains_root && !root.key.empty()) return;
    const std::string why =
        root.key.empty()
            ? fmt::format("the first entry, {}, has no key to part the rows by; say 'partition: single'",
                          in_quotes(root.table))
            : fmt::format(
                  "contains neither the key of {} nor a reference to it; say 'partition: single', or add a column "
                  "with {{ref: {}.…}} to the key",
                  in_quotes(root.table), root.table);
    faults_.error(node.find("key")->place, "definition_needs_single_partition",
                  fmt::format("{}: {}", label(index, "key"), why));
  }

  void check_duplicates() {
    if (definition_.load.empty()) return;
    const LoadEntry& root = definition_.load.front();
    const Node* duplicates = root_.find("duplicates");
    if (duplicates != nullptr && root.strategy == Strategy::append && root.key.empty() && definition_.steps.empty())
      faults_.warning(duplicates->place, "definition_no_effect",
                      "duplicates: has no effect, because the first load entry has no key");
    for (const std::string& name : root.key) {
      const std::string* column = data_column(root, name);
      if (column != nullptr && definition_.aggregate.contains(*column))
        faults_.error(root_.find("load")->items.front().find("key")->place_of(name), "definition_bad_value",
                      fmt::format("aggregate.{}: the column is part of the key, merged rows have the same", *column));
    }
  }

  void warn_unused() {
    if (definition_.load.empty() || !definition_.steps.empty()) return;
    std::set<std::string> used;
    for (const LoadEntry& entry : definition_.load) {
      if (!entry.columns_given) return;  // which ones it takes is known by the target table alone
      for (const TargetColumn& column : entry.columns) used.insert(column.data_column);
      used.insert(entry.with.begin(), entry.with.end());
      used.insert({entry.for_new, entry.deletes});
      if (entry.temporal) used.insert({entry.temporal->valid_from, entry.temporal->valid_to});
    }
    for (const Check& check : definition_.checks)
      for (const std::string& name : columns_of(check.expr)) used.insert(name);
    for (const DataColumn& column : definition_.columns)
      if (column.lookup)
        for (const auto& [name, target] : column.lookup->match) used.insert(name);
    for (std::size_t i = 0; i < definition_.columns.size(); ++i)
      if (!used.contains(definition_.columns[i].name))
        faults_.warning(outline_.columns[i].place, "definition_unused_column",
                        fmt::format("{}: no load entry, lookup or check uses this column", outline_.columns[i].label));
  }

  const Definition& definition_;
  const Node& root_;
  const Outline& outline_;
  Faults& faults_;
  std::vector<std::string_view> names_;
  std::set<std::string> known_;
};

}  // namespace

void check_load(const Definition& definition, const Node& root, const Outline& outline, Faults& faults) {
  LoadChecker(definition, root, outline, faults).check();
}

}  // namespace lade::definition
