#include <fmt/format.h>
#include <re2/re2.h>

#include <array>

#include "definition/bounds.h"
#include "definition/sections.h"
#include "definition/type.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::int64_t kMaxLength = std::int64_t{1} << 20U;  // of a cell
constexpr std::size_t kMaxFormats = 8;
constexpr std::string_view kOrigins[] = {"from", "value", "expression", "lookup"};
constexpr std::string_view kKeys[] = {"from",       "value",       "expression", "lookup",   "type",   "required",
                                      "blank",      "null_values", "default",    "values",   "locale", "format",
                                      "timezone",   "trim",        "min",        "max",      "length", "min_length",
                                      "max_length", "pattern",     "sensitive",  "severity", "cut",    "infinity",
                                      "purpose",    "identifying", "step",       "replace"};
constexpr Later kLater[] = {
    {"handler", "compute the value before the import"},
    {"fetch", "fetch the pages before the import"},
    {"extract", "extract the value before the import"},
    {"resolve", "use a lookup"},
    {"sql", "use a lookup or a check"},
};

class ColumnReader {
 public:
  ColumnReader(const Node& node, DataColumn& column, std::string label, Faults& faults)
      : node_(node), column_(column), label_(std::move(label)), faults_(faults) {}

  void read() {
    if (!check_map(node_, label_, kKeys, kLater, faults_)) return;
    read_origin();
    read_type_and_format();
    read_blank();
    read_values();
    read_replace();
    read_lengths();
    read_bounds();
    read_pattern();
    read_string("cut", column_.cut);
    read_flag("required", column_.required);
    read_flag("trim", column_.trim);
    read_flag("sensitive", column_.sensitive);
    read_choice_of(node_, "severity", label_, column_.severity, faults_);
    read_part();
    check_consistency();
  }

 private:
  std::string label(std::string_view key) const { return fmt::format("{}.{}", label_, key); }
  void bad_value(const Node& node, std::string_view key, std::string message) {
    faults_.error(node.place, "definition_bad_value", fmt::format("{}: {}", label(key), message));
  }

  void read_flag(std::string_view key, bool& into) {
    if (const Node* node = node_.find(key)) into = read_boolean(*node, label(key), faults_).value_or(into);
  }
  void read_string(std::string_view key, std::string& into) {
    const Node* node = node_.find(key);
    if (node == nullptr) return;
    into = read_text(*node, label(key), faults_).value_or("");
    if (node->is_scalar() && into.empty()) bad_value(*node, key, "the text is empty; leave the key out");
  }

  void read_origin() {
    const Node* first = nullptr;
    std::string_view first_name;
    for (const std::string_view origin : kOrigins) {
      const Node* node = node_.find(origin);
      if (node == nullptr) continue;
      if (first != nullptr)
        bad_value(*node, origin,
                  fmt::format("'{}' says already where the value comes from; keep one of them", first_name));
      first = node;
      first_name = origin;
    }
    if (const Node* node = node_.find("from")) column_.from = read_texts(*node, label("from"), faults_);
    if (const Node* node = node_.find("value")) column_.value = read_fixed_value(*node, label("value"), faults_);
    read_choice_of(node_, "expression", label_, column_.expression, faults_);
    if (const Node* node = node_.find("lookup")) column_.lookup = read_lookup(*node, label("lookup"), faults_);
    read_purpose();
    if (first == nullptr && column_.purpose == DataColumn::Purpose::source_input) column_.from = {column_.name};
  }

  void read_purpose() {
    read_choice_of(node_, "purpose", label_, column_.purpose, faults_);
    if (column_.from.empty() || column_.purpose == DataColumn::Purpose::source_input) return;
    bad_value(*node_.find("purpose"), "purpose",
              fmt::format("a column that is {} does not come from the file; leave out from", name_of(column_.purpose)));
  }

  // What the column is in a definition made of steps.
  void read_part() {
    read_flag("infinity", column_.infinity);
    warn_without_effect("infinity", column_.type.kind == TypeKind::date, "date");
    if (const Node* node = node_.find("step")) column_.step = read_slug(*node, label("step"), faults_).value_or("");
    read_flag("identifying", column_.identifying);
    if (column_.identifying && (column_.lookup || column_.purpose != DataColumn::Purpose::source_input))
      bad_value(*node_.find("identifying"), "identifying",
                "rows of the file are told apart by what stands in it; it is for columns of purpose source_input");
  }

