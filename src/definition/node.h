#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/place.h"

namespace lade::definition {

class Faults;

// One value of a YAML text, with its place.
struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  Place place;
  std::string text;            // of a scalar; of a null how it was written, empty when it was not
  bool plain = false;          // a scalar without quotes: true, 12 and null mean more than their text
  std::vector<Node> items;     // of a list; of a map: key, value, key, value …
  std::size_t node_count = 1;  // this node and all below

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  bool is_null() const { return kind == Kind::null; }

  // What YAML reads as true or false: unquoted, in lower case, upper case or with a capital.
  std::optional<bool> boolean() const;

  std::size_t size() const { return kind == Kind::map ? items.size() / 2 : items.size(); }
  const Node& key(std::size_t index) const { return items[2 * index]; }
  const Node& value(std::size_t index) const { return items[2 * index + 1]; }
  // The value of a key of a map, or nullptr.
  const Node* find(std::string_view name) const;
  // The same value, wherever it stands.
  bool operator==(const Node& other) const {
    return kind == other.kind && text == other.text && plain == other.plain && items == other.items;
  }
  // Where `name` stands in this list, as a key of this map, or as this text; this node's own place when it does not.
  Place place_of(std::string_view name) const;
};

// "text", "a list", "a map", "nothing": what messages call it.
std::string_view kind_name(const Node& node);

// Reads one YAML document. Anchors and aliases work; tags, several documents, keys that are not text, depth beyond 32,
// more than 1 MiB or 100,000 nodes (aliases counted as what they stand for) are refused. A key given twice is a fault
// and the first one stays. Nothing when the text could not be read; the faults say why. Never throws.
std::optional<Node> read_yaml(std::string_view text, Faults& faults);

}  // namespace lade::definition
