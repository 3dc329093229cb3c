#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "harvest/html_page.h"

namespace lade::harvest {

// A place in a JSON document: a pointer ("/items/0/name", RFC 6901) or a path ("items[0].name", "$.items[*].name";
// [*] takes every element of a list, or every value of an object).
class JsonPath {
 public:
  // Fails with selector_invalid, saying at which character.
  static Result<JsonPath> parse(std::string_view text);

  struct Step {
    enum class Kind { key, index, either, all };  // either: a number in a pointer, which may be both
    Kind kind;
    std::string key = {};
    std::size_t index = 0;
  };
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

// A JSON document, valid from end to end. One thread at a time.
class JsonPage {
 public:
  // Fails with not_json.
  static Result<JsonPage> parse(std::string_view text);
  JsonPage(JsonPage&&) noexcept;
  JsonPage& operator=(JsonPage&&) noexcept;
  ~JsonPage();

  // Texts as they are meant, numbers as they are written, objects and lists as JSON; null is left out. What is not
  // there is no value. Fails with field_too_large.
  Result<std::vector<std::string>> select(const JsonPath& path, const SelectLimits& limits = {});

 private:
  struct Document;
  explicit JsonPage(std::unique_ptr<Document> document);
  std::unique_ptr<Document> document_;
};

}  // namespace lade::harvest
