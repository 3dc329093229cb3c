#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "analysis/wire_codec.h"
#include "base/one_line.h"
#include "definition/values.h"
#include "names/tiers.h"
#include "steps/entities.h"
#include "steps/filled_columns.h"
#include "steps/kinds.h"
#include "steps/name_question.h"

namespace lade::steps {
namespace {

using analysis::StepRows;
using definition::Step;

constexpr std::size_t kMostShown = 3;
constexpr std::size_t kMostRecorded = 24;
constexpr std::string_view kFields[] = {"id", "name", "confidence", "reason"};

// What a name means.
struct Resolved {
  names::Tier tier = names::Tier::blocked;
  bool nobody = false;  // people have said so
  bool ambiguous = false;
  std::string key;  // by which a decision about it is remembered
  std::vector<NameCandidate> candidates;
  std::string json;  // of the candidates, once somebody is asked
};

class ResolveStep final : public analysis::Step {
 public:
  struct Options {
    EntityTable entities;
    std::string code;  // of the step
    names::Tiers tiers;
    bool leaves_blank = false;  // what is doubtful is only warned of
    int input = -1;
    std::vector<FilledColumn> filled;
    std::vector<int> recorded;  // columns that who decides is shown
  };
  ResolveStep(Entities entities, Options options)
      : entities_(std::move(entities)), options_(std::move(options)), rules_(options_.entities.rules_mark()) {}

  Result<void> analyse(StepRows& rows) const override {
    LADE_ASSIGN(DeskPointer desk, take_desk());
    std::unordered_map<std::string_view, Resolved> known;  // names repeat
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows.may_ask(row) || !rows.has_value(options_.input, row)) continue;
      const std::string_view name = rows.text(options_.input, row);
      auto found = known.find(name);
      if (found == known.end()) found = known.emplace(name, desk->resolve(name, options_.tiers)).first;
      tell(rows, row, name, found->second);
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(desk));
    return {};
  }

 private:
  // What one thread needs to ask.
  struct Desk {
    Desk(names::Normaliser made, const Entities& all)
        : entities(all), normalised(std::move(made)), asker(all.index()) {}
    // Exact, remembered, alike: in this order.
    Resolved resolve(std::string_view name, const names::Tiers& tiers) {
      Resolved resolved;
      const std::string normal = normalised(name);
      const auto& found = asker.ask(normal);
      resolved.key = decision_key(name, normal);
      resolved.tier = tier_of(found, tiers);
      resolved.ambiguous = found.size() > 1 && found[0].confidence - found[1].confidence < names::kClearLead;
      const bool exact = resolved.tier == names::Tier::automatic && found.front().reason == names::Reason::same;
      if (!exact && remembers(resolved)) return resolved;
      for (const names::Candidate& candidate : found)
        add(resolved, static_cast<std::size_t>(candidate.entity), candidate.confidence, candidate.reason);
      return resolved;
    }
    bool remembers(Resolved& resolved) const {
      std::size_t place = 0;
      const Entities::Said said = entities.remembered(resolved.key, place);
      if (said == Entities::Said::nothing) return false;
      resolved.nobody = said == Entities::Said::nobody;
      resolved.tier = resolved.nobody ? names::Tier::blocked : names::Tier::automatic;
      if (!resolved.nobody) add(resolved, place, 100, names::Reason::remembered);
      return true;
    }
    void add(Resolved& resolved, std::size_t place, double confidence, names::Reason reason) const {
      const Entities::Entity& entity = entities.at(place);
      resolved.candidates.push_back({entity.id, entity.name, confidence, std::string(names::to_string(reason))});
    }
    const Entities& entities;
    names::Normaliser normalised;
    names::NameIndex::Asker asker;
  };
  using DeskPointer = std::unique_ptr<Desk>;

