#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steps/expansion.h"

namespace lade::steps {

// A type of identifier. A plain one is one column of its code; a hierarchical one has a column for each of its parts,
// and its text are the parts joined by dots.
struct IdentType {
  std::int64_t id = 0;
  std::string code;
  std::vector<std::string> parts;  // labels; empty: plain
  bool is_plain() const { return parts.empty(); }
  // The columns of the file, whose names begin so.
  std::vector<std::string> columns(std::string_view prefix = {}) const;
};

// The types that are in use, by priority.
Result<std::vector<IdentType>> read_ident_types(const definition::Step& step, const std::string& table,
                                                Expansion& expansion);

// As an expanded definition keeps them.
definition::Node to_node(const std::vector<IdentType>& types);
std::vector<IdentType> ident_types_of(const definition::Node* node);

}  // namespace lade::steps
