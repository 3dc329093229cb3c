#include <fmt/format.h>

#include "steps/kinds.h"

namespace lade::steps {
namespace {

using definition::DataColumn;
using definition::Step;
using definition::TypeKind;
using definition::ValidTimeFrom;

// The day after the last one, for tables that are not temporal and keep the period itself.
constexpr std::string_view kUntil = "derived_valid_until";

// The day after the last day, which tables store.
class UntilStep final : public analysis::Step {
 public:
  UntilStep(int to, int until) : to_(to), until_(until) {}
  Result<void> analyse(analysis::StepRows& rows) const override {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows.has_value(to_, row)) continue;
      analysis::Cell day = rows.cell(to_, row);
      if (day.number != analysis::kInfinityDay) ++day.number;
      rows.set(until_, row, day);
    }
    return {};
  }

 private:
  const int to_, until_;
};

class ValidTimeKind final : public StepKind {
 public:
  std::string_view name() const override { return "valid_time"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"from", "to", "formats", "source_period"};
    return kOptions;
  }

  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    if (!definition.valid_time_from)
      faults.error({step.line, 1}, "definition_missing_key",
                   fmt::format("steps.{}: the definition says nothing about valid_time_from; write source_columns when "
                               "the file has the dates, job_provided when each job says them",
                               step.code));
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    const bool by_job = expansion.definition().valid_time_from == ValidTimeFrom::job_provided;
    const std::string from = option(step, "from", "valid_from"), to = option(step, "to", "valid_to");
    add_day(step, from, by_job ? &expansion.valid_time().valid_from : nullptr, expansion);
    add_day(step, to, by_job ? &expansion.valid_time().valid_to : nullptr, expansion);
    DataColumn until = filled_column(std::string(kUntil), TypeKind::date);
    until.infinity = true;
    expansion.add_column(step, until);
    definition::Check order;
    order.text = fmt::format("{} <= {}", from, to);
    LADE_ASSIGN(order.expr, definition::parse_expression(order.text));
    order.columns = {from, to};
    order.code = "period_reversed";
    order.message = fmt::format("the first day ({}) is after the last one ({})", from, to);
    expansion.add_check(step, std::move(order));
    if (const std::string table = option(step, "source_period"); !table.empty()) {
      for (const std::string& unit : units_of(expansion.definition()))
        add_source_period(step, table, unit, from, expansion);
    }
    return {};
  }

  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings&) const override {
    return std::make_shared<const UntilStep>(analysis::column_named(program, option(step, "to", "valid_to")),
                                             analysis::column_named(program, kUntil));
  }

 private:
  // Keeps which periods the sources have told.
  static void add_source_period(const Step& step, const std::string& table, const std::string& unit,
                                const std::string& from, Expansion& expansion) {
    definition::LoadEntry entry;
    entry.table = table;
    entry.key = {unit + "_id", "valid_from", "valid_until"};
    entry.strategy = definition::Strategy::insert_only;
    entry.columns = {
        Expansion::unit_reference(unit), {"valid_from", from, {}, {}}, {"valid_until", std::string(kUntil), {}, {}}};
    if (expansion.definition().mode == definition::Mode::generic_unit) entry.with = {unit + "_id"};
    expansion.add_entry(step, std::move(entry), Expansion::Rank::parts);
  }

  // A day that the file has, or the job says (`said`).
  static void add_day(const Step& step, const std::string& name, const std::string* said, Expansion& expansion) {
    DataColumn column;
    column.name = name;
    column.type.kind = TypeKind::date;
    column.type_given = true;
    column.required = true;
    column.infinity = true;
    if (said == nullptr) {
      column.formats = option_list(step, "formats");
    } else {
      column.value = definition::FixedValue{*said};
    }
    expansion.add_column(step, column);
  }
};

}  // namespace

const StepKind& valid_time() {
  static const ValidTimeKind kKind;
  return kKind;
}

}  // namespace lade::steps