  Result<DeskPointer> take_desk() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        DeskPointer desk = std::move(idle_.back());
        idle_.pop_back();
        return desk;
      }
    }
    LADE_ASSIGN(names::Normaliser normaliser, names::Normaliser::create(options_.entities.rules));
    return std::make_unique<Desk>(std::move(normaliser), entities_);
  }

  static std::string shown(const Resolved& resolved) {
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostShown, resolved.candidates.size()); ++i)
      text += fmt::format("{}'{}' ({:.0f})", i == 0 ? "" : ", ", resolved.candidates[i].name,
                          resolved.candidates[i].confidence);
    return text;
  }

  void tell(StepRows& rows, std::size_t row, std::string_view name, Resolved& resolved) const {
    if (resolved.tier == names::Tier::automatic) return fill(rows, row, resolved.candidates.front());
    const std::string& table = options_.entities.table;
    const bool blocked = resolved.tier == names::Tier::blocked;
    const std::string code = blocked ? "name_unknown" : "name_doubtful";
    model::Issue issue{options_.leaves_blank ? model::Severity::warning : model::Severity::error,
                       code,
                       {},
                       {},
                       resolved.nobody ? fmt::format("it was decided that it means nobody in {}", table)
                       : blocked       ? fmt::format("nobody in {} is called so", table)
                                       : fmt::format("it may mean {}", shown(resolved)),
                       resolved.nobody               ? "correct it, or decide otherwise"
                       : resolved.candidates.empty() ? fmt::format("correct it, or add '{}' to {}", name, table)
                       : blocked                     ? fmt::format("the nearest are {}", shown(resolved))
                                                     : std::string("write the name of one of them")};
    const bool secret = rows.program().columns[static_cast<std::size_t>(options_.input)].column.sensitive;
    if (!resolved.nobody && !secret) issue.question = question(rows, row, name, resolved);
    rows.ask(row, options_.input, std::move(issue));
  }

  std::string question(StepRows& rows, std::size_t row, std::string_view name, Resolved& resolved) const {
    if (resolved.json.empty()) resolved.json = candidates_json(resolved.candidates);
    NameQuestion question{.step = options_.code,
                          .table = options_.entities.table,
                          .rules = rules_,
                          .name = one_line(name),
                          .key = resolved.key,
                          .tier = resolved.tier == names::Tier::blocked ? "blocked" : "suggested",
                          .candidates = resolved.candidates,
                          .ambiguous = resolved.ambiguous,
                          .record = {},
                          .completeness = 0};
    std::size_t filled = 0;
    for (const int column : options_.recorded) {
      if (!rows.has_value(column, row)) continue;
      ++filled;
      if (question.record.size() == kMostRecorded) continue;
      const analysis::ColumnProgram& program = rows.program().columns[static_cast<std::size_t>(column)];
      std::string text = program.column.sensitive ? "***" : analysis::to_text(rows.cell(column, row), program.type);
      question.record.emplace_back(program.column.name, one_line(text));
    }
    question.completeness = static_cast<double>(filled) / static_cast<double>(options_.recorded.size());
    return to_text(question, resolved.json);
  }

  void fill(StepRows& rows, std::size_t row, const NameCandidate& found) const {
    if (rows.is_refused(row)) return;
    for (const FilledColumn& filled : options_.filled) {
      std::string text = found.id;
      if (filled.field == "name") text = found.name;
      if (filled.field == "confidence") text = fmt::format("{:.2f}", found.confidence);
      if (filled.field == "reason") text = found.reason;
      rows.convert(filled.column, row, rows.keep_text(text));
    }
  }

  const Entities entities_;
  const Options options_;
  const std::string rules_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<DeskPointer> idle_;
};

// A number from 0 to 100.
std::optional<double> percent(const Step& step, std::string_view key, double otherwise) {
  const std::string text = option(step, key);
  if (text.empty()) return otherwise;
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > 100) return std::nullopt;
  return value;
}

// What the row says, before names are resolved: columns of the file, and those that other steps fill.
std::vector<int> recorded_columns(const analysis::Program& program) {
  std::vector<int> columns;
  for (std::size_t i = 0; i < program.columns.size(); ++i) {
    const definition::DataColumn& column = program.columns[i].column;
    const auto& steps = program.definition.steps;
    const auto step = std::ranges::find(steps, column.step, &Step::code);
    const bool filled =
        column.purpose == definition::DataColumn::Purpose::internal && step != steps.end() && step->kind != "resolve";
    // What lade itself says about pages is not what the row says.
    const bool own = !column.from.empty() && column.from.front().starts_with("_page_");
    if ((program.columns[i].source >= 0 && !own) || filled) columns.push_back(static_cast<int>(i));
  }
  return columns;
}

