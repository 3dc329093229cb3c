#pragma once

#include <cstddef>
#include <string>

struct _xmlNode;

namespace lade::harvest {

// The text of an element as a reader sees it: runs of white space as one space (but not within <pre> and <textarea>), a
// new line for <br> and between blocks, no scripts and styles unless the element is one. At most about `most_bytes`.
std::string element_text(const _xmlNode& element, std::size_t most_bytes);

}  // namespace lade::harvest
