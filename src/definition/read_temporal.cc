#include <fmt/format.h>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kKeys[] = {"from", "until", "valid_from", "valid_to", "id", "ephemeral", "audit"};

void read_name(const Node& map, std::string_view key, std::string_view label, std::string& into, Faults& faults) {
  const Node* node = map.find(key);
  if (node != nullptr && check_column_name(*node, fmt::format("{}.{}", label, key), faults)) into = node->text;
}

void read_names(const Node& map, std::string_view key, std::string_view label, std::vector<std::string>& into,
                Faults& faults) {
  if (const Node* node = map.find(key)) into = read_texts(*node, fmt::format("{}.{}", label, key), faults);
}

}  // namespace

std::optional<Temporal> read_temporal(const Node& node, std::string_view label, Faults& faults) {
  if (!check_map(node, label, kKeys, {}, faults)) return std::nullopt;
  Temporal temporal;
  read_name(node, "from", label, temporal.from, faults);
  read_name(node, "until", label, temporal.until, faults);
  read_name(node, "id", label, temporal.id, faults);
  for (const auto& [key, into] : {std::pair{"valid_from", &temporal.valid_from}, {"valid_to", &temporal.valid_to}}) {
    read_name(node, key, label, *into, faults);
    if (node.find(key) == nullptr)
      report_missing(node.place, label, key, "it names the data column with the day, which is included", faults);
  }
  read_names(node, "ephemeral", label, temporal.ephemeral, faults);
  read_names(node, "audit", label, temporal.audit, faults);
  return temporal;
}

}  // namespace lade::definition
