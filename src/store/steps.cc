#include "store/steps.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;
using Step = StoredDefinition::Step;

std::optional<std::string> optional_text(const Value& value) {
  return std::holds_alternative<std::monostate>(value) ? std::nullopt : std::optional(text_of(value));
}
Value value_of(const std::optional<std::string>& text) {
  return text ? Value(*text) : Value();
}

struct KnownStep {
  std::int64_t id = 0;
  Step step;
};

Result<std::optional<KnownStep>> find_step(db::Connection& connection, std::int64_t company, const std::string& code) {
  const Value values[] = {company, code};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT id, name, priority, kind, analyse_procedure, process_procedure FROM lade_step "
                               "WHERE company_id = $1 AND code = $2",
                               values));
  if (rows.empty()) return std::nullopt;
  const db::Row& row = rows.front();
  return KnownStep{std::get<std::int64_t>(row[0]),
                   {code, text_of(row[1]), std::get<std::int64_t>(row[2]), text_of(row[3]), optional_text(row[4]),
                    optional_text(row[5])}};
}

// The slug of another definition whose newest version uses the step; empty: none does.
Result<std::string> other_user(db::Connection& connection, std::int64_t step, const StoredDefinition& definition) {
  const Value values[] = {step, definition.company, definition.slug};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT d.slug FROM lade_definition_step s JOIN lade_definition d ON d.id = s.definition_id "
                       "WHERE s.step_id = $1 AND d.company_id = $2 AND d.slug <> $3 AND d.version = (SELECT "
                       "max(o.version) FROM lade_definition o WHERE o.company_id = d.company_id AND o.slug = d.slug) "
                       "ORDER BY d.slug LIMIT 1",
                       values));
  return rows.empty() ? std::string() : text_of(rows.front().front());
}

// What a step does as two definitions would have to agree on it; nothing when they do.
std::string difference(const Step& known, const Step& wanted) {
  if (known.priority != wanted.priority) return fmt::format("priority {}, not {}", known.priority, wanted.priority);
  if (known.kind != wanted.kind) return fmt::format("kind {}, not {}", known.kind, wanted.kind);
  if (known.analyse_procedure != wanted.analyse_procedure)
    return fmt::format("analyse_procedure {}", known.analyse_procedure.value_or("none"));
  if (known.process_procedure != wanted.process_procedure)
    return fmt::format("process_procedure {}", known.process_procedure.value_or("none"));
  return {};
}

Result<void> check_conflict(db::Connection& connection, const KnownStep& known, const Step& wanted,
                            const StoredDefinition& definition) {
  const std::string found = difference(known.step, wanted);
  if (found.empty()) return {};
  LADE_ASSIGN(const std::string user, other_user(connection, known.id, definition));
  if (user.empty()) return {};
  return fail("step_conflict", fmt::format("step '{}' has {} in the definition '{}'", wanted.code, found, user),
              "steps are shared by the definitions of a company; give this one another code, or change it in both",
              ErrorKind::invalid);
}

Result<std::int64_t> save_step(db::Connection& connection, const Step& step, const StoredDefinition& definition) {
  const Value values[] = {definition.company,
                          step.code,
                          step.name,
                          step.priority,
                          step.kind,
                          value_of(step.analyse_procedure),
                          value_of(step.process_procedure)};
  LADE_ASSIGN(const auto known, find_step(connection, definition.company, step.code));
  if (known) LADE_TRY(check_conflict(connection, *known, step, definition));
  LADE_ASSIGN(
      const auto rows,
      connection.query("INSERT INTO lade_step (company_id, code, name, priority, kind, analyse_procedure, "
                       "process_procedure) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (company_id, code) "
                       "DO UPDATE SET name = excluded.name, priority = excluded.priority, kind = excluded.kind, "
                       "analyse_procedure = excluded.analyse_procedure, process_procedure = "
                       "excluded.process_procedure RETURNING id",
                       values));
  return std::get<std::int64_t>(rows.front().front());
}

}  // namespace

Result<StepIds> save_steps(db::Connection& connection, const StoredDefinition& definition) {
  StepIds ids;
  for (const Step& step : definition.steps) {
    LADE_ASSIGN(const std::int64_t id, save_step(connection, step, definition));
    const Value values[] = {definition.id, id, definition.company, step.options};
    LADE_TRY(
        connection.execute("INSERT INTO lade_definition_step (definition_id, step_id, company_id, options) "
                           "VALUES ($1, $2, $3, $4)",
                           values));
    ids.emplace_back(step.code, id);
  }
  return ids;
}

Result<std::vector<Step>> read_steps(db::Connection& connection, std::int64_t definition_id) {
  const Value values[] = {definition_id};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT s.code, s.name, s.priority, s.kind, s.analyse_procedure, s.process_procedure, "
                               "l.options FROM lade_definition_step l JOIN lade_step s ON s.id = l.step_id "
                               "WHERE l.definition_id = $1 ORDER BY s.priority, s.code",
                               values));
  std::vector<Step> steps;
  for (const db::Row& row : rows)
    steps.push_back({text_of(row[0]), text_of(row[1]), std::get<std::int64_t>(row[2]), text_of(row[3]),
                     optional_text(row[4]), optional_text(row[5]), text_of(row[6])});
  return steps;
}

}  // namespace lade::store
