#include "steps/entities.h"

#include <fmt/format.h>

#include "base/one_line.h"
#include "base/sha256.h"
#include "steps/expansion.h"

namespace lade::steps {
namespace {

constexpr std::size_t kMostEntities = 1'000'000;
constexpr std::size_t kNobody = SIZE_MAX;
constexpr std::size_t kMarkDigits = 16;

// The columns of the table that are read, for SQL.
Result<std::string> column_list(const definition::Step& step, const EntityTable& entities, const db::Table& table) {
  std::vector<std::string> columns = entities.names;
  columns.insert(columns.begin(), entities.id);
  std::string list;
  for (const std::string& column : columns) {
    if (table.find(column) == nullptr)
      return fail("column_not_found",
                  fmt::format("step '{}': table '{}' has no column '{}'", step.code, entities.table, column),
                  "name another one", ErrorKind::invalid);
    list += fmt::format("{}CAST({} AS text)", list.empty() ? "" : ", ", db::Connection::quote_name(column));
  }
  return list;
}

}  // namespace

std::string EntityTable::rules_mark() const {
  if (rules.empty() && id == "id") return {};
  std::string text = id;
  for (const names::Rewrite& rule : rules) text += fmt::format("\n{}\t{}", rule.from, rule.to);
  return sha256_of(text).substr(0, kMarkDigits);
}

EntityTable entity_table(const definition::Step& step) {
  EntityTable table{option(step, "table"), option(step, "id", "id"), option_list(step, "names"), {}};
  if (table.names.empty()) table.names.push_back("name");
  const definition::Node* const rewrite = step.options.find("rewrite");
  for (std::size_t i = 0; rewrite != nullptr && rewrite->is_map() && i < rewrite->size(); ++i)
    table.rules.push_back({rewrite->key(i).text, rewrite->value(i).text});
  return table;
}

std::string decision_key(std::string_view name, std::string_view normalised) {
  return normalised.empty() ? "=" + one_line(name) : std::string(normalised);
}

Result<Entities> Entities::read(const definition::Step& step, db::Connection& connection, const Memory& memory) {
  const EntityTable entities = entity_table(step);
  LADE_ASSIGN(const auto table, connection.describe(entities.table));
  if (!table)
    return fail(
        "table_not_found",
        fmt::format("step '{}' looks for names in the table '{}', which is not there", step.code, entities.table),
        "create it, or name another one", ErrorKind::invalid);
  LADE_ASSIGN(const std::string list, column_list(step, entities, *table));
  LADE_ASSIGN(const auto found, connection.query(fmt::format("SELECT {} FROM {} ORDER BY 1 LIMIT {}", list,
                                                             table->quoted, kMostEntities + 1)));
  if (found.size() > kMostEntities)
    return fail("entities_too_many", fmt::format("'{}' has more than {} rows", entities.table, kMostEntities),
                "resolve against a smaller table", ErrorKind::invalid);
  LADE_ASSIGN(names::Normaliser normalised, names::Normaliser::create(entities.rules));
  Entities read;
  for (const db::Row& row : found) {
    const auto text = [&](std::size_t i) {
      const std::string* value = std::get_if<std::string>(&row[i]);
      return value == nullptr ? std::string() : *value;
    };
    const auto place = static_cast<std::int64_t>(read.rows_.size());
    read.rows_.push_back({text(0), text(1)});
    for (std::size_t i = 1; i < row.size(); ++i) read.index_.add(place, normalised(text(i)));
  }
  read.index_.finish();
  LADE_TRY(read.remember(entities, connection, memory));
  return read;
}

Result<void> Entities::remember(const EntityTable& table, db::Connection& connection, const Memory& memory) {
  if (!memory) return {};
  LADE_ASSIGN(const std::vector<Remembered> decisions, memory(connection, table.table, table.rules_mark()));
  if (decisions.empty()) return {};
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t place = 0; place < rows_.size(); ++place) places.emplace(rows_[place].id, place);
  for (const Remembered& decision : decisions) {
    const auto found = places.find(decision.entity);
    if (decision.entity.empty())
      remembered_.emplace(decision.name, kNobody);
    else if (found != places.end())
      remembered_.emplace(decision.name, found->second);
  }
  return {};
}

Entities::Said Entities::remembered(std::string_view name, std::size_t& place) const {
  const auto found = remembered_.find(std::string(name));
  if (found == remembered_.end()) return Said::nothing;
  place = found->second;
  return found->second == kNobody ? Said::nobody : Said::entity;
}

}  // namespace lade::steps
