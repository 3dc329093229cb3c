#include "definition/type.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr int kMaxPrecision = 38;
constexpr std::string_view kAccepted = "text, integer, decimal(p,s), boolean, date, timestamp, uuid, json";

// What other systems call them.
constexpr std::pair<std::string_view, std::string_view> kForeignNames[] = {
    {"string", "text"},        {"varchar", "text"},          {"char", "text"},           {"int", "integer"},
    {"bigint", "integer"},     {"smallint", "integer"},      {"number", "decimal(p,s)"}, {"numeric", "decimal(p,s)"},
    {"float", "decimal(p,s)"}, {"double", "decimal(p,s)"},   {"real", "decimal(p,s)"},   {"bool", "boolean"},
    {"datetime", "timestamp"}, {"timestamptz", "timestamp"}, {"time", "timestamp"},      {"jsonb", "json"},
    {"guid", "uuid"},
};

void report_unknown(const Node& node, std::string_view label, Faults& faults) {
  const std::string_view text = node.text;
  const std::string_view word = text.substr(0, text.find_first_of(" ("));
  std::string hint;
  for (const auto& [foreign, ours] : kForeignNames)
    if (foreign == word) hint = fmt::format("; did you mean '{}'?", ours);
  if (hint.empty()) hint = suggestion(word, names_of<TypeKind>());
  faults.error(node.place, "definition_bad_value",
               fmt::format("{}: unknown type {}; expected one of {}{}", label, in_quotes(text), kAccepted,
                           hint.starts_with("; did") ? hint : ""));
}

std::optional<Type> read_decimal(const Node& node, std::string_view label, Faults& faults) {
  static const RE2 form(R"(decimal *\( *(\d{1,4}) *, *(-?\d{1,4}) *\))");
  Type type{TypeKind::decimal, 0, 0};
  if (!RE2::FullMatch(node.text, form, &type.precision, &type.scale)) {
    faults.error(node.place, "definition_bad_value",
                 fmt::format("{}: {} lacks its precision and scale; write decimal(14,4)", label, in_quotes(node.text)));
    return std::nullopt;
  }
  const bool fits =
      type.precision >= 1 && type.precision <= kMaxPrecision && type.scale >= 0 && type.scale <= type.precision;
  if (fits) return type;
  faults.error(node.place, "definition_bad_value",
               fmt::format("{}: {} is out of range; the precision is 1 to {}, the scale 0 to the precision", label,
                           in_quotes(node.text), kMaxPrecision));
  return std::nullopt;
}

}  // namespace

std::optional<Type> read_type(const Node& node, std::string_view label, Faults& faults) {
  const auto text = read_text(node, label, faults);
  if (!text) return std::nullopt;
  if (*text == "code") {
    report_unsupported(node.place, label, {"code", "use text with a lookup, or with values"}, faults);
    return std::nullopt;
  }
  if (text->starts_with("decimal")) return read_decimal(node, label, faults);
  for (const auto& named : kNames<TypeKind>)
    if (named.name == *text) return Type{named.value, 0, 0};
  report_unknown(node, label, faults);
  return std::nullopt;
}

}  // namespace lade::definition