  bool is_now() const {
    return column_.expression == DataColumn::SourceExpression::now ||
           (column_.value && column_.value->is_context && column_.value->text == "now");
  }

  void read_type_and_format() {
    if (const Node* node = node_.find("type")) {
      column_.type_given = true;
      column_.type = read_type(*node, label("type"), faults_).value_or(Type{});
      const TypeKind kind = column_.type.kind;
      if (is_now() && kind != TypeKind::timestamp && kind != TypeKind::date && kind != TypeKind::text)
        bad_value(*node, "type", fmt::format("now cannot be {}; use timestamp, date or text", in_quotes(node->text)));
    } else if (is_now()) {
      column_.type.kind = TypeKind::timestamp;
    }
    read_shaped("locale", column_.locale, R"([A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*)", "a locale such as de-DE");
    if (const Node* node = node_.find("format")) column_.formats = read_texts(*node, label("format"), faults_);
    read_shaped("timezone", column_.timezone, R"([A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*)",
                "a zone such as Europe/Berlin");
    check_formats();
  }

  void check_formats() {
    const TypeKind kind = column_.type.kind;
    const bool is_date = kind == TypeKind::date || kind == TypeKind::timestamp;
    const bool is_number = kind == TypeKind::integer || kind == TypeKind::decimal;
    warn_without_effect("locale", is_number || is_date, "integer, decimal, date or timestamp");
    warn_without_effect("format", is_number || is_date || kind == TypeKind::boolean,
                        "integer, decimal, date, timestamp or boolean");
    warn_without_effect("timezone", kind == TypeKind::timestamp, "timestamp");
    if (is_number)
      for (const std::string& format : column_.formats) check_number_format(format);
    const std::size_t most = kind == TypeKind::boolean ? 1 : kMaxFormats;
    if (column_.formats.size() > most)
      bad_value(
          *node_.find("format"), "format",
          fmt::format("{} formats; type {} takes at most {}", column_.formats.size(), to_string(column_.type), most));
  }

  void check_number_format(const std::string& format) {
    static const RE2 known(R"(accounting|percent|currency(\([A-Z]{3}\))?)");
    const Node& node = *node_.find("format");
    const Place place = node.place_of(format);
    if (!RE2::FullMatch(format, known))
      faults_.error(place, "definition_bad_value",
                    fmt::format("{}: {} is not accepted; a number takes currency, currency(EUR), percent or accounting",
                                label("format"), in_quotes(format)));
    else if (format == "percent" && column_.type.kind == TypeKind::integer)
      faults_.error(place, "definition_bad_value",
                    fmt::format("{}: 19 % is 0.19; percent needs type decimal(p,s)", label("format")));
  }

  void read_shaped(std::string_view key, std::string& into, const char* shape, std::string_view expected) {
    read_string(key, into);
    if (!into.empty() && !RE2::FullMatch(into, shape))
      bad_value(*node_.find(key), key, fmt::format("{} is not accepted; expected {}", in_quotes(into), expected));
  }

  void warn_without_effect(std::string_view key, bool has_effect, std::string_view types) {
    const Node* node = node_.find(key);
    if (node == nullptr || has_effect) return;
    faults_.warning(
        node->place, "definition_no_effect",
        fmt::format("{}: has no effect on type {}; it is for {}", label(key), to_string(column_.type), types));
  }

  void read_blank() {
    column_.blank_given = read_choice_of(node_, "blank", label_, column_.blank, faults_);
    if (const Node* node = node_.find("default")) column_.default_value = read_text(*node, label("default"), faults_);
    if (const Node* node = node_.find("null_values")) {
      column_.null_values = read_null_values(*node, label("null_values"), faults_);
      column_.null_values_given = true;
    }
  }

  void read_values() {
    const Node* node = node_.find("values");
    if (node == nullptr) return;
    column_.values_only = true;
    if (node->is_map()) {
      for (std::size_t i = 0; i < node->size(); ++i)
        if (auto text = read_text(node->value(i), label("values"), faults_))
          column_.values.emplace_back(node->key(i).text, std::move(*text));
    } else if (node->is_list()) {
      for (std::string& text : read_texts(*node, label("values"), faults_)) column_.values.emplace_back(text, text);
    } else {
      return report_kind(*node, label("values"), "a list of texts or a map cell: value", faults_);
    }
    if (node->is_map() && node->size() == 0) bad_value(*node, "values", "the map is empty");
  }

