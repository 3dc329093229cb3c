#include <fmt/format.h>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kKeys[] = {"expr", "columns", "severity", "message", "code", "step"};
constexpr Later kLater[] = {{"sql", "write it as expr"}, {"handler", "write it as expr"}};

void read_expression(const Node& node, const std::string& label, Check& check, Faults& faults) {
  const auto text = read_text(node, label, faults);
  if (!text) return;
  check.text = *text;
  auto parsed = parse_expression(*text);
  if (!parsed)
    return faults.error(node.place, parsed.error().code,
                        fmt::format("{}: {} in {}", label, parsed.error().message, in_quotes(*text)));
  check.expr = std::move(*parsed);
  check.columns = columns_of(check.expr);
}

}  // namespace

Check read_check(const Node& node, std::string_view label, Faults& faults) {
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", label, key); };
  Check check;
  check.line = node.place.line;
  check.code = "check_failed";
  if (node.is_scalar()) {
    read_expression(node, std::string(label), check, faults);
    return check;
  }
  if (!check_map(node, label, kKeys, kLater, faults)) return check;
  if (const Node* expr = node.find("expr"))
    read_expression(*expr, below("expr"), check, faults);
  else
    report_missing(node.place, label, "expr", "it says what must hold, e.g. \"quantity >= 0\"", faults);
  if (const Node* columns = node.find("columns")) check.columns = read_texts(*columns, below("columns"), faults);
  read_choice_of(node, "severity", label, check.severity, faults);
  if (const Node* message = node.find("message"))
    check.message = read_text(*message, below("message"), faults).value_or("");
  if (const Node* code = node.find("code")) check.code = read_slug(*code, below("code"), faults).value_or("");
  if (const Node* step = node.find("step")) check.step = read_slug(*step, below("step"), faults).value_or("");
  return check;
}

}  // namespace lade::definition
