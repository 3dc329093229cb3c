#include "steps/ident_map.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "analysis/wire_codec.h"

namespace lade::steps {
namespace {

using db::Connection;

constexpr int kKindShift = 56;

std::int64_t pack(const Unit& unit) {
  return unit.id | (static_cast<std::int64_t>(unit.kind) << kKindShift);
}

Unit unpack(std::int64_t packed) {
  return {static_cast<int>(packed >> kKindShift), packed & ((std::int64_t{1} << kKindShift) - 1)};
}

XXH128_hash_t hash_of(const Ident& ident) {
  return XXH3_128bits_withSeed(ident.text.data(), ident.text.size(), static_cast<XXH64_hash_t>(ident.type));
}

// An integer as either database delivers it.
std::int64_t integer_of(db::WireField field) {
  const char* at = field.data;
  switch (field.length) {
    case 2: return db::read_big_endian<std::int16_t>(at);
    case 4: return db::read_big_endian<std::int32_t>(at);
    case 9: return db::read_big_endian<std::int64_t>(at + 1);  // after SQLite's tag
    default: return db::read_big_endian<std::int64_t>(at);
  }
}

std::string_view text_of(db::WireField field, db::Backend backend) {
  return backend == db::Backend::sqlite ? field.bytes().substr(1) : field.bytes();
}

// The first of the unit columns that is not NULL.
std::optional<Unit> unit_of(std::string_view& tuple, std::size_t kinds) {
  std::optional<Unit> unit;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const db::WireField field = db::take_field(tuple);
    if (!unit && field.length >= 0) unit = Unit{static_cast<int>(kind), integer_of(field)};
  }
  return unit;
}

// What is asked for, with its number: an identifier, or a unit's identifier of some type.
struct Question {
  std::int64_t type = 0;
  std::string_view text;
  std::int64_t unit = 0;
};

class Questions final : public db::TupleSource {
 public:
  Questions(std::span<const Question> questions, db::Backend backend) : questions_(questions), backend_(backend) {}
  std::optional<std::string_view> next() override {
    if (at_ == questions_.size()) return std::nullopt;
    const Question& question = questions_[at_];
    tuple_.clear();
    append(static_cast<std::int64_t>(at_++));
    append(question.type);
    append(question.unit);
    if (backend_ == db::Backend::sqlite) {
      db::append_sqlite_text(tuple_, question.text);
    } else {
      db::append_field(tuple_, question.text);
    }
    return tuple_;
  }

 private:
  void append(std::int64_t number) {
    if (backend_ == db::Backend::sqlite) return db::append_sqlite_integer(tuple_, number);
    db::append_big_endian<std::int32_t>(tuple_, sizeof number);
    db::append_big_endian(tuple_, number);
  }
  std::span<const Question> questions_;
  const db::Backend backend_;
  std::size_t at_ = 0;
  std::string tuple_;
};

constexpr std::string_view kAsked = "lade_idents";

Result<void> ask(std::span<const Question> questions, Connection& connection) {
  LADE_TRY(
      connection.run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS {0} (number bigint, type_id bigint, unit_id "
                                 "bigint, ident text); DELETE FROM {0}",
                                 kAsked)));
  Questions tuples(questions, connection.backend());
  const std::string columns[] = {"number", "type_id", "unit_id", "ident"};
  LADE_TRY(connection.copy_in(std::string(kAsked), columns, tuples));
  return {};
}

}  // namespace

std::string IdentTable::unit_columns() const {
  std::string list;
  for (const std::string& unit : units)
    list += fmt::format("{}stored.{}", list.empty() ? "" : ", ", Connection::quote_name(unit + "_id"));
  return list;
}

void IdentMap::insert(const Ident& ident, const Unit& unit) {
  if (10 * (used_ + 1) > 7 * entries_.size()) grow();
  const XXH128_hash_t hash = hash_of(ident);
  std::size_t at = hash.low64 & (entries_.size() - 1);
  while (entries_[at].unit != 0) at = (at + 1) & (entries_.size() - 1);
  entries_[at] = {{hash.low64, hash.high64}, pack(unit)};
  ++used_;
}

void IdentMap::grow() {
  std::vector<Entry> old = std::exchange(entries_, {});
  entries_.resize(old.empty() ? 1024 : 2 * old.size());
  for (const Entry& entry : old) {
    if (entry.unit == 0) continue;
    std::size_t at = entry.hash[0] & (entries_.size() - 1);
    while (entries_[at].unit != 0) at = (at + 1) & (entries_.size() - 1);
    entries_[at] = entry;
  }
}