class ResolveKind final : public StepKind {
 public:
  std::string_view name() const override { return "resolve"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"input",     "table",     "id",       "names",  "rewrite",
                                                    "automatic", "suggested", "doubtful", "results"};
    return kOptions;
  }

  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    const auto wrong = [&](std::string_view key, std::string_view what) {
      const definition::Node* const node = step.options.find(key);
      faults.error(node == nullptr ? definition::Place{step.line, 1} : node->place,
                   node == nullptr ? "definition_missing_key" : "definition_bad_value",
                   fmt::format("steps.{}.{}: {}", step.code, key, what));
    };
    if (option(step, "table").empty()) wrong("table", "name the table that has the entities");
    if (definition::is_reserved_table(option(step, "table"))) wrong("table", "lade's own tables are no entities");
    const definition::DataColumn* const input = definition.find(option(step, "input"));
    if (input == nullptr || input->type.kind != definition::TypeKind::text)
      wrong("input", "name a column of type text, with the names");
    for (const std::string_view key : {"automatic", "suggested"})
      if (!percent(step, key, 0)) wrong(key, "a confidence is a number from 0 to 100");
    if (const std::string doubtful = option(step, "doubtful", "error"); doubtful != "error" && doubtful != "blank")
      wrong("doubtful", "error or blank");
    if (const definition::Node* rewrite = step.options.find("rewrite"))
      if (!rewrite->is_map() || !names::Normaliser::create(entity_table(step).rules))
        wrong("rewrite", "expected a map of small letters, digits and spaces");
    check_results(step, definition, faults);
    check_fields(step, definition, faults);
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    fill_late(step, expansion);
    LADE_TRY(expansion.table(step, option(step, "table")));
    return {};
  }

  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings& here) const override {
    LADE_ASSIGN(Entities entities, Entities::read(step, here.connection, here.memory));
    ResolveStep::Options options{.entities = entity_table(step),
                                 .code = step.code,
                                 .tiers = {},
                                 .leaves_blank = option(step, "doubtful") == "blank",
                                 .input = analysis::column_named(program, option(step, "input")),
                                 .filled = filled_columns(step, program),
                                 .recorded = recorded_columns(program)};
    options.tiers.automatic = *percent(step, "automatic", options.tiers.automatic);
    options.tiers.suggested = *percent(step, "suggested", options.tiers.suggested);
    return std::make_shared<const ResolveStep>(std::move(entities), std::move(options));
  }

 private:
  static void check_fields(const Step& step, const definition::Definition& definition, definition::Faults& faults) {
    const definition::Node* const results = step.options.find("results");
    const std::vector<std::string_view> known(std::begin(kFields), std::end(kFields));
    for (std::size_t i = 0; results != nullptr && results->is_map() && i < results->size(); ++i)
      if (std::ranges::find(known, results->value(i).text) == known.end())
        faults.error(results->value(i).place, "definition_bad_value",
                     fmt::format("steps.{}.results: there is no {}; known are {}", step.code,
                                 definition::in_quotes(results->value(i).text), fmt::join(known, ", ")));
    for (const definition::DataColumn& column : definition.columns) {
      const bool own = column.step == step.code && column.purpose == definition::DataColumn::Purpose::internal;
      const bool named = results != nullptr && results->is_map() && results->find(column.name) != nullptr;
      if (own && !named && std::ranges::find(known, column.name) == known.end())
        faults.error({column.line, 1}, "definition_bad_value",
                     fmt::format("steps.{}: say in `results` what goes into {}: {}", step.code,
                                 definition::in_quotes(column.name), fmt::join(known, ", ")));
    }
  }
};

}  // namespace

const StepKind& resolve() {
  static const ResolveKind kKind;
  return kKind;
}

}  // namespace lade::steps
