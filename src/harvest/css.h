#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::harvest {

// A CSS selector → the XPath expression that selects the same elements of an HTML document. Understands types, *,
// .class, #id, [name], [name=value] with = ~= |= ^= $= *=, the combinators (descendant, >, +, ~), groups, :first-child,
// :last-child, :only-child, :empty, :nth-child() and :nth-last-child() with n, an+b, odd, even, and :not() of a list of
// simple selectors. Fails with selector_invalid, saying at which character.
Result<std::string> xpath_of_css(std::string_view selector);

}  // namespace lade::harvest
