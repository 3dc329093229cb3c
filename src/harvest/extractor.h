#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "harvest/html_page.h"
#include "harvest/html_tags.h"
#include "harvest/json_path.h"
#include "harvest/transform.h"
#include "model/issue.h"

namespace lade::harvest {

// How one field is found on a page.
struct FieldRule {
  enum class By { css, xpath, json, regex };
  std::string name;
  By by = By::css;
  std::string selector;
  std::string attribute = {};  // of selected elements, instead of their text
  std::vector<Transform> transforms = {};
  bool is_list = false;  // all values; otherwise the first that is not blank
  bool is_required = false;
};

struct ExtractLimits {
  HtmlLimits html = {};
  SelectLimits select = {};
};

enum class PageKind { html, json, text, other };

// What a page is: by the media type of its Content-Type header, or without one by how it begins. Only those that are
// not `other` can be extracted from.
PageKind kind_of_page(std::string_view content_type, std::string_view bytes);

struct Extracted {
  struct Field {
    std::string name;
    std::vector<std::string> values;  // at most one unless it is a list
  };
  std::vector<Field> fields;         // as declared, each one
  std::vector<model::Issue> issues;  // of single fields: `column` is the field, the message names its selector
  PageKind kind = PageKind::other;
  std::string charset;
};

// Declared fields → values of pages. Immutable; any thread. Time and memory are bounded by the limits, whatever the
// page is made for.
class Extractor {
 public:
  // Fails with selector_invalid, pattern_invalid, transform_invalid or field_invalid; the message begins with the
  // field's name and has the place in the selector.
  static Result<Extractor> compile(const std::vector<FieldRule>& rules, const ExtractLimits& limits = {});

  // Fails for a page that cannot be read at all: content_unsupported, charset_unknown, page_too_complex, not_json.
  // Issues of fields: field_missing (required, not found), field_too_large, page_too_complex, selector_not_applicable.
  Result<Extracted> extract(std::string_view bytes, std::string_view content_type) const;

 private:
  struct Field {
    FieldRule rule;
    std::string xpath = {};  // of css, too
    std::optional<JsonPath> path = {};
    std::shared_ptr<const re2::RE2> pattern = {};
    std::vector<CompiledTransform> transforms = {};
  };
  struct Page;
  static Result<Field> compile_field(const FieldRule& rule);
  Result<std::vector<std::string>> select(const Field& field, Page& page) const;
  Extracted::Field extract_field(const Field& field, Page& page, std::vector<model::Issue>& issues) const;

  ExtractLimits limits_;
  std::vector<Field> fields_;
};

}  // namespace lade::harvest
