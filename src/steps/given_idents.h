#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/step.h"
#include "steps/ident_map.h"
#include "steps/ident_types.h"

namespace lade::steps {

// The columns of one type of identifier in a program.
struct IdentColumns {
  IdentType type;
  std::vector<int> columns;  // those of the file; -1: the file cannot have it
};

// Of all types, whose columns begin with the prefix.
std::vector<IdentColumns> ident_columns(const std::vector<IdentType>& types, const analysis::Program& program,
                                        std::string_view prefix);

// An identifier that a row gives.
struct GivenIdent {
  std::size_t type = 0;  // place in the list of types
  std::string_view text;
  std::optional<Unit> unit = {};  // that it names, if it is stored
};

// The identifiers of all rows of a batch, with the units that they name.
class GivenIdents {
 public:
  // Says what is wrong with them: a hierarchical one must have all its parts or none, of letters, digits and
  // underscores.
  static Result<GivenIdents> read(std::span<const IdentColumns> types, const IdentMap& map, analysis::StepRows& rows);
  // Those of a row, by type.
  std::span<const GivenIdent> of(std::size_t row) const {
    return {all_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }
  // Nothing is wrong with them.
  bool usable(std::size_t row) const { return usable_[row]; }

 private:
  std::vector<GivenIdent> all_;
  std::vector<std::size_t> begin_;  // by row, and the end
  std::vector<bool> usable_;
};

// The stored identifiers that a step of kind external_idents names.
Result<IdentMap> load_idents(const definition::Step& step, db::Connection& connection);

// The columns of all types, of those that a row gives, or of one.
std::vector<int> all_columns(std::span<const IdentColumns> types);
std::vector<int> columns_given(std::span<const IdentColumns> types, std::span<const GivenIdent> given);

}  // namespace lade::steps
