#include "steps/filled_columns.h"

#include <fmt/format.h>

namespace lade::steps {
namespace {

using definition::DataColumn;
using definition::Step;

bool is_filled(const DataColumn& column, const Step& step) {
  return column.step == step.code && column.purpose == DataColumn::Purpose::internal && !column.lookup;
}

}  // namespace

std::vector<FilledColumn> filled_columns(const Step& step, const analysis::Program& program) {
  std::vector<FilledColumn> filled;
  const definition::Node* const results = step.options.find("results");
  for (std::size_t i = 0; i < program.columns.size(); ++i) {
    const DataColumn& column = program.columns[i].column;
    if (!is_filled(column, step)) continue;
    const definition::Node* const field = results == nullptr ? nullptr : results->find(column.name);
    filled.push_back({static_cast<int>(i), field == nullptr ? column.name : field->text});
  }
  return filled;
}

void check_results(const Step& step, const definition::Definition& definition, definition::Faults& faults) {
  const definition::Node* const results = step.options.find("results");
  if (results == nullptr) return;
  if (!results->is_map())
    return faults.error(results->place, "definition_wrong_kind",
                        fmt::format("steps.{}.results: expected a map of columns and fields", step.code));
  for (std::size_t i = 0; i < results->size(); ++i) {
    const DataColumn* const column = definition.find(results->key(i).text);
    if (column != nullptr && is_filled(*column, step)) continue;
    faults.error(results->key(i).place, "definition_unknown_column",
                 fmt::format("steps.{}.results: {} is no column of the step with `purpose: internal`", step.code,
                             definition::in_quotes(results->key(i).text)));
  }
}

void fill_late(const Step& step, Expansion& expansion) {
  for (const DataColumn& column : expansion.definition().columns)
    if (is_filled(column, step)) expansion.fill_late(column.name);
}

}  // namespace lade::steps
