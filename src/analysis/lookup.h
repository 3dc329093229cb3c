#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cell.h"
#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"

namespace lade::analysis {

// What a key was resolved to.
struct LookupHit {
  Cell value;
  bool is_null = true;
  std::uint32_t count = 0;  // rows that match
};

// Keys → hits: open addressing over one block of key bytes.
class LookupMap {
 public:
  LookupHit* find(std::string_view key);
  const LookupHit* find(std::string_view key) const { return const_cast<LookupMap*>(this)->find(key); }
  // The hit of the key, made when there is none. References stay valid until the next call.
  LookupHit& at(std::string_view key);
  std::size_t size() const { return entries_.size(); }
  std::string_view key(std::size_t index) const {
    return {keys_.data() + entries_[index].key_at, entries_[index].key_size};
  }
  LookupHit& hit(std::size_t index) { return entries_[index].hit; }
  TextArena& arena() { return arena_; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint64_t key_at;
    std::uint32_t key_size;
    LookupHit hit;
  };
  std::size_t position(std::string_view key, std::uint64_t hash) const;
  void grow();

  std::vector<std::uint32_t> slots_;  // entry + 1, 0 when free
  std::vector<Entry> entries_;
  std::string keys_;
  TextArena arena_;
};

// A small reference table as a map; nullptr when it has more than `max_rows` rows and is probed batch by batch instead.
Result<std::unique_ptr<const LookupMap>> load_lookup(const LookupProgram& lookup, const definition::Type& type,
                                                     db::Connection& connection, std::int64_t max_rows);

// Fills the hits of all keys of `map` by one query on a large reference table, through a temporary table of the
// session.
Result<void> probe_lookup(const LookupProgram& lookup, const definition::Type& type, db::Connection& connection,
                          LookupMap& map);

// What the keys of a map are made of when one text column of the file finds the row; nothing when several do, when it
// is no text, or when there are more than `most`.
std::vector<std::string> lookup_names(const LookupProgram& lookup, const LookupMap& map, std::size_t most);

// The lookup's key of one row, or of constants; false when a part is blank or unusable.
bool append_lookup_key(std::string& key, const LookupProgram& lookup, const std::vector<TypedColumn>& columns,
                       std::size_t row);

}  // namespace lade::analysis
