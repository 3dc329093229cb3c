#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/wire.h"

namespace lade::load {

inline void split(std::string_view tuple, std::vector<db::WireField>& fields) {
  fields.clear();
  while (!tuple.empty()) fields.push_back(db::take_field(tuple));
}

inline void append_whole(std::string& tuple, db::WireField field) {
  db::append_big_endian<std::int32_t>(tuple, field.length);
  tuple.append(field.bytes());
}

inline db::WireField field_at(std::string_view tuple, int field) {
  db::WireField found;
  for (int i = 0; i <= field; ++i) found = db::take_field(tuple);
  return found;
}

// The tuple with another value in one field, given as a whole field of a tuple.
inline std::string with_field(std::string_view tuple, int field, db::WireField value) {
  std::string_view rest = tuple;
  for (int i = 0; i < field; ++i) db::take_field(rest);
  std::string changed(tuple.substr(0, tuple.size() - rest.size()));
  db::take_field(rest);
  append_whole(changed, value);
  return changed.append(rest);
}

}  // namespace lade::load