  void read_replace() {
    const Node* node = node_.find("replace");
    if (node == nullptr) return;
    if (!node->is_map()) return report_kind(*node, label("replace"), "a map cell: text", faults_);
    for (std::size_t i = 0; i < node->size(); ++i)
      if (auto text = read_text(node->value(i), label("replace"), faults_))
        column_.replace.emplace_back(node->key(i).text, std::move(*text));
    if (column_.from.empty()) bad_value(*node, "replace", "it is for columns of the file");
  }

  std::optional<std::int64_t> read_length(std::string_view key) {
    const Node* node = node_.find(key);
    if (node == nullptr) return std::nullopt;
    return read_integer(*node, label(key), 0, kMaxLength, faults_);
  }

  void read_lengths() {
    column_.min_length = read_length("min_length");
    column_.max_length = read_length("max_length");
    if (const Node* node = node_.find("length")) {
      if (column_.min_length || column_.max_length)
        bad_value(*node, "length", "stands for min_length and max_length together; leave those out");
      column_.min_length = column_.max_length = read_length("length");
    } else if (column_.min_length && column_.max_length && *column_.min_length > *column_.max_length) {
      bad_value(*node_.find("min_length"), "min_length",
                fmt::format("{} is more than max_length {}", *column_.min_length, *column_.max_length));
    }
  }

  std::optional<Ordinal> read_bound(std::string_view key, std::optional<std::string>& into) {
    const Node* node = node_.find(key);
    if (node == nullptr) return std::nullopt;
    into = read_text(*node, label(key), faults_);
    if (!into) return std::nullopt;
    if (!has_order(column_.type.kind)) {
      bad_value(
          *node, key,
          fmt::format("type {} has no order; it is for integer, decimal, date and timestamp", to_string(column_.type)));
      return std::nullopt;
    }
    const auto ordinal = parse_bound(column_.type, *into);
    if (!ordinal)
      bad_value(*node, key,
                fmt::format("{} is not a value of type {}; expected {}", in_quotes(*into), to_string(column_.type),
                            bound_example(column_.type.kind)));
    return ordinal;
  }

  void read_bounds() {
    // A type that could not be read says nothing about its bounds.
    if (column_.type_given && node_.find("type")->text != "text" && column_.type == Type{}) return;
    const auto least = read_bound("min", column_.min);
    const auto most = read_bound("max", column_.max);
    if (least && most && *least > *most)
      bad_value(*node_.find("min"), "min", fmt::format("{} is more than max {}", *column_.min, *column_.max));
  }

  void read_pattern() {
    read_string("pattern", column_.pattern);
    if (column_.pattern.empty()) return;
    const RE2 compiled(column_.pattern, RE2::Quiet);
    if (!compiled.ok())
      bad_value(*node_.find("pattern"), "pattern",
                fmt::format("{} is not an RE2 pattern: {}", in_quotes(column_.pattern), compiled.error()));
  }

  void check_consistency() {
    if (column_.expression == DataColumn::SourceExpression::default_value && !column_.default_value)
      report_missing(node_.find("expression")->place, label_, "default",
                     "'expression: default' takes its value from it", faults_);
    if (!column_.default_value || !column_.values_only) return;
    for (const auto& [cell, value] : column_.values)
      if (cell.empty())
        return bad_value(*node_.find("default"), "default",
                         "'values' says already what an empty cell means; keep one of the two");
    for (const auto& [cell, value] : column_.values)
      if (cell == *column_.default_value || value == *column_.default_value) return;
    bad_value(*node_.find("default"), "default",
              fmt::format("{} is not one of values", in_quotes(*column_.default_value)));
  }

  const Node& node_;
  DataColumn& column_;
  std::string label_;
  Faults& faults_;
};

}  // namespace

DataColumn read_column(const Node& key, const Node& node, const std::string& label, Faults& faults) {
  DataColumn column;
  column.name = key.text;
  column.line = key.place.line;
  check_column_name(key, label.substr(0, label.size() - key.text.size() - 1), faults);
  if (node.is_null()) {
    column.from = {column.name};
  } else if (node.is_scalar()) {
    column.from = read_texts(node, label, faults);
  } else {
    ColumnReader(node, column, label, faults).read();
  }
  return column;
}

}  // namespace lade::definition
