#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/cast.h"
#include "analysis/cell.h"
#include "analysis/wire_codec.h"
#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"

namespace re2 {
class RE2;
}

namespace lade::analysis {

class Step;

// A data column ready to run: where its text stands, how it is read, what it must satisfy.
struct ColumnProgram {
  definition::DataColumn column;
  definition::Type type;
  int source = -1;                   // index of the source column; -1: fixed, looked up or absent
  std::optional<std::string> fixed;  // the text of every row
  bool absent = false;               // optional and not in this file: stored values stay
  int lookup = -1;

  NumberFormat numbers;
  BooleanFormat booleans;
  DateFormat dates;
  DateFormat plain_dates;                   // ISO 8601 in the column's zone: how a workbook's own dates are read
  std::shared_ptr<const re2::RE2> pattern;  // shared by the workers, immutable
  std::unordered_map<std::string, std::string> values;
  std::unordered_map<std::string, std::string> replace;
  std::vector<std::string> null_values;  // without their case
  std::optional<Cell> min, max;
  std::string min_text, max_text;  // what the cells of text columns point to
  std::int64_t max_length = 0;     // characters, 0: none; the smaller of definition and target
};

// A part of a lookup's key: a data column or a constant, in the form of the reference table's column.
struct LookupPart {
  int column = -1;
  Cell constant;
  std::shared_ptr<const std::string> constant_text;  // what a text constant points to, wherever this part moves
  definition::Type type;
  WireForm form;
  std::string target;      // column of the reference table
  std::string probe_type;  // its type without limits of length and precision; empty: as it is
  bool folds_case = false;
};

struct LookupProgram {
  int column = -1;  // the data column it fills
  db::Table table;
  std::vector<LookupPart> parts;
  std::string take;
  db::WireType take_wire = db::WireType::text;
  definition::MissingPolicy missing = definition::MissingPolicy::error;
  definition::ManyPolicy many = definition::ManyPolicy::error;
  std::string described;  // the match columns, for messages
};

struct CheckProgram {
  const definition::Check* check = nullptr;
  std::vector<std::pair<std::string, int>> columns;  // name → index of the data column
};

// One field of the staged tuple.
struct Slot {
  int column = 0;
  WireForm form;
  bool null_keeps = false;  // update strategies: a blank leaves the stored value
  bool blank_keeps = true;  // `blank: keep` is honoured (never for keys)
  bool operator==(const Slot&) const = default;
};

// One column that a load entry writes.
struct TargetField {
  db::Column column;
  int slot = -1;       // the tuple's field, or
  int ref_entry = -1;  // the row of an earlier entry …
  int ref_field = -1;  // … and its field (an extra field when the entry itself does not write that column)
  std::optional<std::string> constant = {};  // or a field of a tuple, the same for all rows
  bool key = false;
  // Without a value in the row: read from stored rows, drawn from the sequence for new ones.
  bool drawn = false;
  // Of temporal entries.
  bool ephemeral = false;  // never cuts the timeline
  bool audit = false;      // the same, and is no reason to write
  bool carried = false;    // nothing writes it; goes along when a stored row is cut
};

// The period of a temporal entry. Its key names the entity, without the period.
struct PeriodProgram {
  int from_slot = -1, to_slot = -1;       // the tuple's fields: the first and the last day, as dates of the target
  int from_field = -1, until_field = -1;  // of the entry: the first day, and the day after the last
  int id_field = -1;                      // names the entity beside the key: equal in all its rows; -1: there is none
};

// A part of a key: the data column and how its target column compares.
struct KeyPart {
  int column = 0;
  int field = 0;  // of the entry
  definition::Type type;
  bool folds_case = false;
  bool pad = false;
  bool ordered = false;  // the database sorts it like the bytes of its sort key
};

// The part of a table that is replaced as a whole.
struct SetProgram {
  std::vector<int> scope;  // fields, all constants: which rows belong to it
  int version = -1;        // the field that says which version a row belongs to; -1: rows are changed where they are
};

struct EntryProgram {
  db::Table table;
  definition::Strategy strategy = definition::Strategy::append;
  std::vector<TargetField> fields;
  std::vector<KeyPart> key;   // empty for append without a key; parts that are references have column -1
  bool tuple_is_row = false;  // the staged tuple is exactly this entry's row
  std::optional<PeriodProgram> period;
  std::vector<int> with;  // slots: a row in which all of them are blank does not concern this entry; empty: all rows do
  // A slot: the entry has one row for each root entity in whose rows it is blank, and no other. -1: as all entries.
  int for_new = -1;
  int identifies = -1;  // the field with the id of the root entity that the key belongs to; -1: it says nothing
  std::optional<SetProgram> set;
  int deletes = -1;  // a slot, boolean: where it is true, the stored row is deleted; -1: none is
  // Of a table that is only appended to: a primary key or unique index by which its rows are found again; empty: there
  // is none.
  std::vector<KeyPart> found_by;
  bool by_key() const { return strategy != definition::Strategy::append; }
  // By which a row is undone; empty: it cannot be.
  const std::vector<KeyPart>& journal_key() const { return by_key() ? key : found_by; }
};

// What analysis does for one step, in this order. Findings of an earlier stage end a row: later ones say nothing more
// about it.
struct Stage {
  std::vector<std::size_t> columns, lookups;
  std::shared_ptr<const Step> step;  // null: it has no analyse half
  std::vector<std::size_t> checks;
};

// A definition bound to one file's header and one database's tables: all that workers need, immutable and shared.
struct Program {
  definition::Definition definition;
  std::vector<ColumnProgram> columns;  // as in the definition
  std::vector<LookupProgram> lookups;  // in the order of evaluation
  std::vector<CheckProgram> checks;
  std::vector<Slot> slots;
  std::vector<EntryProgram> entries;
  // The key that says which rows of the file mean the same: the root's key, then what further entries add to it.
  std::vector<KeyPart> identity;
  std::size_t root_parts = 0;
  bool row_is_key = false;  // append without a key: every row is its own
  // A step names the entities (StepRows::set_entity()): keys begin with that name, and identity holds only what is
  // added to it.
  bool step_names_entities = false;
  int entity_slot = -1;  // the id of the row's entity in the root table, blank when it is new; -1: see the root's key
  std::vector<Stage> stages;  // by priority; a definition without steps has one
  bool has_claims = false;    // rows may claim what only one entity can have (StepRows::claim(), ask_first())
  int asked_column = -1;      // that StepRows::ask_first() asks for …
  int asked_slot = -1;        // … and where it is staged

