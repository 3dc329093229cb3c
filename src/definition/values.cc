#include "definition/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lade::definition {
namespace {

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::array<std::string_view, 6> kContextValues = {"company", "project", "user", "user_id", "job", "now"};
constexpr std::array<std::string_view, 3> kForeignSchemas = {"pg_catalog.", "information_schema.", "pg_toast."};

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

bool is_slug(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_part = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= 63 && is_lower(text.front()) && std::all_of(text.begin(), text.end(), is_part);
}

}  // namespace

bool is_reserved_table(std::string_view name) {
  const std::string folded = lowered(name);
  const std::string_view whole = folded;
  const std::size_t dot = whole.rfind('.');
  const std::string_view bare = dot == std::string_view::npos ? whole : whole.substr(dot + 1);
  const bool foreign = std::any_of(kForeignSchemas.begin(), kForeignSchemas.end(),
                                   [&](std::string_view schema) { return whole.starts_with(schema); });
  return foreign || bare.starts_with("lade_") || bare.starts_with("sqlite_") || bare.starts_with("pg_");
}

void report_unsupported(Place place, std::string_view label, const Later& later, Faults& faults) {
  faults.error(place, "unsupported",
               fmt::format("{}: {} is not supported yet; {}", label, in_quotes(later.name), later.instead));
}

bool check_map(const Node& node, std::string_view label, std::span<const std::string_view> known,
               std::span<const Later> later, Faults& faults) {
  if (!node.is_map()) {
    report_kind(node, label, "a map", faults);
    return false;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node& key = node.key(i);
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    const auto is_key = [&](const Later& entry) { return entry.name == key.text; };
    if (const auto found = std::find_if(later.begin(), later.end(), is_key); found != later.end()) {
      report_unsupported(key.place, label, *found, faults);
      continue;
    }
    faults.error(key.place, "definition_unknown_key",
                 fmt::format("{}: unknown key {}{}", label, in_quotes(key.text),
                             suggestion(key.text, std::vector<std::string_view>(known.begin(), known.end()))));
  }
  return true;
}

void report_kind(const Node& node, std::string_view label, std::string_view expected, Faults& faults) {
  const std::string found = node.is_scalar() ? in_quotes(node.text) : std::string(kind_name(node));
  faults.error(node.place, "definition_wrong_kind", fmt::format("{}: expected {}, found {}", label, expected, found));
}

void report_missing(Place place, std::string_view label, std::string_view key, std::string_view expected,
                    Faults& faults) {
  faults.error(place, "definition_missing_key", fmt::format("{}: key '{}' is missing; {}", label, key, expected));
}

std::optional<std::string> read_text(const Node& node, std::string_view label, Faults& faults) {
  if (node.is_scalar()) return node.text;
  report_kind(node, label, "text", faults);
  return std::nullopt;
}

std::optional<bool> read_boolean(const Node& node, std::string_view label, Faults& faults) {
  const auto value = node.boolean();
  if (!value) report_kind(node, label, "true or false", faults);
  return value;
}

