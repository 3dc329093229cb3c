#include "jobs/expand.h"

#include "steps/expand.h"

namespace lade::jobs {

Result<definition::Definition> expanded(const definition::Definition& definition, db::Connection& connection,
                                        const ImportOptions&) {
  return steps::expand(definition, connection, {});
}

}  // namespace lade::jobs
