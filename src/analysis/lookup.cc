#include "analysis/lookup.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace lade::analysis {
namespace {

using db::Connection;

// Text of case-insensitive columns is compared in lower case (ASCII), on both sides.
void fold(std::string& key, std::size_t begin) {
  for (std::size_t i = begin; i < key.size(); ++i)
    if (key[i] >= 'A' && key[i] <= 'Z') key[i] = static_cast<char>(key[i] + ('a' - 'A'));
}

// Both sides of a lookup write their key parts with this, so equal values have equal bytes.
bool append_part(std::string& key, Cell cell, const LookupPart& part) {
  if (part.form.pad && part.type.kind == definition::TypeKind::text)
    while (cell.text.ends_with(' ')) cell.text.remove_suffix(1);
  const std::size_t begin = key.size();
  if (!append_value(key, cell, part.type, part.form)) return false;
  if (part.folds_case) fold(key, begin + sizeof(std::int32_t));
  return true;
}

// A number, date or uuid in a text column that is not spelled as lade spells it: to the database it is another text.
bool is_spelled_otherwise(std::string_view part_of_key, db::WireField stored, const LookupPart& part) {
  using definition::TypeKind;
  const db::WireType wire = part.form.wire;
  const bool in_text =
      wire == db::WireType::text || wire == db::WireType::sqlite_text || wire == db::WireType::sqlite_any;
  if (!in_text || part.type.kind == TypeKind::text || part.type.kind == TypeKind::json) return false;
  std::string spelled(stored.bytes());
  while (part.form.pad && spelled.ends_with(' ')) spelled.pop_back();
  if (part.folds_case) fold(spelled, 0);
  return part_of_key.substr(sizeof(std::int32_t)) != spelled;
}

std::string part_columns(const LookupProgram& lookup, std::string_view prefix) {
  std::string text;
  for (const LookupPart& part : lookup.parts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", prefix, Connection::quote_name(part.target));
  return text;
}

void count_hit(LookupHit& hit, db::WireField field, const LookupProgram& lookup, const definition::Type& type,
               TextArena& arena) {
  if (++hit.count > 1) return;
  hit.is_null = field.length < 0 || !decode_value(field, lookup.take_wire, type, arena, hit.value);
}

class KeyTuples final : public db::TupleSource {
 public:
  KeyTuples(const LookupMap& map, Connection& connection)
      : map_(map), sqlite_(connection.backend() == db::Backend::sqlite) {}
  std::optional<std::string_view> next() override {
    if (at_ == map_.size()) return std::nullopt;
    tuple_.clear();
    db::append_big_endian<std::int32_t>(tuple_, sqlite_ ? 9 : 8);
    if (sqlite_) tuple_.push_back('i');
    db::append_big_endian<std::int64_t>(tuple_, static_cast<std::int64_t>(at_));
    tuple_.append(map_.key(at_++));
    return tuple_;
  }

 private:
  const LookupMap& map_;
  const bool sqlite_;
  std::size_t at_ = 0;
  std::string tuple_;
};

}  // namespace

std::size_t LookupMap::position(std::string_view key, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const std::uint32_t slot = slots_[at];
    if (slot == 0 || (entries_[slot - 1].hash == hash && this->key(slot - 1) == key)) return at;
  }
}

LookupHit* LookupMap::find(std::string_view key) {
  if (slots_.empty()) return nullptr;
  const std::uint32_t slot = slots_[position(key, XXH3_64bits(key.data(), key.size()))];
  return slot == 0 ? nullptr : &entries_[slot - 1].hit;
}

LookupHit& LookupMap::at(std::string_view key) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = XXH3_64bits(key.data(), key.size());
  std::uint32_t& slot = slots_[position(key, hash)];
  if (slot == 0) {
    entries_.push_back({hash, keys_.size(), static_cast<std::uint32_t>(key.size()), {}});
    keys_.append(key);
    slot = static_cast<std::uint32_t>(entries_.size());
  }
  return entries_[slot - 1].hit;
}

