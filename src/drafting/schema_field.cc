#include "drafting/schema_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lade::drafting {
namespace {

namespace json = boost::json;

// What a type of the schema becomes. Types that definitions lack are text of a certain form.
struct FieldType {
  std::string_view name;
  std::string_view type;     // empty: text
  std::string_view pattern;  // empty: any
  std::string_view comment;
};
constexpr std::array<FieldType, 17> kTypes = {{
    {"string", "", "", ""},
    {"any", "", "", ""},
    {"integer", "integer", "", ""},
    {"number", "decimal(38,10)", "", "the schema does not say how many decimals a number has"},
    {"boolean", "boolean", "", ""},
    {"date", "date", "", ""},
    {"datetime", "timestamp", "", ""},
    {"object", "json", "", ""},
    {"array", "json", "", ""},
    {"geojson", "json", "", ""},
    {"list", "", "", "a list in one cell"},
    {"time", "", "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?Z?", "a time of day"},
    {"year", "", "-?[0-9]{4}", ""},
    {"yearmonth", "", "-?[0-9]{4}-(0[1-9]|1[0-2])", ""},
    {"duration", "", "-?P[0-9YMWDTHS.]+", "a duration"},
    {"geopoint", "", "-?[0-9.]+, *-?[0-9.]+", "longitude, latitude"},
    {"geopoint/object", "json", "", "longitude and latitude"},
}};

constexpr std::string_view kEmail = "[^@ ]+@[^@ ]+\\.[^@ ]+";
constexpr std::string_view kUri = "[A-Za-z][A-Za-z0-9+.-]*://[^ ]+";

// A value of the schema as the text of a cell.
std::string cell_of(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

bool is_true(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->as_bool();
}

class FieldReader {
 public:
  FieldReader(const json::object& field, DraftColumn& column) : field_(field), column_(column) {}

  Result<void> read() {
    std::string type = text_at(field_, "type");
    if (type.empty()) type = "string";
    format_ = text_at(field_, "format");
    if (format_ == "default") format_.clear();
    if (type == "geopoint" && format_ == "object") type = "geopoint/object";
    if (type == "geopoint" && format_ == "array") type = "array";
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const FieldType& t) { return t.name == type; });
    if (found == kTypes.end())
      return fail(schema_invalid(fmt::format("field '{}': there is no type '{}'", column_.from, type)));
    if (!found->type.empty()) set("type", yaml_text(std::string(found->type)));
    if (!found->comment.empty()) column_.comments.emplace_back(found->comment);
    pattern_ = found->pattern;
    read_format(type);
    read_constraints();
    if (!pattern_.empty()) set("pattern", yaml_text(pattern_));
    return {};
  }

 private:
  void set(std::string key, std::string value) { column_.settings.emplace_back(std::move(key), std::move(value)); }
  void unset_type() {
    std::erase_if(column_.settings, [](const auto& setting) { return setting.first == "type"; });
  }

  void read_format(const std::string& type) {
    if (type == "date" || type == "datetime") read_date_format();
    if (type == "time" && !format_.empty()) pattern_.clear();
    if (type == "string" && format_ == "email") pattern_ = kEmail;
    if (type == "string" && format_ == "uri") pattern_ = kUri;
    if (type == "string" && format_ == "uuid") set("type", "uuid");
    if (type == "number" || type == "integer") read_number_format();
    if (type == "boolean") read_boolean_format();
  }

  // What people may write as they like, or what cannot be said, stays text.
  void read_date_format() {
    if (format_.empty()) return;
    const std::string format = date_format(format_);
    if (!format.empty()) return set("format", yaml_text(format));
    unset_type();
    column_.comments.push_back(
        fmt::format("decide: a date in the format '{}', which a definition cannot say", format_));
  }

  void read_number_format() {
    const std::string decimal = text_at(field_, "decimalChar"), group = text_at(field_, "groupChar");
    if (const json::value* bare = field_.if_contains("bareNumber");
        bare != nullptr && bare->is_bool() && !bare->as_bool())
      column_.comments.emplace_back("decide: the schema allows signs such as % or € around the number (format)");
    if (decimal == "," && (group == " " || group == "\u00A0")) return set("locale", "fr-FR");
    if (decimal == ",") return set("locale", "de-DE");
    if (group == ",") return set("locale", "en-US");
    if (group == "'") return set("locale", "de-CH");
  }