const IdentMap::Entry* IdentMap::lookup(const Ident& ident) const {
  if (entries_.empty()) return nullptr;
  const XXH128_hash_t hash = hash_of(ident);
  for (std::size_t at = hash.low64 & (entries_.size() - 1);; at = (at + 1) & (entries_.size() - 1)) {
    const Entry& entry = entries_[at];
    if (entry.unit == 0) return nullptr;
    if (entry.hash[0] == hash.low64 && entry.hash[1] == hash.high64) return &entry;
  }
}

Result<IdentMap> IdentMap::load(IdentTable table, Connection& connection, std::size_t max_rows) {
  IdentMap map(std::move(table));
  const db::Value limit = static_cast<std::int64_t>(max_rows + 1);
  LADE_ASSIGN(const auto counted,
              connection.query(
                  fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT $1) AS counted", map.table_.table.quoted),
                  {&limit, 1}));
  map.whole_ = std::get<std::int64_t>(counted.front().front()) <= static_cast<std::int64_t>(max_rows);
  if (!map.whole_) return map;
  const db::Backend backend = connection.backend();
  const std::size_t kinds = map.table_.units.size();
  LADE_TRY(connection.copy_out(fmt::format("SELECT stored.type_id, stored.ident, {} FROM {} AS stored",
                                           map.table_.unit_columns(), map.table_.table.quoted),
                               [&](std::string_view tuple) -> Result<void> {
                                 const db::WireField type = db::take_field(tuple);
                                 const db::WireField text = db::take_field(tuple);
                                 if (type.length < 0 || text.length < 0) return {};
                                 const Ident ident{integer_of(type), text_of(text, backend)};
                                 if (const auto unit = unit_of(tuple, kinds)) map.insert(ident, *unit);
                                 return {};
                               }));
  return map;
}

Result<std::vector<std::optional<Unit>>> IdentMap::find(std::span<const Ident> idents, Connection& connection) const {
  if (!whole_) return probe(idents, connection);
  std::vector<std::optional<Unit>> units(idents.size());
  for (std::size_t i = 0; i < idents.size(); ++i)
    if (const Entry* entry = lookup(idents[i])) units[i] = unpack(entry->unit);
  return units;
}

Result<std::vector<std::optional<Unit>>> IdentMap::probe(std::span<const Ident> idents, Connection& connection) const {
  std::vector<std::optional<Unit>> units(idents.size());
  std::vector<Question> questions;
  for (const Ident& ident : idents) questions.push_back({ident.type, ident.text, 0});
  LADE_TRY(ask(questions, connection));
  LADE_TRY(connection.copy_out(
      fmt::format("SELECT asked.number, {} FROM {} AS asked JOIN {} AS stored ON stored.type_id = asked.type_id AND "
                  "stored.ident = asked.ident",
                  table_.unit_columns(), kAsked, table_.table.quoted),
      [&](std::string_view tuple) -> Result<void> {
        const auto number = static_cast<std::size_t>(integer_of(db::take_field(tuple)));
        units[number] = unit_of(tuple, table_.units.size());
        return {};
      }));
  return units;
}

Result<std::vector<std::optional<std::string>>> IdentMap::stored_texts(std::span<const Unit> units,
                                                                       std::span<const std::int64_t> types,
                                                                       Connection& connection) const {
  std::vector<std::optional<std::string>> texts(units.size());
  for (std::size_t kind = 0; kind < table_.units.size() && !units.empty(); ++kind) {
    std::vector<Question> questions;
    for (std::size_t i = 0; i < units.size(); ++i)
      questions.push_back({types[i], {}, units[i].kind == static_cast<int>(kind) ? units[i].id : 0});
    LADE_TRY(ask(questions, connection));
    LADE_TRY(connection.copy_out(
        fmt::format("SELECT asked.number, stored.ident FROM {} AS asked JOIN {} AS stored ON stored.type_id = "
                    "asked.type_id AND stored.{} = asked.unit_id",
                    kAsked, table_.table.quoted, Connection::quote_name(table_.units[kind] + "_id")),
        [&](std::string_view tuple) -> Result<void> {
          const auto number = static_cast<std::size_t>(integer_of(db::take_field(tuple)));
          texts[number] = text_of(db::take_field(tuple), connection.backend());
          return {};
        }));
  }
  return texts;
}

}  // namespace lade::steps
