#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// How keys begin when a step names the entities: those that are stored come first, by their id, then the new ones, by
// their first name and a hash of all. Claims are staged behind all rows.
namespace lade::analysis {

constexpr char kKnownEntity = 0;
constexpr char kNewEntity = 1;
constexpr char kClaim = 2;

inline bool is_new_entity(std::string_view key) {
  return !key.empty() && key.front() == kNewEntity;
}

// How many bytes of a key name the entity.
inline std::size_t entity_bytes(std::string_view key) {
  // The tag, a kind and an id; or the tag, a type, the name up to a NUL, and the hash.
  return key.front() == kKnownEntity ? 2 + sizeof(std::int64_t) : key.find('\0', 2) + 1 + sizeof(std::uint64_t);
}

}  // namespace lade::analysis