std::optional<std::int64_t> read_integer(const Node& node, std::string_view label, std::int64_t least,
                                         std::int64_t most, Faults& faults) {
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  std::int64_t value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, problem] = std::from_chars(node.text.data(), end, value);
  if (!node.is_scalar() || !node.plain || problem == std::errc::invalid_argument || stop != end) {
    report_kind(node, label, expected, faults);
    return std::nullopt;
  }
  if (problem != std::errc() || value < least || value > most) {
    faults.error(node.place, "definition_bad_value",
                 fmt::format("{}: {} is out of range; expected {}", label, in_quotes(node.text), expected));
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> read_texts(const Node& node, std::string_view label, Faults& faults) {
  if (!node.is_scalar() && !node.is_list()) {
    report_kind(node, label, "a text or a list of texts", faults);
    return {};
  }
  std::vector<std::string> texts;
  const std::span<const Node> items = node.is_list() ? std::span(node.items) : std::span(&node, 1);
  for (const Node& item : items) {
    auto text = read_text(item, label, faults);
    if (!text) continue;
    if (text->empty())
      faults.error(item.place, "definition_bad_value", fmt::format("{}: a text is empty", label));
    else if (std::find(texts.begin(), texts.end(), *text) != texts.end())
      faults.error(item.place, "definition_bad_value", fmt::format("{}: {} stands twice", label, in_quotes(*text)));
    else
      texts.push_back(std::move(*text));
  }
  if (node.is_list() && node.size() == 0)
    faults.error(node.place, "definition_bad_value", fmt::format("{}: the list is empty", label));
  return texts;
}

std::vector<std::string> read_null_values(const Node& node, std::string_view label, Faults& faults) {
  std::vector<std::string> values;
  if (!node.is_list()) {
    report_kind(node, label, "a list of texts such as [NA, '-']", faults);
    return values;
  }
  for (const Node& item : node.items) {
    if (!item.is_scalar() && (!item.is_null() || item.text.empty()))
      report_kind(item, label, "text", faults);
    else
      values.push_back(item.text);
  }
  return values;
}

std::optional<FixedValue> read_fixed_value(const Node& node, std::string_view label, Faults& faults) {
  auto text = read_text(node, label, faults);
  if (!text) return std::nullopt;
  if (!text->starts_with('$')) return FixedValue{std::move(*text), false};
  std::string name = text->substr(1);
  if (name.starts_with('$')) return FixedValue{std::move(name), false};
  if (std::find(kContextValues.begin(), kContextValues.end(), name) != kContextValues.end())
    return FixedValue{std::move(name), true};
  faults.error(node.place, "definition_bad_value",
               fmt::format("{}: unknown context value {}{}; write $$ for a text that begins with $", label,
                           in_quotes(*text), suggestion(name, {kContextValues.begin(), kContextValues.end()})));
  return std::nullopt;
}

std::optional<std::string> read_table(const Node& node, std::string_view label, Faults& faults) {
  auto name = read_text(node, label, faults);
  if (!name) return std::nullopt;
  const bool well_formed = !name->empty() && name->front() != '.' && name->back() != '.' &&
                           std::count(name->begin(), name->end(), '.') <= 1 && name->size() <= kMaxNameBytes &&
                           !has_control_characters(*name);
  if (!well_formed) {
    faults.error(node.place, "definition_bad_value",
                 fmt::format("{}: {} is not a table's name; expected table or schema.table", label, in_quotes(*name)));
    return std::nullopt;
  }
  if (is_reserved_table(*name)) {
    faults.error(
        node.place, "definition_reserved_table",
        fmt::format("{}: table {} belongs to lade or to the database; name one of your own", label, in_quotes(*name)));
    return std::nullopt;
  }
  return name;
}

bool is_column_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && !has_control_characters(text);
}

bool check_column_name(const Node& node, std::string_view label, Faults& faults) {
  if (is_column_name(node.text)) return true;
  faults.error(node.place, "definition_bad_value",
               fmt::format("{}: {} is not a column's name; expected 1 to {} bytes without control characters", label,
                           in_quotes(node.text), kMaxNameBytes));
  return false;
}

std::optional<std::string> read_slug(const Node& node, std::string_view label, Faults& faults) {
  auto text = read_text(node, label, faults);
  if (!text || (is_slug(*text) && !node.boolean())) return text;
  faults.error(
      node.place, "definition_bad_value",
      fmt::format("{}: {} is not accepted; expected at most 63 lower-case letters, digits and _, a letter first", label,
                  in_quotes(*text)));
  return std::nullopt;
}

void report_choice(const Node& node, std::string_view label, const std::vector<std::string_view>& names,
                   Faults& faults) {
  if (!node.is_scalar()) return report_kind(node, label, "one of " + joined(names), faults);
  const std::string near = suggestion(node.text, names);
  faults.error(node.place, "definition_bad_value",
               fmt::format("{}: {} is not accepted; expected one of {}{}", label, in_quotes(node.text), joined(names),
                           near.starts_with("; did") ? near : ""));
}

}  // namespace lade::definition
