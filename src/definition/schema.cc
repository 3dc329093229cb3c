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
#include "definition/node_json.h"
#include "definition/parse.h"

namespace lade::definition {
namespace {

namespace json = boost::json;

// valijson matches patterns with std::regex, which recurses once per character.
constexpr std::size_t kMaxTextBytes = 1024;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Texts are cut where patterns would recurse too deep.
void shorten(json::value& value) {
  if (json::string* text = value.if_string(); text != nullptr && text->size() > kMaxTextBytes)
    text->resize(kMaxTextBytes);
  if (json::array* array = value.if_array())
    for (json::value& item : *array) shorten(item);
  if (json::object* object = value.if_object())
    for (auto& member : *object) shorten(member.value());
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
  json::value document = json_of(root);
  shorten(document);
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
