#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/program.h"

namespace lade::analysis {

// Builds a Program, collecting faults instead of stopping at the first. Used by bind() only.
class Binder {
 public:
  Binder(const definition::Definition& definition, std::vector<std::string> header, db::Connection& connection,
         const Context& context);
  Result<std::shared_ptr<const Program>> run(const StepMaker& make_step);

 private:
  // Columns (bind_columns.cc).
  void bind_columns();
  void bind_column(const definition::DataColumn& column);
  void bind_source(ColumnProgram& program);
  void bind_formats(ColumnProgram& program);
  void bind_limits(ColumnProgram& program);
  std::optional<Cell> bound_value(ColumnProgram& program, const std::string& text, std::string& keep);
  void fault_missing(const definition::DataColumn& column);
  void refuse_strange_header();
  void note_unmapped();

  // Lookups and checks (bind_lookups.cc).
  Result<void> bind_lookup(std::size_t column);
  std::optional<LookupPart> lookup_part(const db::Table& table, const std::string& target,
                                        const definition::Type& type);
  void bind_checks();

  // The order of the steps (bind_stages.cc).
  Result<void> bind_stages(const StepMaker& make_step);
  std::size_t stage_of(const std::string& step) const;

  // Targets (bind_targets.cc).
  Result<void> bind_entry(const definition::LoadEntry& entry);
  void bind_fields(const definition::LoadEntry& entry, EntryProgram& program);
  void bind_reference(const definition::TargetColumn& column, EntryProgram& program);
  void bind_constant(const definition::TargetColumn& column, EntryProgram& program);
  void bind_key(const definition::LoadEntry& entry, EntryProgram& program);
  void check_unique(const definition::LoadEntry& entry, const EntryProgram& program);
  Result<void> bind_handler(const definition::LoadEntry& entry);
  void bind_identity();
  void bind_found_by();
  bool find_by(EntryProgram& program, const db::UniqueIndex& index, bool draw);
  void add_identity(const KeyPart& part);
  void limit_length(ColumnProgram& column, const db::Column& target);
  int add_slot(const Slot& slot);

  // Sets that are replaced as a whole (bind_set.cc).
  Result<void> bind_set(const definition::LoadEntry& entry, EntryProgram& program);
  Result<void> bind_version(const definition::LoadEntry& entry, EntryProgram& program);

  // Tables with a period (bind_temporal.cc).
  void bind_period(const definition::LoadEntry& entry, EntryProgram& program);
  int bind_day(const definition::LoadEntry& entry, const std::string& target, const std::string& data, int& slot,
               EntryProgram& program);
  int bind_entity_id(const definition::LoadEntry& entry, EntryProgram& program);
  void bind_roles(const definition::LoadEntry& entry, EntryProgram& program);
  void bind_conditions(const definition::LoadEntry& entry, EntryProgram& program);
  int any_slot_of(int column);

  Result<const db::Table*> table(const std::string& name, int line);
  std::string context_value(const definition::FixedValue& value) const;
  int column_index(const std::string& name) const;
  void fault(std::string code, std::string message);

  db::Connection& connection_;
  const Context& context_;
  std::shared_ptr<Program> program_;
  std::map<std::string, db::Table> tables_;
  std::vector<Error> faults_;
};

}  // namespace lade::analysis
