#include "steps/ident_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lade::steps {
namespace {

constexpr std::size_t kMostTypes = 200;  // a type is one byte of a key

std::int64_t number_of(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string> IdentType::columns(std::string_view prefix) const {
  if (is_plain()) return {fmt::format("{}{}", prefix, code)};
  std::vector<std::string> names;
  for (const std::string& part : parts) names.push_back(fmt::format("{}{}_{}", prefix, code, part));
  return names;
}

Result<std::vector<IdentType>> read_ident_types(const definition::Step& step, const std::string& table,
                                                Expansion& expansion) {
  LADE_ASSIGN(const db::Table types_table, expansion.table(step, table));
  LADE_ASSIGN(const auto rows, expansion.rows(types_table, {"id", "code", "shape", "labels", "enabled"}, "priority"));
  std::vector<IdentType> types;
  for (const auto& row : rows) {
    if (is_off(row[4])) continue;
    IdentType& type = types.emplace_back(IdentType{number_of(row[0]), row[1], {}});
    if (row[2] == "hierarchical") type.parts = split(row[3], '.');
  }
  if (types.empty() || types.size() > kMostTypes)
    return fail(
        "ident_types_unusable",
        fmt::format("step '{}': the table '{}' has {} types of identifiers in use", step.code, table, types.size()),
        fmt::format("it needs 1 to {}", kMostTypes), ErrorKind::invalid);
  return types;
}

definition::Node to_node(const std::vector<IdentType>& types) {
  std::vector<definition::Node> items;
  for (const IdentType& type : types) {
    std::vector<definition::Node> parts;
    for (const std::string& part : type.parts) parts.push_back(text_node(part));
    items.push_back(map_node({{"id", text_node(std::to_string(type.id))},
                              {"code", text_node(type.code)},
                              {"parts", list_node(std::move(parts))}}));
  }
  return list_node(std::move(items));
}

std::vector<IdentType> ident_types_of(const definition::Node* node) {
  std::vector<IdentType> types;
  for (std::size_t i = 0; node != nullptr && i < node->items.size(); ++i) {
    const definition::Node& item = node->items[i];
    IdentType& type = types.emplace_back(IdentType{number_of(item.find("id")->text), item.find("code")->text, {}});
    for (const definition::Node& part : item.find("parts")->items) type.parts.push_back(part.text);
  }
  return types;
}

}  // namespace lade::steps
