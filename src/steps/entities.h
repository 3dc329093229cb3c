#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "names/index.h"
#include "names/normaliser.h"

// The entities of a reference table, by their names.
namespace lade::steps {

// Where a step of kind `resolve` finds its entities.
struct EntityTable {
  std::string table;
  std::string id;                  // the column that names an entity
  std::vector<std::string> names;  // columns with its names, the first is what people call it
  std::vector<names::Rewrite> rules;

  // Names that are normalised otherwise, or entities that are named by another column, are not to be taken for each
  // other: what is decided about them is kept apart by this. Empty: plain names, and the column `id`.
  std::string rules_mark() const;
};
EntityTable entity_table(const definition::Step& step);

// What people have decided about names before.
struct Remembered {
  std::string name;    // normalised
  std::string entity;  // its id; empty: it means nobody
};
// By table and EntityTable::rules_mark().
using Memory = std::function<Result<std::vector<Remembered>>(db::Connection& connection, const std::string& table,
                                                             const std::string& rules)>;

// The entities as they were when the job was bound; shared by all threads and never changed.
class Entities {
 public:
  // Fails with table_not_found, column_not_found, entities_too_many. Without a memory nothing is remembered.
  static Result<Entities> read(const definition::Step& step, db::Connection& connection, const Memory& memory);

  struct Entity {
    std::string id, name;  // as they are stored
  };
  const Entity& at(std::size_t place) const { return rows_[place]; }
  const names::NameIndex& index() const { return index_; }  // its entities are places

  enum class Said { nothing, entity, nobody };
  // What was decided about a normalised name; `place` is that of the entity. An entity that is gone is not remembered.
  Said remembered(std::string_view name, std::size_t& place) const;

 private:
  Result<void> remember(const EntityTable& table, db::Connection& connection, const Memory& memory);

  std::vector<Entity> rows_;
  names::NameIndex index_;
  std::unordered_map<std::string, std::size_t> remembered_;  // normalised name → place, kNobody
};

// What a decision is remembered by: the normalised name, or, of a name without letters and digits, the text itself.
std::string decision_key(std::string_view name, std::string_view normalised);

}  // namespace lade::steps
