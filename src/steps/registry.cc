#include "steps/kinds.h"
#include "steps/step_kind.h"

namespace lade::steps {

std::span<const StepKind* const> step_kinds() {
  static const StepKind* const kKinds[] = {
      &edit_info(), &external_idents(),       &extract(), &fetch(), &handler(),    &link(), &metadata(), &resolve(),
      &sql(),       &statistical_variables(), &table(),   &tags(),  &valid_time(),
  };
  return kKinds;
}

}  // namespace lade::steps
