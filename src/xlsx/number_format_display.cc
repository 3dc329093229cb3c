#include "xlsx/number_format.h"

namespace lade::xlsx {
std::string NumberFormat::display(double, bool) const {
  return {};
}
std::string NumberFormat::display(std::string_view text) const {
  return std::string(text);
}
}  // namespace lade::xlsx
