#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "analysis/wire_codec.h"
#include "definition/node_json.h"
#include "handlers/pool.h"
#include "steps/kinds.h"

namespace lade::steps {
namespace {

using analysis::StepRows;
using definition::DataColumn;
using definition::Step;

// A column that the handler fills, and what it calls it.
struct Filled {
  int column;
  std::string field;
};

class HandlerStep final : public analysis::Step {
 public:
  HandlerStep(const analysis::Program& program, std::shared_ptr<handlers::Pool> pool, std::vector<int> input,
              std::vector<Filled> filled)
      : program_(program), pool_(std::move(pool)), input_(std::move(input)), filled_(std::move(filled)) {}

  bool skips_samples() const override { return true; }

  Result<void> analyse(StepRows& rows) const override {
    handlers::RowTexts texts;
    std::vector<std::size_t> places;  // of the rows that are asked about
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.is_refused(row)) continue;
      places.push_back(row);
      texts.begin_row(rows.row_id(row));
      for (const int column : input_) add_cell(rows, column, row, texts);
      texts.end_row();
    }
    const auto take = [&](std::size_t at, const handlers::RowAnswer& answer) {
      if (answer.code.empty())
        fill(rows, places[at], answer.result);
      else
        rows.error(places[at], {}, answer.code, std::string(answer.message), "correct the row, or the handler");
    };
    return pool_->answer(texts, take, rows.stop());
  }

 private:
  void add_cell(const StepRows& rows, int column, std::size_t row, handlers::RowTexts& texts) const {
    if (!rows.has_value(column, row)) return texts.add_blank();
    const definition::Type& type = program_.columns[static_cast<std::size_t>(column)].type;
    if (type.kind == definition::TypeKind::text) return texts.add_cell(rows.text(column, row));
    texts.add_cell(analysis::to_text(rows.cell(column, row), type));
  }

  void fill(StepRows& rows, std::size_t row, std::span<const handlers::Answer::Field> result) const {
    for (const Filled& filled : filled_) {
      const auto field = std::ranges::find(result, filled.field, &handlers::Answer::Field::name);
      rows.convert(filled.column, row, field == result.end() || field->is_null ? std::string_view() : field->text);
    }
  }

  const analysis::Program& program_;            // which has this step
  const std::shared_ptr<handlers::Pool> pool_;  // its processes are shared by the workers, who each take one
  const std::vector<int> input_;
  const std::vector<Filled> filled_;
};

// Who only looks at a job, or undoes it, needs no handlers.
class MissingHandlerStep final : public analysis::Step {
 public:
  explicit MissingHandlerStep(Error error) : error_(std::move(error)) {}
  bool skips_samples() const override { return true; }
  Result<void> analyse(StepRows&) const override { return fail(error_); }

 private:
  const Error error_;
};

bool is_filled(const DataColumn& column, const Step& step) {
  return column.step == step.code && column.purpose == DataColumn::Purpose::internal && !column.lookup;
}

class HandlerKind final : public StepKind {
 public:
  std::string_view name() const override { return "handler"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"handler", "options", "input", "results"};
    return kOptions;
  }

  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    if (option(step, "handler").empty())
      faults.error({step.line, 1}, "definition_missing_key",
                   fmt::format("steps.{}: `handler` is missing; it names a handler of the configuration", step.code));
    const definition::Node* const given = step.options.find("options");
    if (given != nullptr && !given->is_map())
      faults.error(given->place, "definition_wrong_kind", fmt::format("steps.{}.options: expected a map", step.code));
    check_input(step, definition, faults);
    check_results(step, definition, faults);
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    for (const DataColumn& column : expansion.definition().columns)
      if (is_filled(column, step)) expansion.fill_late(column.name);
    if (expansion.handlers() == nullptr) return {};
    std::vector<std::string> given;
    const definition::Node* const options = step.options.find("options");
    for (std::size_t i = 0; options != nullptr && i < options->size(); ++i) given.push_back(options->key(i).text);
    LADE_TRY(expansion.handlers()->get(option(step, "handler"), given));
    return {};
  }

  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings& here) const override {
    static const auto kNone = std::make_shared<const handlers::Registry>();
    const auto registry = here.handlers ? here.handlers : kNone;
    const auto found = registry->get(option(step, "handler"));
    if (!found) return std::make_shared<const MissingHandlerStep>(found.error());
    const handlers::Handler& handler = **found;
    handlers::Start start;
    start.handler = handler.name;
    start.job_id = here.job;
    if (const definition::Node* const given = step.options.find("options"))
      start.options = boost::json::serialize(definition::json_of(*given));
    const std::vector<int> input = input_of(step, program);
    for (const int column : input)
      start.headers.push_back(program.columns[static_cast<std::size_t>(column)].column.name);
    auto pool = std::make_shared<handlers::Pool>(registry, handler, std::move(start));
    return std::make_shared<const HandlerStep>(program, std::move(pool), input, filled_by(step, program));
  }

 private:
  static void check_input(const Step& step, const definition::Definition& definition, definition::Faults& faults) {
    std::vector<std::string_view> names;
    for (const DataColumn& column : definition.columns) names.push_back(column.name);
    for (const std::string& name : option_list(step, "input"))
      if (std::ranges::find(names, name) == names.end())
        faults.error(step.options.find("input")->place_of(name), "definition_unknown_column",
                     fmt::format("steps.{}.input: unknown column {}{}", step.code, definition::in_quotes(name),
                                 definition::suggestion(name, names)));
  }

  static void check_results(const Step& step, const definition::Definition& definition, definition::Faults& faults) {
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

  // Those that the step names, or all that the file has.
  static std::vector<int> input_of(const Step& step, const analysis::Program& program) {
    std::vector<int> input;
    for (const std::string& name : option_list(step, "input")) input.push_back(analysis::column_named(program, name));
    if (step.options.find("input") != nullptr) return input;
    for (std::size_t i = 0; i < program.columns.size(); ++i)
      if (program.columns[i].source >= 0) input.push_back(static_cast<int>(i));
    return input;
  }

  static std::vector<Filled> filled_by(const Step& step, const analysis::Program& program) {
    std::vector<Filled> filled;
    const definition::Node* const results = step.options.find("results");
    for (std::size_t i = 0; i < program.columns.size(); ++i) {
      const DataColumn& column = program.columns[i].column;
      if (!is_filled(column, step)) continue;
      const definition::Node* const field = results == nullptr ? nullptr : results->find(column.name);
      filled.push_back({static_cast<int>(i), field == nullptr ? column.name : field->text});
    }
    return filled;
  }
};

}  // namespace

const StepKind& handler() {
  static const HandlerKind kKind;
  return kKind;
}

}  // namespace lade::steps
