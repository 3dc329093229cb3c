#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "definition/parse.h"
#include "definition/place.h"

namespace lade::definition {

// Collects what is wrong while a definition is read; reading goes on after each. Keeps the first 1,000 errors and the
// first 1,000 warnings: a hostile text could give one per byte.
class Faults {
 public:
  void error(Place place, std::string_view code, std::string message);
  void warning(Place place, std::string_view code, std::string message);
  // All faults in the order of the text.
  std::vector<Fault> take() &&;

 private:
  std::vector<Fault> faults_;
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
};

// A value as messages show it: quoted, cut when long, control characters made visible.
// Not named quoted: beside a std::string the compiler would find std::quoted where <iomanip> is included.
std::string in_quotes(std::string_view value);
// "; did you mean 'required'?" or, when nothing is near, "; known are a, b, c" (at most a dozen, and how many more).
std::string suggestion(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace lade::definition
