#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "harvest/html_tags.h"

struct _xmlDoc;

namespace lade::harvest {

struct SelectLimits {
  std::size_t values = 10'000;            // of one selector
  std::size_t bytes = 4 << 20;            // of them together
  unsigned long operations = 10'000'000;  // of an XPath expression on one page
};

// An HTML document. Nothing is loaded from elsewhere: neither entities, nor DTDs, nor what it refers to. One thread at
// a time.
class HtmlPage {
 public:
  // `text` is UTF-8. Never fails for bad markup; fails with page_too_complex when it is nested deeper than 256 or
  // larger than the limits.
  static Result<HtmlPage> parse(std::string_view text, const HtmlLimits& limits = {});

  // What the XPath expression selects: of elements the text as a reader sees it (white space as one space, a new line
  // for <br> and around blocks, no scripts) or, when `attribute` is given, that attribute's value where there is one;
  // of attributes and texts their value; a string, number or boolean as itself. Fails with selector_invalid,
  // page_too_complex (more operations than allowed) or field_too_large.
  Result<std::vector<std::string>> select(const std::string& xpath, const std::string& attribute,
                                          const SelectLimits& limits = {}) const;

 private:
  struct Free {
    void operator()(_xmlDoc* document) const;
  };
  std::unique_ptr<_xmlDoc, Free> document_;
};

// Fails with selector_invalid when it is no XPath 1.0 expression.
Result<void> check_xpath(const std::string& xpath);

}  // namespace lade::harvest
