#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "steps/given_idents.h"
#include "steps/kinds.h"

namespace lade::steps {
namespace {

using analysis::StepRows;
using definition::DataColumn;
using definition::Mode;
using definition::Step;

constexpr std::size_t kMostInMemory = 4'000'000;  // identifiers

// What is to be written for an identifier that the unit does not have yet.
std::string added_column(const IdentType& type) {
  return type.code + "_added";
}

// Which unit each row is about.
class IdentStep final : public analysis::Step {
 public:
  IdentStep(IdentMap map, std::vector<IdentColumns> types, const analysis::Program& program)
      : map_(std::move(map)), types_(std::move(types)) {
    const definition::Definition& definition = program.definition;
    unit_ = definition.mode ? std::string(unit_of(*definition.mode)) : "";
    for (const std::string& unit : map_.table().units)
      id_columns_.push_back(analysis::column_named(program, unit + "_id"));
    for (const IdentColumns& type : types_) added_.push_back(analysis::column_named(program, added_column(type.type)));
    const auto in_file = [&](const IdentColumns& type) {
      return std::ranges::any_of(
          type.columns, [&](int column) { return program.columns[static_cast<std::size_t>(column)].source >= 0; });
    };
    for (const IdentColumns& type : types_) {
      if (!in_file(type)) continue;
      ++types_in_file_;
      columns_in_file_.insert(columns_in_file_.end(), type.columns.begin(), type.columns.end());
    }
  }

  bool names_entities() const override { return true; }
  // One identifier names one entity, but of several two may name one and one another.
  bool makes_claims() const override { return types_in_file_ > 1; }

  Result<void> analyse(StepRows& rows) const override {
    LADE_ASSIGN(const GivenIdents given, GivenIdents::read(types_, map_, rows));
    std::vector<Added> added;
    std::vector<StepRows::Name> names;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (given.usable(row)) settle(rows, row, given.of(row), added, names);
    return add_to_known(rows, added);
  }

 private:
  // An identifier that a stored unit gets, if it has none of its type.
  struct Added {
    std::size_t row;
    Unit unit;
    std::size_t type;
    std::string_view text;
  };
  using Given = std::span<const GivenIdent>;

  void settle(StepRows& rows, std::size_t row, Given given, std::vector<Added>& added,
              std::vector<StepRows::Name>& names) const {
    if (given.empty())
      return rows.error(row, columns_in_file_, "identifier_missing", "no identifier is given",
                        "fill in at least one of these cells");
    const auto known = std::ranges::find_if(given, [](const GivenIdent& ident) { return ident.unit.has_value(); });
    if (known == given.end()) return settle_new(rows, row, given, names);
    const Unit unit = *known->unit;
    if (!agree(rows, row, given, unit) || !is_wanted(rows, row, given, unit)) return;
    rows.set_entity(row, unit.kind, unit.id);
    analysis::Cell id;
    id.number = unit.id;
    rows.set(id_columns_[static_cast<std::size_t>(unit.kind)], row, id);
    for (const GivenIdent& ident : given)
      if (!ident.unit) added.push_back({row, unit, ident.type, ident.text});
  }

  void settle_new(StepRows& rows, std::size_t row, Given given, std::vector<StepRows::Name>& names) const {
    if (unit_.empty())
      return rows.error(row, columns_given(types_, given), "unit_not_found", "no unit has these identifiers",
                        "correct them, or import the unit first");
    names.clear();
    for (const GivenIdent& ident : given) names.push_back({static_cast<std::uint8_t>(ident.type), ident.text});
    rows.set_entity(row, names);
    for (const GivenIdent& ident : given) add(rows, row, ident.type, ident.text);
  }

  // All identifiers that are stored name the same unit.
  bool agree(StepRows& rows, std::size_t row, Given given, const Unit& unit) const {
    const auto differs = [&](const GivenIdent& ident) { return ident.unit && *ident.unit != unit; };
    if (std::ranges::none_of(given, differs)) return true;
    std::vector<GivenIdent> found;
    std::string named;
    std::set<int> kinds;
    for (const GivenIdent& ident : given) {
      if (!ident.unit) continue;
      found.push_back(ident);
      kinds.insert(ident.unit->kind);
      named += fmt::format("{}{} names {} {}", named.empty() ? "" : ", ", types_[ident.type].type.code,
                           kind_name(*ident.unit), ident.unit->id);
    }
    const std::string_view code = kinds.size() > 1 ? "identifiers_of_two_kinds" : "identifiers_disagree";
    rows.error(row, columns_given(types_, found), code, "the identifiers name different units: " + named,
               "give identifiers of one unit");
    return false;
  }

  // It is of the kind that this import is about.
  bool is_wanted(StepRows& rows, std::size_t row, Given given, const Unit& unit) const {
    if (unit_.empty() || unit_ == kind_name(unit)) return true;
    rows.error(
        row, columns_given(types_, given), "identifier_wrong_kind",
        fmt::format("it names {} {}, and this import is about units of kind {}", kind_name(unit), unit.id, unit_),
        "correct it, or use the import for that kind");
    return false;
  }

  void add(StepRows& rows, std::size_t row, std::size_t type, std::string_view text) const {
    rows.set_text(added_[type], row, text);
    if (makes_claims()) rows.claim(row, types_[type].columns.front(), text);
  }