void LookupMap::grow() {
  slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = entries_[i].hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

bool append_lookup_key(std::string& key, const LookupProgram& lookup, const std::vector<TypedColumn>& columns,
                       std::size_t row) {
  for (const LookupPart& part : lookup.parts) {
    const Cell* cell = &part.constant;
    if (part.column >= 0) {
      const TypedColumn& column = columns[static_cast<std::size_t>(part.column)];
      if (column.states[row] != CellState::value) return false;
      cell = &column.cells[row];
    }
    if (!append_part(key, *cell, part)) return false;
  }
  return true;
}

Result<std::unique_ptr<const LookupMap>> load_lookup(const LookupProgram& lookup, const definition::Type& type,
                                                     Connection& connection, std::int64_t max_rows) {
  const db::Value limit = max_rows + 1;
  LADE_ASSIGN(
      const auto counted,
      connection.query(fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT $1) AS counted", lookup.table.quoted),
                       {&limit, 1}));
  if (std::get<std::int64_t>(counted.front().front()) > max_rows) return nullptr;
  auto map = std::make_unique<LookupMap>();
  TextArena scratch;
  std::string key, constant;
  // The constant parts are compared here, so that no value ever becomes SQL text.
  const auto add_row = [&](std::string_view tuple) -> Result<void> {
    key.clear();
    for (const LookupPart& part : lookup.parts) {
      const db::WireField field = db::take_field(tuple);
      const std::size_t begin = key.size();
      Cell cell;
      if (field.length < 0 || !decode_value(field, part.form.wire, part.type, scratch, cell) ||
          !append_part(key, cell, part))
        return {};
      if (is_spelled_otherwise(std::string_view(key).substr(begin), field, part)) return {};
      if (part.column >= 0) continue;
      constant.clear();
      append_part(constant, part.constant, part);
      if (std::string_view(key).substr(begin) != constant) return {};
    }
    count_hit(map->at(key), db::take_field(tuple), lookup, type, map->arena());
    scratch.clear();
    return {};
  };
  LADE_TRY(connection.copy_out(fmt::format("SELECT {}, {} FROM {}", part_columns(lookup, ""),
                                           Connection::quote_name(lookup.take), lookup.table.quoted),
                               add_row));
  return std::unique_ptr<const LookupMap>(std::move(map));
}

std::vector<std::string> lookup_names(const LookupProgram& lookup, const LookupMap& map, std::size_t most) {
  const LookupPart* named = nullptr;
  for (const LookupPart& part : lookup.parts) {
    if (part.column < 0) continue;
    if (named != nullptr || part.type.kind != definition::TypeKind::text) return {};
    named = &part;
  }
  if (named == nullptr || map.size() > most) return {};
  std::vector<std::string> names;
  names.reserve(map.size());
  TextArena scratch;
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::string_view key = map.key(i);
    for (const LookupPart& part : lookup.parts) {
      const db::WireField field = db::take_field(key);
      Cell cell;
      if (&part == named && decode_value(field, part.form.wire, part.type, scratch, cell))
        names.emplace_back(cell.text);
    }
    scratch.clear();
  }
  return names;
}

Result<void> probe_lookup(const LookupProgram& lookup, const definition::Type& type, Connection& connection,
                          LookupMap& map) {
  std::string columns, shape = lookup.table.quoted;
  for (const LookupPart& part : lookup.parts) {
    const std::string name = Connection::quote_name(part.target);
    const db::Column* target = lookup.table.find(part.target);
    shape += fmt::format(", {} {}", name, part.probe_type.empty() ? target->type : part.probe_type);
    columns += (columns.empty() ? "" : ", ") +
               (part.probe_type.empty() ? name : fmt::format("CAST({} AS {}) AS {}", name, part.probe_type, name));
  }
  const std::string keys = Connection::temporary_name("lade_probe_", shape);
  LADE_TRY(connection.run(
      fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} AS SELECT CAST(0 AS bigint) AS lade_key, {} FROM {} LIMIT 0",
                  keys, columns, lookup.table.quoted)));
  LADE_TRY(connection.run(fmt::format("DELETE FROM {}", keys)));
  std::vector<std::string> names{"lade_key"};
  std::string join;
  for (const LookupPart& part : lookup.parts) {
    names.push_back(part.target);
    const std::string name = Connection::quote_name(part.target);
    join += fmt::format("{}reference.{} = probe.{}", join.empty() ? "" : " AND ", name, name);
  }
  KeyTuples tuples(map, connection);
  LADE_TRY(connection.copy_in(keys, names, tuples));
  const auto add_row = [&](std::string_view tuple) -> Result<void> {
    const db::WireField number = db::take_field(tuple);
    const auto at = db::read_big_endian<std::int64_t>(number.data + number.length - 8);
    count_hit(map.hit(static_cast<std::size_t>(at)), db::take_field(tuple), lookup, type, map.arena());
    return {};
  };
  return connection.copy_out(
      fmt::format("SELECT probe.lade_key, reference.{} FROM {} AS probe JOIN {} AS reference ON {}",
                  Connection::quote_name(lookup.take), keys, lookup.table.quoted, join),
      add_row);
}

}  // namespace lade::analysis
