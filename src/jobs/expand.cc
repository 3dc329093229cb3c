#include "jobs/expand.h"

#include "jobs/scope.h"
#include "jobs/valid_time.h"
#include "steps/expand.h"

namespace lade::jobs {

definition::Parsed read_definition(std::string_view text) {
  definition::Parsed parsed = definition::parse_definition(text);
  for (definition::Fault& fault : steps::check_steps(parsed.definition)) parsed.faults.push_back(std::move(fault));
  return parsed;
}

Result<definition::Definition> expanded(const definition::Definition& definition, db::Connection& connection,
                                        const ImportOptions& options) {
  if (definition.expanded) return definition;
  if (definition.set() != nullptr) {
    definition::Definition resolved = definition;
    LADE_TRY(resolve_scope(*resolved.load.front().set, connection, options));
    return resolved;
  }
  LADE_ASSIGN(const auto time, valid_time_of(connection, definition, options));
  static const handlers::Registry kNone;
  const handlers::Registry& handlers = options.handlers ? *options.handlers : kNone;
  if (const definition::HandlerTarget* target = definition.handler()) {
    std::vector<std::string> given;
    for (std::size_t i = 0; i < target->options.size(); ++i) given.push_back(target->options.key(i).text);
    LADE_TRY(handlers.get(target->name, given));
  }
  return steps::expand(definition, connection,
                       time ? steps::ValidTime{time->valid_from, time->valid_to} : steps::ValidTime{}, &handlers);
}

Result<definition::Definition> expanded(const definition::Definition& definition, db::Connection& connection) {
  return steps::expand(definition, connection, {});
}

}  // namespace lade::jobs