  std::vector<std::string> header;
  std::vector<std::string> unmapped;  // source columns that nothing reads
  std::vector<std::string> absent;    // optional columns that the file does not have
  bool resubmitted = false;           // the file is a result file of lade: escaped formulas are read back

  // The entry whose rows are the entities: the first that is not made for new ones only.
  std::size_t root() const {
    std::size_t at = 0;
    while (at + 1 < entries.size() && entries[at].for_new >= 0) ++at;
    return at;
  }
};

// Makes the analyse half of a step; null: it has none. The program's columns are bound already.
using StepMaker = std::function<Result<std::shared_ptr<const Step>>(const definition::Step& step,
                                                                    const Program& program, db::Connection&)>;

// Values of $company, $project, $user, $job and $now.
using Context = std::unordered_map<std::string, std::string>;

// Names every fault at once: columns that the header lacks (with what was found and the nearest names), tables, columns
// and keys that the database lacks, types that do not fit.
// The definition is expanded, if it has steps; `make_step` makes their analyse halves.
Result<std::shared_ptr<const Program>> bind(const definition::Definition& definition, std::vector<std::string> header,
                                            db::Connection& connection, const Context& context,
                                            const StepMaker& make_step = {});

// The names lade adds to result files.
bool is_result_column(std::string_view name);
// Whether the header has all of them: the file is a result file of lade.
bool is_result_file(const std::vector<std::string>& header);

}  // namespace lade::analysis