  void read_boolean_format() {
    const json::value* yes = field_.if_contains("trueValues");
    const json::value* no = field_.if_contains("falseValues");
    if (yes == nullptr || no == nullptr || !yes->is_array() || !no->is_array()) return;
    if (yes->as_array().size() == 1 && no->as_array().size() == 1)
      return set("format", yaml_text(fmt::format("{}/{}", cell_of(yes->as_array()[0]), cell_of(no->as_array()[0]))));
    column_.comments.push_back(
        fmt::format("decide: true is {}, false is {}", json::serialize(*yes), json::serialize(*no)));
  }

  void read_constraints() {
    const json::value* found = field_.if_contains("constraints");
    if (found == nullptr || !found->is_object()) return;
    const json::object& constraints = found->as_object();
    if (is_true(constraints, "required")) set("required", "true");
    if (is_true(constraints, "unique")) column_.comments.emplace_back("unique: each value comes once");
    for (const auto& [key, setting] : {std::pair("minLength", "min_length"), std::pair("maxLength", "max_length"),
                                       std::pair("minimum", "min"), std::pair("maximum", "max")})
      if (const json::value* value = constraints.if_contains(key))
        set(setting, value->is_string() ? yaml_text(cell_of(*value)) : cell_of(*value));
    if (const json::value* value = constraints.if_contains("enum"); value != nullptr && value->is_array()) {
      std::vector<std::string> cells;
      for (const json::value& cell : value->as_array()) cells.push_back(cell_of(cell));
      set("values", yaml_list(cells));
    }
    if (std::string pattern = text_at(constraints, "pattern"); !pattern.empty()) pattern_ = std::move(pattern);
  }

  const json::object& field_;
  DraftColumn& column_;
  std::string format_;
  std::string pattern_;
};

}  // namespace

std::string text_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

Error schema_invalid(std::string message) {
  return {"schema_invalid", std::move(message), "a Frictionless Table Schema or datapackage.json", ErrorKind::invalid};
}

// Parts of one or two digits where something stands between them, as strptime reads them.
std::string date_format(std::string_view strptime) {
  static constexpr std::array<std::array<std::string_view, 3>, 12> kDirectives = {{
      {"Y", "YYYY", "YYYY"},
      {"y", "YY", "YY"},
      {"m", "MM", "M"},
      {"b", "MMM", "MMM"},
      {"B", "MMMM", "MMMM"},
      {"d", "DD", "D"},
      {"H", "HH", "H"},
      {"I", "hh", "h"},
      {"M", "mm", "m"},
      {"S", "ss", "s"},
      {"p", "a", "a"},
      {"z", "Z", "Z"},
  }};
  constexpr std::string_view kLetters = "YMDHhmsSaZ'";
  std::string format;
  for (std::size_t at = 0; at < strptime.size(); ++at) {
    if (strptime[at] != '%') {
      const bool letter = kLetters.find(strptime[at]) != std::string_view::npos;
      format += letter ? fmt::format("'{}'", strptime[at]) : std::string(1, strptime[at]);
      continue;
    }
    const std::string_view name = strptime.substr(++at, 1);
    const auto found =
        std::find_if(kDirectives.begin(), kDirectives.end(), [&](const auto& d) { return d[0] == name; });
    if (found == kDirectives.end()) return {};
    const bool beside = at + 1 < strptime.size() && strptime[at + 1] == '%';
    const bool before = at >= 3 && strptime[at - 3] == '%';
    format += (*found)[beside || before ? 1 : 2];
  }
  return format.find("YY") == std::string::npos ? std::string() : format;
}

Result<DraftColumn> draft_of_field(const json::value& field, const std::string& missing_values) {
  if (!field.is_object()) return fail(schema_invalid("a field is no object"));
  DraftColumn column;
  column.from = text_at(field.as_object(), "name");
  if (column.from.empty()) return fail(schema_invalid("a field has no name"));
  if (const std::string title = text_at(field.as_object(), "title"); !title.empty()) column.comments.push_back(title);
  if (const std::string text = text_at(field.as_object(), "description"); !text.empty())
    column.comments.push_back(text);
  LADE_TRY(FieldReader(field.as_object(), column).read());
  if (!missing_values.empty()) column.settings.emplace_back("null_values", missing_values);
  return column;
}

}  // namespace lade::drafting
