// Any text as a definition: no crash, and what is valid keeps three promises: its canonical JSON is valid and says the
// same, the schema accepts it, and its columns can be put in order.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "definition/parse.h"

namespace {

// Longer texts are cut before the schema sees them.
constexpr std::size_t kMaxSchemaBytes = 1024;

void check_valid(const lade::definition::Definition& definition, std::string_view yaml) {
  const std::string json = to_json(definition);
  const auto again = lade::definition::parse_definition(json);
  LADE_ASSERT(again.valid());
  LADE_ASSERT(to_json(again.definition) == json);
  LADE_ASSERT(evaluation_order(definition).size() == definition.columns.size());
  if (yaml.size() <= kMaxSchemaBytes) LADE_ASSERT(lade::definition::check_schema(yaml).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view yaml(reinterpret_cast<const char*>(data), size);
  const auto parsed = lade::definition::parse_definition(yaml);
  if (parsed.valid()) check_valid(parsed.definition, yaml);
  // The whole text is an expression, too.
  if (const auto expression = lade::definition::parse_expression(yaml)) columns_of(*expression);
  return 0;
}
