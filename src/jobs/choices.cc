#include "jobs/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "analysis/cast.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
using definition::DataColumn;
using definition::Definition;

Error invalid(std::string message, std::string hint = {}) {
  return {"choice_invalid", std::move(message), std::move(hint), ErrorKind::usage};
}

// The column of that name, if it is read from the file.
Result<DataColumn*> require_column(Definition& definition, std::string_view name) {
  const auto found = std::ranges::find(definition.columns, name, &DataColumn::name);
  if (found == definition.columns.end())
    return fail(invalid(fmt::format("the definition has no column '{}'", name), "name one of its columns"));
  if (found->from.empty())
    return fail(invalid(fmt::format("column '{}' does not come from the file", name),
                        "choose for the columns that it is made of"));
  return &*found;
}

// In which order day, month and year stand, where neither the definition nor the file tells.
Result<void> choose_format(DataColumn& column, const json::value& format) {
  const bool has_order =
      column.type.kind == definition::TypeKind::date || column.type.kind == definition::TypeKind::timestamp;
  if (!has_order) return fail(invalid(fmt::format("column '{}' has no dates", column.name), "leave out its format"));
  if (!format.is_string() || !analysis::DateFormat::parse(std::string_view(format.get_string()), ""))
    return fail(invalid(fmt::format("mapping.{}.format is no format of dates", column.name), "such as DD/MM/YYYY"));
  column.formats = {std::string(format.get_string())};
  return {};
}

Result<void> choose_source(Definition& definition, std::string_view name, const json::value& choice) {
  LADE_ASSIGN(DataColumn* const column, require_column(definition, name));
  const json::object* const object = choice.if_object();
  const bool whole = object != nullptr && object->size() == 2 && object->contains("from") && object->contains("format");
  if (object != nullptr && !whole)
    return fail(invalid(fmt::format("mapping.{} has other members than from and format", name)));
  if (whole) LADE_TRY(choose_format(*column, object->at("format")));
  const json::value& source = whole ? object->at("from") : choice;
  if (source.is_null() && column->required)
    return fail(invalid(fmt::format("column '{}' is required and cannot be left out", name)));
  if (!source.is_null() && (!source.is_string() || source.get_string().empty()))
    return fail(invalid(fmt::format("mapping.{} is no name of a column", name), "text, or null: nothing goes there"));
  column->from = {source.is_null() ? std::string(kNoColumn) : std::string(source.get_string())};
  return {};
}

// What is read in the place of a text; nullopt: the text itself, which then fails where it did before.
Result<std::optional<std::string>> chosen_text(std::string_view name, std::string_view text,
                                               const json::value& choice) {
  const json::object* const object = choice.if_object();
  const json::value* const use = object == nullptr ? nullptr : object->if_contains("use");
  if (object != nullptr && object->size() == 1) {
    if (use != nullptr && use->is_string()) return std::string(use->get_string());
    if (object->contains("empty")) return std::string();
    if (object->contains("fail")) return std::optional<std::string>();
  }
  return fail(invalid(fmt::format("values.{}: '{}' has no choice", name, text),
                      R"({"use": "text"}, {"empty": true} or {"fail": true})"));
}

Result<void> choose_values(Definition& definition, std::string_view name, const json::value& choices) {
  LADE_ASSIGN(DataColumn* const column, require_column(definition, name));
  if (!choices.is_object()) return fail(invalid(fmt::format("values.{} is no object", name), "text: choice"));
  for (const auto& [text, choice] : choices.get_object()) {
    LADE_ASSIGN(auto chosen, chosen_text(name, text, choice));
    if (!chosen) continue;
    if (chosen->empty() && column->required)
      return fail(invalid(fmt::format("column '{}' is required: no value of it can be left empty", name)));
    std::erase_if(column->replace, [&](const auto& entry) { return entry.first == std::string_view(text); });
    column->replace.emplace_back(text, std::move(*chosen));
  }
  return {};
}

Result<void> choose_review(Definition& definition, const std::string& word, bool may_relax) {
  using definition::Review;
  static constexpr std::pair<std::string_view, Review> kWords[] = {
      {"never", Review::never}, {"on_issues", Review::on_issues}, {"always", Review::always}};  // ever stricter
  const auto chosen = std::ranges::find(kWords, word, &std::pair<std::string_view, Review>::first);
  if (chosen == std::end(kWords))
    return fail(invalid(fmt::format("there is no review '{}'", word), "never, on_issues or always"));
  const auto wanted = std::ranges::find(kWords, definition.review, &std::pair<std::string_view, Review>::second);
  if (chosen < wanted && !may_relax)
    return fail("not_allowed", fmt::format("the definition wants 'review: {}', which is stricter", wanted->first),
                "somebody who may approve on their own can relax it", ErrorKind::usage);
  definition.review = chosen->second;
  return {};
}

// Options hold objects as JSON: whoever takes them in sees to it.
json::object object_of(const std::string& text) {
  return text.empty() ? json::object() : json::parse(text).as_object();
}

}  // namespace

bool has_choices(const ImportOptions& options) {
  return !options.mapping.empty() || !options.values.empty() || !options.review.empty();
}

Result<void> apply_choices(Definition& definition, const ImportOptions& options) {
  for (const auto& [name, source] : object_of(options.mapping)) LADE_TRY(choose_source(definition, name, source));
  for (const auto& [name, choices] : object_of(options.values)) LADE_TRY(choose_values(definition, name, choices));
  if (!options.review.empty()) LADE_TRY(choose_review(definition, options.review, options.may_relax_review));
  return {};
}

std::set<std::string, std::less<>> chosen_columns(const ImportOptions& options) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, source] : object_of(options.mapping)) names.emplace(name);
  return names;
}

}  // namespace lade::jobs
