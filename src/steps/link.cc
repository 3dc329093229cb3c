#include <fmt/format.h>

#include <algorithm>

#include "steps/given_idents.h"
#include "steps/kinds.h"

namespace lade::steps {
namespace {

using analysis::CellState;
using analysis::StepRows;
using definition::DataColumn;
using definition::LoadEntry;
using definition::Step;

// A new unit is the primary one of the enterprise that it founds; what is stored stays.
class FoundingStep final : public analysis::Step {
 public:
  FoundingStep(int unit, int primary) : unit_(unit), primary_(primary) {}
  Result<void> analyse(StepRows& rows) const override {
    analysis::Cell yes;
    yes.number = 1;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.has_value(unit_, row)) {
        rows.keep(primary_, row);
      } else {
        rows.set(primary_, row, yes);
      }
    }
    return {};
  }

 private:
  const int unit_, primary_;
};

// The unit that another one belongs to, by its identifiers.
class LinkedStep final : public analysis::Step {
 public:
  // Which of the linked units have a primary one already, sorted, and the columns that are asked and filled for it.
  struct Primaries {
    std::vector<std::int64_t> taken;
    int own_unit = -1;
    int primary = -1;  // -1: nobody wants to know
  };
  LinkedStep(IdentMap map, std::vector<IdentColumns> types, std::string unit, int column, Primaries primaries)
      : map_(std::move(map)),
        types_(std::move(types)),
        unit_(std::move(unit)),
        column_(column),
        primaries_(std::move(primaries)) {}

  int asked_column() const override { return primaries_.primary; }

  Result<void> analyse(StepRows& rows) const override {
    LADE_ASSIGN(const GivenIdents given, GivenIdents::read(types_, map_, rows));
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (given.usable(row)) settle(rows, row, given.of(row));
    return {};
  }

 private:
  void settle(StepRows& rows, std::size_t row, std::span<const GivenIdent> given) const {
    if (given.empty())
      return rows.error(row, all_columns(types_), "link_missing", fmt::format("no identifier of a {} is given", unit_),
                        "fill in at least one of these cells");
    const GivenIdent* found = nullptr;
    for (const GivenIdent& ident : given) {
      const bool right = ident.unit && map_.table().units[static_cast<std::size_t>(ident.unit->kind)] == unit_;
      if (!right)
        return rows.error(row, types_[ident.type].columns, "link_not_found", fmt::format("no {} has it", unit_),
                          fmt::format("correct it, or import the {} first", unit_));
      if (found != nullptr && *found->unit != *ident.unit)
        return rows.error(
            row, columns_given(types_, given), "identifiers_disagree",
            fmt::format("the identifiers name different units: {} and {}", found->unit->id, ident.unit->id),
            "give identifiers of one unit");
      found = &ident;
    }
    analysis::Cell id;
    id.number = found->unit->id;
    rows.set(column_, row, id);
    if (primaries_.primary >= 0 && !rows.is_refused(row)) ask_for_primary(rows, row, found->unit->id);
  }

  // The first new unit of one that has no primary becomes it; what is stored stays.
  void ask_for_primary(StepRows& rows, std::size_t row, std::int64_t linked) const {
    if (rows.has_value(primaries_.own_unit, row)) return rows.keep(primaries_.primary, row);
    rows.set(primaries_.primary, row, {});
    if (std::ranges::binary_search(primaries_.taken, linked)) return;
    rows.ask_first(row, primaries_.primary, rows.keep_text(std::to_string(linked)));
  }

  const IdentMap map_;
  const std::vector<IdentColumns> types_;
  const std::string unit_;
  const int column_;
  const Primaries primaries_;
};

