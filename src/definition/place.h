#pragma once

namespace lade::definition {

// A place in the definition's text, 1-based; zeros: none.
struct Place {
  int line = 0;
  int column = 0;
};

}  // namespace lade::definition
