#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "model/issue.h"

namespace lade::load {

// Makes one tuple of several rows with the same key (`duplicates: merge`): the later value that is not blank wins, or
// the column's aggregate decides. One use per group.
class RowMerger {
 public:
  explicit RowMerger(const analysis::Program& program);
  void add(std::string_view tuple);
  // nullopt when an aggregate does not fit its column; refusal() says which.
  std::optional<std::string> finish();
  const model::Issue& refusal() const { return refusal_; }

 private:
  struct Field {
    std::string bytes;  // the field as it stands in a tuple; empty: none yet
    analysis::Cell total;
    std::int64_t count = 0;
    std::string joined;
    bool overflow = false;
  };
  void combine(std::size_t slot, db::WireField field, std::string_view whole);

  const analysis::Program& program_;
  std::vector<definition::Aggregate> aggregates_;  // per slot
  std::vector<Field> fields_;
  analysis::TextArena arena_;
  model::Issue refusal_;
};

}  // namespace lade::load
