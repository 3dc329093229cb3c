#include "harvest/extractor.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harvest/charset.h"
#include "harvest/css.h"

namespace lade::harvest {
namespace {

std::string_view to_string(FieldRule::By by) {
  switch (by) {
    case FieldRule::By::css: return "css";
    case FieldRule::By::xpath: return "xpath";
    case FieldRule::By::json: return "json";
    case FieldRule::By::regex: break;
  }
  return "regex";
}

std::string_view to_string(PageKind kind) {
  switch (kind) {
    case PageKind::html: return "HTML";
    case PageKind::json: return "JSON";
    case PageKind::text: return "plain text";
    case PageKind::other: break;
  }
  return "something else";
}

std::string media_type(std::string_view content_type) {
  std::string type(trimmed_text(content_type.substr(0, content_type.find(';'))));
  for (char& letter : type) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return type;
}

bool is_blank(const std::string& value) {
  return trimmed_text(value).empty();
}

model::Issue issue_of(const FieldRule& rule, const Error& error) {
  return {.severity = rule.is_required ? model::Severity::error : model::Severity::warning,
          .code = error.code,
          .column = rule.name,
          .value = "",
          .message = fmt::format("{} '{}': {}", to_string(rule.by), rule.selector, error.message),
          .hint = error.hint};
}

}  // namespace

PageKind kind_of_page(std::string_view content_type, std::string_view bytes) {
  const std::string type = media_type(content_type);
  if (type == "text/html" || type == "application/xhtml+xml") return PageKind::html;
  if (type == "application/json" || type == "text/json" || type.ends_with("+json")) return PageKind::json;
  if (type == "text/plain") return PageKind::text;
  if (!type.empty()) return PageKind::other;
  const std::string_view text = trimmed_text(bytes.substr(0, 1024));
  if (text.find('\0') != std::string_view::npos) return PageKind::other;
  if (text.starts_with('<')) return PageKind::html;
  if (text.starts_with('{') || text.starts_with('[')) return PageKind::json;
  return PageKind::text;
}

// A page taken apart once for all its fields.
struct Extractor::Page {
  PageKind kind;
  std::string text;
  std::optional<HtmlPage> html = {};
  std::optional<JsonPage> json = {};
};

Result<Extractor::Field> Extractor::compile_field(const FieldRule& rule) {
  Field field{.rule = rule};
  if (rule.selector.empty())
    return fail("field_invalid", "it has no selector", "give css, xpath, json or regex", ErrorKind::invalid);
  const bool is_of_elements = rule.by == FieldRule::By::css || rule.by == FieldRule::By::xpath;
  if (!rule.attribute.empty() && !is_of_elements)
    return fail("field_invalid", "only css and xpath select elements with attributes", "", ErrorKind::invalid);
  if (rule.by == FieldRule::By::css) {
    LADE_ASSIGN(field.xpath, xpath_of_css(rule.selector));
  } else if (rule.by == FieldRule::By::xpath) {
    field.xpath = rule.selector;
  } else if (rule.by == FieldRule::By::json) {
    LADE_ASSIGN(field.path, JsonPath::parse(rule.selector));
  } else {
    LADE_ASSIGN(field.pattern, compile_pattern(rule.selector));
  }
  if (is_of_elements) LADE_TRY(check_xpath(field.xpath));
  for (const Transform& transform : rule.transforms) {
    LADE_ASSIGN(auto compiled, CompiledTransform::make(transform));
    field.transforms.push_back(std::move(compiled));
  }
  return field;
}

Result<Extractor> Extractor::compile(const std::vector<FieldRule>& rules, const ExtractLimits& limits) {
  Extractor extractor;
  extractor.limits_ = limits;
  std::set<std::string> names;
  for (const FieldRule& rule : rules) {
    auto field = compile_field(rule);
    if (!field) return fail(std::move(field).error().within(fmt::format("field '{}'", rule.name)));
    if (rule.name.empty() || !names.insert(rule.name).second)
      return fail("field_invalid", fmt::format("field '{}': the name is empty or given twice", rule.name), "",
                  ErrorKind::invalid);
    extractor.fields_.push_back(std::move(*field));
  }
  return extractor;
}

Result<std::vector<std::string>> Extractor::select(const Field& field, Page& page) const {
  const FieldRule::By by = field.rule.by;
  if (by == FieldRule::By::regex) {
    auto found = matches_of(*field.pattern, page.text, limits_.select.values + 1);
    if (found.size() <= limits_.select.values) return found;
    return fail("field_too_large", fmt::format("more than {} values", limits_.select.values), "select less of the page",
                ErrorKind::invalid);
  }
  if (by == FieldRule::By::json && page.json) return page.json->select(*field.path, limits_.select);
  if (by != FieldRule::By::json && page.html)
    return page.html->select(field.xpath, field.rule.attribute, limits_.select);
  return fail("selector_not_applicable", fmt::format("the page is {}", to_string(page.kind)),
              "css and xpath are for HTML, json is for JSON, regex for every text", ErrorKind::invalid);
}

Extracted::Field Extractor::extract_field(const Field& field, Page& page, std::vector<model::Issue>& issues) const {
  Extracted::Field result{field.rule.name, {}};
  auto found = select(field, page);
  if (!found) {
    issues.push_back(issue_of(field.rule, found.error()));
    return result;
  }
  const std::size_t selected = found->size();
  std::vector<std::string> values = std::move(*found);
  for (const CompiledTransform& transform : field.transforms) values = transform.apply(std::move(values));
  std::erase_if(values, is_blank);
  if (values.size() > 1 && !field.rule.is_list) values.resize(1);
  result.values = std::move(values);
  if (field.rule.is_required && result.values.empty()) {
    const Error missing{"field_missing",
                        selected == 0 ? "the page has nothing there"
                                      : fmt::format("{} found, all blank or left out by the transforms", selected),
                        "correct the selector, or do not require the field"};
    issues.push_back(issue_of(field.rule, missing));
  }
  return result;
}

Result<Extracted> Extractor::extract(std::string_view bytes, std::string_view content_type) const {
  Extracted result;
  result.kind = kind_of_page(content_type, bytes);
  if (result.kind == PageKind::other)
    return fail(
        "content_unsupported",
        fmt::format("fields are extracted from HTML, JSON and plain text, not from '{}'", media_type(content_type)),
        "the page is kept as evidence", ErrorKind::invalid);
  if (bytes.size() > limits_.html.page_bytes)
    return fail("page_too_complex",
                fmt::format("the page has {} bytes; at most {} are taken apart", bytes.size(), limits_.html.page_bytes),
                "", ErrorKind::invalid);
  LADE_ASSIGN(DecodedText decoded, decode_page(bytes, content_type, result.kind == PageKind::html));
  result.charset = std::move(decoded.charset);
  Page page{result.kind, std::move(decoded.text)};
  if (page.kind == PageKind::html) {
    LADE_ASSIGN(page.html, HtmlPage::parse(page.text, {3 * limits_.html.page_bytes, limits_.html.elements,
                                                       limits_.html.attributes}));
  }
  if (page.kind == PageKind::json) {
    LADE_ASSIGN(page.json, JsonPage::parse(page.text));
  }
  for (const Field& field : fields_) result.fields.push_back(extract_field(field, page, result.issues));
  return result;
}

}  // namespace lade::harvest
