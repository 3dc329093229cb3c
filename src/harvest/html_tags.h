#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::harvest {

struct HtmlLimits {
  std::size_t page_bytes = 16 << 20;
  std::size_t elements = 200'000;
  std::size_t attributes = 256;  // of one tag; further ones are left out
};

// The page in a plain spelling: every tag as <name a="v">, comments and declarations left out, what is no tag escaped.
// libxml2's HTML parser compares each attribute of a tag with all others, and tokenises in ways of its own: what it
// gets from here costs time and memory in proportion to the page, whatever the page was made for. Fails with
// page_too_complex.
Result<std::string> plain_tags(std::string_view html, const HtmlLimits& limits);

}  // namespace lade::harvest
