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

}  // namespace lade::load
