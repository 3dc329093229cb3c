#include <fmt/format.h>

#include <algorithm>

#include "analysis/binder.h"
#include "base/nearest.h"

namespace lade::analysis {
namespace {

// lade's own tables and the database's are never targets nor reference tables.
bool is_reserved(std::string_view name) {
  for (const std::string_view schema : {"pg_catalog.", "information_schema.", "pg_toast."})
    if (name.starts_with(schema)) return true;
  const auto dot = name.rfind('.');
  const std::string_view bare = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return bare.starts_with("lade_") || bare.starts_with("sqlite_") || bare.starts_with("pg_");
}

}  // namespace

Binder::Binder(const definition::Definition& definition, std::vector<std::string> header, db::Connection& connection,
               const Context& context)
    : connection_(connection), context_(context), program_(std::make_shared<Program>()) {
  program_->definition = definition;
  program_->header = std::move(header);
}

void Binder::fault(std::string code, std::string message) {
  faults_.push_back({std::move(code), std::move(message), {}, ErrorKind::invalid});
}

int Binder::column_index(const std::string& name) const {
  for (std::size_t i = 0; i < program_->columns.size(); ++i)
    if (program_->columns[i].column.name == name) return static_cast<int>(i);
  return -1;
}

std::string Binder::context_value(const definition::FixedValue& value) const {
  if (!value.is_context) return value.text;
  const auto found = context_.find(value.text);
  return found == context_.end() ? std::string() : found->second;
}

Result<const db::Table*> Binder::table(const std::string& name, int line) {
  if (const auto known = tables_.find(name); known != tables_.end()) return &known->second;
  if (is_reserved(name)) {
    fault("table_not_allowed",
          fmt::format("line {}: '{}' belongs to lade or to the database itself; name a table of yours", line, name));
    return nullptr;
  }
  LADE_ASSIGN(auto found, connection_.describe(name));
  if (!found) {
    LADE_ASSIGN(const auto names, connection_.table_names());
    std::string message = fmt::format("the database has no table '{}' (line {} of the definition)", name, line);
    if (const auto near = nearest(name, names); !near.empty()) message += fmt::format("; did you mean '{}'?", near);
    fault("table_not_found", std::move(message));
    return nullptr;
  }
  return &tables_.emplace(name, std::move(*found)).first->second;
}

Result<std::shared_ptr<const Program>> Binder::run(const StepMaker& make_step) {
  bind_columns();
  for (const std::size_t i : definition::evaluation_order(program_->definition))
    if (program_->columns[i].column.lookup) LADE_TRY(bind_lookup(i));
  bind_checks();
  if (faults_.empty()) LADE_TRY(bind_stages(make_step));
  for (const definition::LoadEntry& entry : program_->definition.load)
    LADE_TRY(entry.handler ? bind_handler(entry) : bind_entry(entry));
  if (faults_.empty()) {
    bind_found_by();
    bind_identity();
    const auto asked = std::ranges::find(program_->slots, program_->asked_column, &Slot::column);
    if (asked != program_->slots.end()) program_->asked_slot = static_cast<int>(asked - program_->slots.begin());
    return std::shared_ptr<const Program>(program_);
  }
  Error error = faults_.front();
  for (std::size_t i = 1; i < faults_.size(); ++i)
    error.message += fmt::format("\n{}: {}", faults_[i].code, faults_[i].message);
  return fail(std::move(error));
}

Result<std::shared_ptr<const Program>> bind(const definition::Definition& definition, std::vector<std::string> header,
                                            db::Connection& connection, const Context& context,
                                            const StepMaker& make_step) {
  return Binder(definition, std::move(header), connection, context).run(make_step);
}

}  // namespace lade::analysis