class LinkKind final : public StepKind {
 public:
  std::string_view name() const override { return "link"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"table", "unit", "column", "primary", "idents", "units", "types"};
    return kOptions;
  }

  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    if (option(step, "table").empty() == option(step, "unit").empty())
      faults.error({step.line, 1}, "definition_missing_key",
                   fmt::format("steps.{}: either `table` (each new unit founds a row of it) or `unit` (found by its "
                               "identifiers) is needed",
                               step.code));
    if (!definition.mode || *definition.mode == definition::Mode::generic_unit)
      faults.error({step.line, 1}, "definition_bad_value",
                   fmt::format("steps.{}: a definition of mode generic_unit makes no units to link", step.code));
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    return option(step, "unit").empty() ? found_enterprise(step, expansion) : find_unit(step, expansion);
  }

  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings& here) const override {
    const std::string unit = option(step, "unit");
    if (unit.empty()) {
      const std::string primary = option(step, "primary");
      if (primary.empty()) return nullptr;
      const std::string own = std::string(unit_of(*program.definition.mode)) + "_id";
      return std::make_shared<const FoundingStep>(analysis::column_named(program, own),
                                                  analysis::column_named(program, primary));
    }
    const auto types = ident_columns(ident_types_of(step.options.find("resolved_types")), program, unit + "_");
    const std::string column = option(step, "column", unit + "_id");
    LADE_ASSIGN(IdentMap map, load_idents(step, here.connection));
    LADE_ASSIGN(LinkedStep::Primaries primaries, read_primaries(step, column, program, here.connection));
    return std::make_shared<const LinkedStep>(std::move(map), types, unit, analysis::column_named(program, column),
                                              std::move(primaries));
  }

 private:
  static Result<LinkedStep::Primaries> read_primaries(const Step& step, const std::string& column,
                                                      const analysis::Program& program, db::Connection& connection) {
    LinkedStep::Primaries primaries;
    const std::string primary = option(step, "primary"), own(unit_of(*program.definition.mode));
    if (primary.empty()) return primaries;
    primaries.own_unit = analysis::column_named(program, own + "_id");
    primaries.primary = analysis::column_named(program, primary);
    LADE_ASSIGN(const auto table, connection.describe(own));
    if (!table || table->find(column) == nullptr || table->find(primary) == nullptr)
      return fail(
          "column_not_found",
          fmt::format("step '{}' needs the columns {} and {} of the table '{}'", step.code, column, primary, own), {},
          ErrorKind::invalid);
    LADE_ASSIGN(const auto rows,
                connection.query(fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {2} AND {0} IS NOT NULL ORDER BY {0}",
                                             db::Connection::quote_name(column), table->quoted,
                                             db::Connection::quote_name(primary))));
    for (const db::Row& row : rows) primaries.taken.push_back(std::get<std::int64_t>(row.front()));
    return primaries;
  }

  static Result<void> found_enterprise(const Step& step, Expansion& expansion) {
    const std::string name = option(step, "table");
    LADE_ASSIGN(const db::Table table, expansion.table(step, name));
    LoadEntry entry;
    entry.table = name;
    entry.strategy = definition::Strategy::append;
    entry.for_new = std::string(unit_of(*expansion.definition().mode)) + "_id";
    for (const std::string& audit : expansion.temporal().audit)
      if (table.find(audit) != nullptr) entry.columns.push_back({audit, audit, {}, {}});
    expansion.add_entry(step, std::move(entry), Expansion::Rank::linked);
    expansion.add_to_unit({option(step, "column", name + "_id"), {}, name, "id"});
    if (const std::string primary = option(step, "primary"); !primary.empty()) {
      expansion.add_column(step, filled_column(primary, definition::TypeKind::boolean));
      expansion.add_to_unit({primary, primary, {}, {}});
    }
    return {};
  }

  static Result<void> find_unit(const Step& step, Expansion& expansion) {
    const std::string unit = option(step, "unit"), column = option(step, "column", unit + "_id");
    LADE_ASSIGN(const auto types, read_ident_types(step, option(step, "types", "external_ident_type"), expansion));
    for (const IdentType& type : types)
      for (const std::string& name : type.columns(unit + "_")) {
        DataColumn given;
        given.name = name;
        expansion.add_column(step, std::move(given));
      }
    expansion.add_column(step, filled_column(column, definition::TypeKind::integer));
    expansion.add_to_unit({column, column, {}, {}});
    if (const std::string primary = option(step, "primary"); !primary.empty()) {
      expansion.add_column(step, filled_column(primary, definition::TypeKind::boolean));
      expansion.add_to_unit({primary, primary, {}, {}});
    }
    expansion.keep(step, "resolved_types", to_node(types));
    return {};
  }
};

}  // namespace

const StepKind& link() {
  static const LinkKind kKind;
  return kKind;
}

}  // namespace lade::steps
