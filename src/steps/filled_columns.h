#pragma once

#include <string>
#include <vector>

#include "analysis/program.h"
#include "definition/faults.h"
#include "steps/expansion.h"

// Columns of a step that it fills with what it has found out about a row: those with `purpose: internal`. `results`
// says what such a column takes where it has not its name.
namespace lade::steps {

struct FilledColumn {
  int column;
  std::string field;  // what it takes
};
std::vector<FilledColumn> filled_columns(const definition::Step& step, const analysis::Program& program);

// Checks `results`.
void check_results(const definition::Step& step, const definition::Definition& definition, definition::Faults& faults);
// What they hold is not known when the job is planned.
void fill_late(const definition::Step& step, Expansion& expansion);

}  // namespace lade::steps
