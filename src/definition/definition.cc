#include "definition/definition.h"

#include <fmt/format.h>

#include "definition/names.h"

namespace lade::definition {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

std::size_t index_of(const Definition& definition, std::string_view name) {
  for (std::size_t i = 0; i < definition.columns.size(); ++i)
    if (definition.columns[i].name == name) return i;
  return kNowhere;
}

// Appends the columns that `index` needs, then itself, each once.
void visit(const Definition& definition, std::size_t index, std::vector<bool>& visited,
           std::vector<std::size_t>& order) {
  if (index == kNowhere || visited[index]) return;
  visited[index] = true;
  if (const auto& lookup = definition.columns[index].lookup)
    for (const auto& [name, target] : lookup->match) visit(definition, index_of(definition, name), visited, order);
  order.push_back(index);
}

}  // namespace

std::string to_string(const Type& type) {
  if (type.kind != TypeKind::decimal) return std::string(name_of(type.kind));
  return fmt::format("decimal({},{})", type.precision, type.scale);
}

std::string_view to_string(Strategy strategy) {
  return name_of(strategy);
}

const DataColumn* Definition::find(std::string_view column) const {
  const std::size_t index = index_of(*this, column);
  return index == kNowhere ? nullptr : &columns[index];
}

std::vector<std::size_t> evaluation_order(const Definition& definition) {
  std::vector<bool> visited(definition.columns.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < definition.columns.size(); ++i)
    if (!definition.columns[i].lookup) visit(definition, i, visited, order);
  for (std::size_t i = 0; i < definition.columns.size(); ++i) visit(definition, i, visited, order);
  return order;
}

}  // namespace lade::definition
