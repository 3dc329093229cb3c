#include "analysis/same_json.h"
#include "analysis/wire_codec.h"

namespace lade::analysis {
namespace {

// Numerics that differ only in the number of zeros shown after the point: all but the display scale is compared.
bool same_numeric(std::string_view left, std::string_view right) {
  constexpr std::size_t kDisplayScaleAt = 6, kDigitsAt = 8;
  return left.size() == right.size() && left.size() >= kDigitsAt &&
         left.substr(0, kDisplayScaleAt) == right.substr(0, kDisplayScaleAt) &&
         left.substr(kDigitsAt) == right.substr(kDigitsAt);
}

std::string_view without_padding(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

bool is_stored_as_written(const db::Column& column) {
  return column.wire != db::WireType::jsonb && !is_padded(column);
}

bool same_value(db::WireField left, db::WireField right, const db::Column& column) {
  if (left.length < 0 || right.length < 0) return left.length < 0 && right.length < 0;
  const std::string_view a = left.bytes(), b = right.bytes();
  if (a == b) return true;
  if (column.wire == db::WireType::numeric) return same_numeric(a, b);
  if (column.wire == db::WireType::jsonb) return same_json(a.substr(1), b.substr(1));
  return is_padded(column) && without_padding(a) == without_padding(b);
}

}  // namespace lade::analysis
