#include "drafting/from_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>

#include "definition/header_name.h"
#include "drafting/schema_field.h"

namespace lade::drafting {
namespace {

namespace json = boost::json;

const json::array* array_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? &value->as_array() : nullptr;
}

const json::object* object_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? &value->as_object() : nullptr;
}

// The resource of a package that describes the file.
Result<const json::object*> find_resource(const json::array& resources, const std::string& file) {
  std::vector<std::string> paths;
  const std::string wanted = std::filesystem::path(file).filename().string();
  for (const json::value& one : resources) {
    if (!one.is_object()) continue;
    paths.push_back(text_at(one.as_object(), "path"));
    if (!wanted.empty() && std::filesystem::path(paths.back()).filename() == wanted) return &one.as_object();
  }
  if (paths.size() == 1) return &resources.front().as_object();
  return fail(schema_invalid(
      fmt::format("it describes several files and none of them is '{}': {}", wanted, fmt::join(paths, ", "))));
}

std::string missing_values(const json::object& schema) {
  std::vector<std::string> words;
  if (const json::array* values = array_at(schema, "missingValues"))
    for (const json::value& value : *values)
      if (value.is_string() && !value.as_string().empty()) words.emplace_back(value.as_string());
  return words.empty() ? std::string() : yaml_list(words);
}

void read_dialect(const json::object& resource, Draft& draft) {
  if (const std::string encoding = text_at(resource, "encoding"); !encoding.empty())
    draft.source.emplace_back("encoding", yaml_text(encoding));
  const json::object* dialect = object_at(resource, "dialect");
  if (dialect == nullptr) return;
  for (const auto& [key, setting] : {std::pair("delimiter", "delimiter"), std::pair("quoteChar", "quote")})
    if (const std::string sign = text_at(*dialect, key); sign.size() == 1)
      draft.source.emplace_back(setting, sign == "\t" ? "tab" : yaml_text(sign));
  const std::string escape = text_at(*dialect, "escapeChar");
  if (escape.size() == 1 && escape != text_at(*dialect, "quoteChar") && escape != "\"")
    draft.source.emplace_back("escape", yaml_text(escape));
  if (const json::value* header = dialect->if_contains("header");
      header != nullptr && header->is_bool() && !header->as_bool())
    draft.source.emplace_back("header_row", "0");
}

// A primary key is a name or a list of them; without one a unique and required column serves.
std::vector<std::string> key_of(const json::object& schema, const json::array& fields) {
  std::vector<std::string> names;
  if (const std::string one = text_at(schema, "primaryKey"); !one.empty()) return {one};
  if (const json::array* several = array_at(schema, "primaryKey"))
    for (const json::value& name : *several)
      if (name.is_string()) names.emplace_back(name.as_string());
  if (!names.empty()) return names;
  for (const json::value& field : fields) {
    const json::object* constraints = object_at(field.as_object(), "constraints");
    const json::value* unique = constraints == nullptr ? nullptr : constraints->if_contains("unique");
    if (unique != nullptr && unique->is_bool() && unique->as_bool()) return {text_at(field.as_object(), "name")};
  }
  return names;
}

void require(DraftColumn& column) {
  const bool known = std::any_of(column.settings.begin(), column.settings.end(),
                                 [](const auto& setting) { return setting.first == "required"; });
  if (!known) column.settings.emplace_back("required", "true");
}

Result<void> read_key(const json::object& schema, const json::array& fields, Draft& draft) {
  for (const std::string& name : key_of(schema, fields)) {
    const auto found = std::find_if(draft.columns.begin(), draft.columns.end(),
                                    [&](const DraftColumn& column) { return column.from == name; });
    if (found == draft.columns.end())
      return fail(schema_invalid(fmt::format("the primary key names '{}', which is no field", name)));
    require(*found);
    draft.key.push_back(found->name);
  }
  draft.reject_duplicates = !draft.key.empty();
  if (draft.key.empty()) draft.key_comments.emplace_back("the schema has no key: name one, or rows are only added");
  return {};
}

Result<Draft> draft_of(const json::object& schema, const json::object* resource, const std::string& name,
                       const std::string& table) {
  const json::array* fields = array_at(schema, "fields");
  if (fields == nullptr || fields->empty()) return fail(schema_invalid("it has no fields"));
  Draft draft;
  draft.slug = definition::plain_name(name);
  draft.table = table.empty() ? draft.slug : table;
  draft.comments.emplace_back(
      "Drafted by lade from a Table Schema: read it, decide what it leaves open, and check it with lade definitions "
      "validate.");
  if (resource != nullptr) read_dialect(*resource, draft);
  const std::string missing = missing_values(schema);
  for (const json::value& field : *fields) {
    LADE_ASSIGN(DraftColumn column, draft_of_field(field, missing));
    draft.columns.push_back(std::move(column));
  }
  name_columns(draft);
  LADE_TRY(read_key(schema, *fields, draft));
  return draft;
}

}  // namespace

Result<Draft> draft_from_schema(std::string_view text, const std::string& file, const std::string& table) {
  boost::system::error_code error;
  const json::value document = json::parse(text, error);
  if (error) return fail(schema_invalid(fmt::format("it is no JSON: {}", error.message())));
  if (!document.is_object()) return fail(schema_invalid("it is no object"));
  const json::object& object = document.as_object();
  const json::array* resources = array_at(object, "resources");
  const std::string stem = std::filesystem::path(file).stem().string();
  if (resources == nullptr) return draft_of(object, nullptr, stem.empty() ? "table" : stem, table);
  LADE_ASSIGN(const json::object* const resource, find_resource(*resources, file));
  const json::object* schema = object_at(*resource, "schema");
  if (schema == nullptr)
    return fail(schema_invalid(fmt::format("the resource '{}' has no schema of its own", text_at(*resource, "name"))));
  const std::string name = text_at(*resource, "name");
  return draft_of(*schema, resource, name.empty() ? stem : name, table);
}

}  // namespace lade::drafting
