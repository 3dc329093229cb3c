// g++ 12 sees uninitialised members in its own std::regex, which valijson uses (GCC bug 105616).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <deque>
#include <exception>
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "definition/faults.h"
#include "definition/node.h"
#include "definition/parse.h"

namespace lade::definition {
namespace {

namespace json = boost::json;

// valijson matches patterns with std::regex, which recurses once per character.
constexpr std::size_t kMaxTextBytes = 1024;

json::value text_value(std::string_view text) {
  const std::string_view cut = text.substr(0, kMaxTextBytes);
  return json::string(cut.data(), cut.size());
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// What YAML's core schema makes of a scalar.
json::value scalar_value(const Node& node) {
  if (!node.plain) return text_value(node.text);
  if (const auto boolean = node.boolean()) return *boolean;
  const bool may_be_number =
      !node.text.empty() && std::string_view("-.0123456789").find(node.text.front()) != std::string_view::npos;
  if (may_be_number) {
    if (const auto integer = number_of<std::int64_t>(node.text)) return *integer;
    if (const auto real = number_of<double>(node.text)) return *real;
  }
  return text_value(node.text);
}

json::value to_value(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::scalar: return scalar_value(node);
    case Node::Kind::list: {
      json::array array;
      for (const Node& item : node.items) array.push_back(to_value(item));
      return array;
    }
    case Node::Kind::map: {
      json::object object;
      for (std::size_t i = 0; i < node.size(); ++i) object.emplace(node.key(i).text, to_value(node.value(i)));
      return object;
    }
  }
  return nullptr;
}

// The context of a valijson error is "<root>", "[columns]", "[quantity]", …, "[0]".
struct Position {
  const Node* node;
  std::string path;
};

Position find_position(const Node& root, const std::vector<std::string>& context) {
  Position position{&root, "definition"};
  for (const std::string& part : context) {
    if (part.size() < 2 || part.front() != '[') continue;
    const std::string_view name = std::string_view(part).substr(1, part.size() - 2);
    const Node* next = nullptr;
    if (position.node->is_list()) {
      const auto index = number_of<std::size_t>(name);
      if (index && *index < position.node->size()) next = &position.node->items[*index];
    } else {
      next = position.node->find(name);
    }
    if (next == nullptr) break;
    position.node = next;
    position.path += fmt::format(".{}", name);
  }
  return position;
}

const valijson::Schema& schema() {
  static const valijson::Schema* const parsed = [] {
    const std::string_view text = json_schema();
    const json::value document = json::parse(json::string_view(text.data(), text.size()));
    auto* made = new valijson::Schema;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::BoostJsonAdapter(document), *made);
    return made;
  }();
  return *parsed;
}

// Said once more of everything around a fault.
bool is_repetition(std::string_view description) {
  return description.starts_with("Failed to validate against schema associated with property name") ||
         description.starts_with("Failed to validate item #");
}

void validate(const Node& root, Faults& faults) {
  const json::value document = to_value(root);
  valijson::ValidationResults results;
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  validator.validate(schema(), valijson::adapters::BoostJsonAdapter(document), &results);
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    if (is_repetition(error.description)) continue;
    const Position position = find_position(root, error.context);
    faults.error(position.node->place, "definition_schema", fmt::format("{}: {}", position.path, error.description));
  }
}

}  // namespace

std::vector<Fault> check_schema(std::string_view yaml) {
  Faults faults;
  const auto root = read_yaml(yaml, faults);
  if (!root) return std::move(faults).take();
  try {
    validate(*root, faults);
  } catch (const std::exception& exception) {
    faults.error({}, "definition_schema", std::string("the schema cannot be applied: ") + exception.what());
  }
  return std::move(faults).take();
}

}  // namespace lade::definition
