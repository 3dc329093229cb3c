#include "load/sort_key_of.h"

#include "analysis/wire_codec.h"
#include "db/wire.h"

namespace lade::load {

std::string sort_key_of(const analysis::EntryProgram& entry, std::string_view key) {
  analysis::TextArena arena;
  std::string sorted;
  for (const analysis::KeyPart& part : entry.key) {
    const db::WireField field = db::take_field(key);
    analysis::Cell cell;
    const db::WireType wire = entry.fields[static_cast<std::size_t>(part.field)].column.wire;
    if (field.length < 0 || !analysis::decode_value(field, wire, part.type, arena, cell)) return {};
    analysis::append_sort_key(sorted, cell, part.type, part.folds_case, part.pad);
  }
  return sorted;
}

}  // namespace lade::load
