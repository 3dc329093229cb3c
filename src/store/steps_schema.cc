#include "store/steps_schema.h"

#include <string>

#include "store/schema_text.h"

namespace lade::store {
namespace {

// A step belongs to the company: definitions that use one share its place in the order and what it does. Data columns
// without a step are metadata, or columns of a definition that has none.
constexpr std::string_view kSteps = R"sql(
ALTER TABLE lade_definition ADD mode text;
ALTER TABLE lade_definition ADD valid_time_from text;
CREATE TABLE lade_step (
  id                @id,
  company_id        integer NOT NULL REFERENCES lade_company (id),
  code              text NOT NULL,
  name              text NOT NULL,
  priority          integer NOT NULL,
  kind              text NOT NULL,
  analyse_procedure text,
  process_procedure text,
  UNIQUE (company_id, code)
);
CREATE TABLE lade_definition_step (
  definition_id integer NOT NULL REFERENCES lade_definition (id) ON DELETE CASCADE,
  step_id       integer NOT NULL REFERENCES lade_step (id),
  company_id    integer NOT NULL REFERENCES lade_company (id),
  options       text NOT NULL,
  PRIMARY KEY (definition_id, step_id)
);
CREATE INDEX lade_definition_step_step ON lade_definition_step (step_id);
ALTER TABLE lade_data_column ADD step_id integer REFERENCES lade_step (id);
)sql";

}  // namespace

db::Migration steps_migration() {
  static const std::string sqlite = for_sqlite(kSteps), postgresql = for_postgresql(kSteps);
  return {13, "definitions made of steps", sqlite, postgresql};
}

}  // namespace lade::store