  // A stored unit may get an identifier of a type that it does not have; another value of one that it has is an error.
  Result<void> add_to_known(StepRows& rows, const std::vector<Added>& added) const {
    if (added.empty()) return {};
    std::vector<Unit> units;
    std::vector<std::int64_t> types;
    for (const Added& one : added) {
      units.push_back(one.unit);
      types.push_back(types_[one.type].type.id);
    }
    LADE_ASSIGN(const auto stored, map_.stored_texts(units, types, rows.connection()));
    for (std::size_t i = 0; i < added.size(); ++i) {
      const IdentColumns& type = types_[added[i].type];
      if (stored[i]) {
        rows.error(added[i].row, type.columns, "identifier_unstable",
                   fmt::format("{} {} has {} {} already", kind_name(added[i].unit), added[i].unit.id, type.type.code,
                               *stored[i]),
                   "an identifier does not change; correct it, or leave the cell blank");
      } else {
        add(rows, added[i].row, added[i].type, added[i].text);
      }
    }
    return {};
  }

  const std::string& kind_name(const Unit& unit) const {
    return map_.table().units[static_cast<std::size_t>(unit.kind)];
  }

  const IdentMap map_;
  const std::vector<IdentColumns> types_;
  std::string unit_;             // the kind this import makes; empty: none
  std::vector<int> id_columns_;  // by kind of unit, -1: not of this import
  std::vector<int> added_;       // by type
  std::size_t types_in_file_ = 0;
  std::vector<int> columns_in_file_;
};

class ExternalIdentsKind final : public StepKind {
 public:
  std::string_view name() const override { return "external_idents"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"types", "idents", "units"};
    return kOptions;
  }

  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    if (!definition.mode)
      faults.error(
          {step.line, 1}, "definition_missing_key",
          fmt::format("steps.{}: the definition says nothing about mode; it tells which units are made", step.code));
    if (!definition.strategy)
      faults.error({step.line, 1}, "definition_missing_key",
                   fmt::format("steps.{}: the definition says nothing about strategy", step.code));
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    LADE_ASSIGN(const auto types, read_ident_types(step, option(step, "types", "external_ident_type"), expansion));
    for (const IdentType& type : types) add_type(step, type, expansion);
    for (const std::string& unit : units_of(expansion.definition())) {
      expansion.add_column(step,
                           filled_column(unit + "_id", definition::TypeKind::integer, DataColumn::Purpose::pk_id));
      for (const IdentType& type : types) add_entry(step, type, unit, expansion);
    }
    expansion.add_column(step, filled_column("operation", definition::TypeKind::text));
    expansion.add_column(step, filled_column("action", definition::TypeKind::text));
    expansion.keep(step, "resolved_types", to_node(types));
    return {};
  }

  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings& here) const override {
    const auto types = ident_columns(ident_types_of(step.options.find("resolved_types")), program, "");
    LADE_TRY(check_header(types, program));
    LADE_ASSIGN(IdentMap map, load_idents(step, here.connection));
    return std::make_shared<const IdentStep>(std::move(map), types, program);
  }

 private:
  static void add_type(const Step& step, const IdentType& type, Expansion& expansion) {
    for (const std::string& name : type.columns()) {
      DataColumn column;
      column.name = name;
      column.identifying = true;
      expansion.add_column(step, std::move(column));
    }
    expansion.add_column(step, filled_column(added_column(type), definition::TypeKind::text));
  }

  static void add_entry(const Step& step, const IdentType& type, const std::string& unit, Expansion& expansion) {
    definition::LoadEntry entry;
    entry.table = option(step, "idents", "external_ident");
    entry.key = {"type_id", "ident"};
    entry.strategy = definition::Strategy::insert_only;
    entry.columns = {{"type_id", {}, {}, {}, definition::FixedValue{std::to_string(type.id)}},
                     {"ident", added_column(type), {}, {}},
                     Expansion::unit_reference(unit)};
    entry.with = {added_column(type)};
    entry.identifies = true;
    expansion.add_entry(step, std::move(entry), Expansion::Rank::names);
  }

  static Result<void> check_header(const std::vector<IdentColumns>& types, const analysis::Program& program) {
    std::vector<std::string> names;
    for (const int column : all_columns(types)) {
      const analysis::ColumnProgram& found = program.columns[static_cast<std::size_t>(column)];
      if (found.source >= 0 || found.fixed) return {};
      names.push_back(found.column.name);
    }
    return fail("header_mismatch", fmt::format("the file has no column with an identifier: {}", fmt::join(names, ", ")),
                "add one of them", ErrorKind::invalid);
  }
};

}  // namespace

Result<IdentMap> load_idents(const Step& step, db::Connection& connection) {
  const std::string name = option(step, "idents", "external_ident");
  LADE_ASSIGN(auto table, connection.describe(name));
  if (!table)
    return fail("table_not_found", fmt::format("step '{}' needs the table '{}'", step.code, name), {},
                ErrorKind::invalid);
  IdentTable idents{std::move(*table), option_list(step, "units")};
  if (idents.units.empty()) idents.units = all_unit_kinds();
  return IdentMap::load(std::move(idents), connection, kMostInMemory);
}

const StepKind& external_idents() {
  static const ExternalIdentsKind kKind;
  return kKind;
}

}  // namespace lade::steps
