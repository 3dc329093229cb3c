#include "definition/node_json.h"

#include <boost/json.hpp>
#include <charconv>

namespace lade::definition {
namespace {

namespace json = boost::json;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

json::value scalar_value(const Node& node) {
  if (const auto boolean = node.boolean()) return *boolean;
  const bool may_be_number = node.plain && !node.text.empty() &&
                             std::string_view("-.0123456789").find(node.text.front()) != std::string_view::npos;
  if (may_be_number) {
    if (const auto integer = number_of<std::int64_t>(node.text)) return *integer;
    if (const auto real = number_of<double>(node.text)) return *real;
  }
  return json::string(node.text);
}

}  // namespace

json::value json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::scalar: return scalar_value(node);
    case Node::Kind::list: {
      json::array array;
      for (const Node& item : node.items) array.push_back(json_of(item));
      return array;
    }
    case Node::Kind::map: break;
  }
  json::object object;
  for (std::size_t i = 0; i < node.size(); ++i) object.emplace(node.key(i).text, json_of(node.value(i)));
  return object;
}

}  // namespace lade::definition
