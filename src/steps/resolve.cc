#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "definition/values.h"
#include "names/index.h"
#include "names/normaliser.h"
#include "names/tiers.h"
#include "steps/filled_columns.h"
#include "steps/kinds.h"

namespace lade::steps {
namespace {

using analysis::StepRows;
using definition::Step;

constexpr std::size_t kMostEntities = 1'000'000;
constexpr std::size_t kMostShown = 3;
constexpr std::string_view kFields[] = {"id", "name", "confidence", "reason"};

// The entities of a table, as they were when the job was bound.
struct Entities {
  std::vector<std::pair<std::string, std::string>> rows;  // id and name, as they are stored
  names::NameIndex index;                                 // its entities are places in `rows`
};

// What a name means. Views point into the entities.
struct Resolved {
  names::Tier tier = names::Tier::blocked;
  std::vector<std::pair<std::size_t, names::Candidate>> candidates;  // the place in `rows`, best first
};

class ResolveStep final : public analysis::Step {
 public:
  struct Options {
    std::vector<names::Rewrite> rules;
    names::Tiers tiers;
    bool leaves_blank = false;  // what is doubtful is only warned of
    std::string table;
  };
  ResolveStep(Entities entities, Options options, int input, std::vector<FilledColumn> filled)
      : entities_(std::move(entities)), options_(std::move(options)), input_(input), filled_(std::move(filled)) {}

  Result<void> analyse(StepRows& rows) const override {
    LADE_ASSIGN(DeskPointer desk, take_desk());
    std::unordered_map<std::string_view, Resolved> known;  // names repeat
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.is_refused(row) || !rows.has_value(input_, row)) continue;
      const std::string_view name = rows.text(input_, row);
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
    Desk(names::Normaliser made, const names::NameIndex& index) : normalised(std::move(made)), asker(index) {}
    Resolved resolve(std::string_view name, const names::Tiers& tiers) {
      Resolved resolved;
      const auto& found = asker.ask(normalised(name));
      resolved.tier = tier_of(found, tiers);
      for (const names::Candidate& candidate : found)
        resolved.candidates.emplace_back(static_cast<std::size_t>(candidate.entity), candidate);
      return resolved;
    }
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
    LADE_ASSIGN(names::Normaliser normaliser, names::Normaliser::create(options_.rules));
    return std::make_unique<Desk>(std::move(normaliser), entities_.index);
  }

  std::string shown(const Resolved& resolved) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostShown, resolved.candidates.size()); ++i) {
      const auto& [place, candidate] = resolved.candidates[i];
      text += fmt::format("{}'{}' ({:.0f})", i == 0 ? "" : ", ", entities_.rows[place].second, candidate.confidence);
    }
    return text;
  }

  void tell(StepRows& rows, std::size_t row, std::string_view name, const Resolved& resolved) const {
    if (resolved.tier == names::Tier::automatic) return fill(rows, row, resolved.candidates.front());
    const int columns[] = {input_};
    const bool blocked = resolved.tier == names::Tier::blocked;
    const std::string code = blocked ? "name_unknown" : "name_doubtful";
    std::string message = blocked ? fmt::format("nobody in {} is called so", options_.table)
                                  : fmt::format("it may mean {}", shown(resolved));
    std::string hint = resolved.candidates.empty() ? fmt::format("correct it, or add '{}' to {}", name, options_.table)
                       : blocked                   ? fmt::format("the nearest are {}", shown(resolved))
                                                   : std::string("write the name of one of them");
    if (options_.leaves_blank)
      rows.warning(row, columns, code, std::move(message), std::move(hint));
    else
      rows.error(row, columns, code, std::move(message), std::move(hint));
  }

  void fill(StepRows& rows, std::size_t row, const std::pair<std::size_t, names::Candidate>& found) const {
    const auto& [id, name] = entities_.rows[found.first];
    for (const FilledColumn& filled : filled_) {
      std::string text = id;
      if (filled.field == "name") text = name;
      if (filled.field == "confidence") text = fmt::format("{:.2f}", found.second.confidence);
      if (filled.field == "reason") text = names::to_string(found.second.reason);
      rows.convert(filled.column, row, rows.keep_text(text));
    }
  }

  const Entities entities_;
  const Options options_;
  const int input_;
  const std::vector<FilledColumn> filled_;
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

std::vector<names::Rewrite> rules_of(const Step& step) {
  std::vector<names::Rewrite> rules;
  const definition::Node* const rewrite = step.options.find("rewrite");
  for (std::size_t i = 0; rewrite != nullptr && rewrite->is_map() && i < rewrite->size(); ++i)
    rules.push_back({rewrite->key(i).text, rewrite->value(i).text});
  return rules;
}

std::vector<std::string> name_columns(const Step& step) {
  std::vector<std::string> columns = option_list(step, "names");
  if (columns.empty()) columns.push_back("name");
  return columns;
}

Result<Entities> read_entities(const Step& step, db::Connection& connection) {
  const std::string name = option(step, "table");
  LADE_ASSIGN(const auto table, connection.describe(name));
  if (!table)
    return fail("table_not_found",
                fmt::format("step '{}' looks for names in the table '{}', which is not there", step.code, name),
                "create it, or name another one", ErrorKind::invalid);
  std::vector<std::string> columns = name_columns(step);
  columns.insert(columns.begin(), option(step, "id", "id"));
  std::string list;
  for (const std::string& column : columns) {
    if (table->find(column) == nullptr)
      return fail("column_not_found", fmt::format("step '{}': table '{}' has no column '{}'", step.code, name, column),
                  "name another one", ErrorKind::invalid);
    list += fmt::format("{}CAST({} AS text)", list.empty() ? "" : ", ", db::Connection::quote_name(column));
  }
  LADE_ASSIGN(const auto found, connection.query(fmt::format("SELECT {} FROM {} ORDER BY 1 LIMIT {}", list,
                                                             table->quoted, kMostEntities + 1)));
  if (found.size() > kMostEntities)
    return fail("entities_too_many", fmt::format("'{}' has more than {} rows", name, kMostEntities),
                "resolve against a smaller table", ErrorKind::invalid);
  LADE_ASSIGN(names::Normaliser normalised, names::Normaliser::create(rules_of(step)));
  Entities entities;
  for (const db::Row& row : found) {
    const auto text = [&](std::size_t i) {
      const std::string* value = std::get_if<std::string>(&row[i]);
      return value == nullptr ? std::string() : *value;
    };
    const auto place = static_cast<std::int64_t>(entities.rows.size());
    entities.rows.emplace_back(text(0), text(1));
    for (std::size_t i = 1; i < row.size(); ++i) entities.index.add(place, normalised(text(i)));
  }
  entities.index.finish();
  return entities;
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
      if (!rewrite->is_map() || !names::Normaliser::create(rules_of(step)))
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
    LADE_ASSIGN(Entities entities, read_entities(step, here.connection));
    ResolveStep::Options options{
        .rules = rules_of(step), .leaves_blank = option(step, "doubtful") == "blank", .table = option(step, "table")};
    options.tiers.automatic = *percent(step, "automatic", options.tiers.automatic);
    options.tiers.suggested = *percent(step, "suggested", options.tiers.suggested);
    return std::make_shared<const ResolveStep>(std::move(entities), std::move(options),
                                               analysis::column_named(program, option(step, "input")),
                                               filled_columns(step, program));
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
