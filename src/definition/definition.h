#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/expression.h"
#include "definition/node.h"
#include "model/issue.h"

// What an import means, as plain data. Made by parse_definition() from YAML; every value here has been validated.
namespace lade::definition {

enum class TypeKind { text, integer, decimal, boolean, date, timestamp, uuid, json };

struct Type {
  TypeKind kind = TypeKind::text;
  int precision = 0;  // decimal(p,s)
  int scale = 0;
  bool operator==(const Type&) const = default;
};
std::string to_string(const Type& type);

using model::Severity;
enum class BlankPolicy { null, keep, clear, error };

// A literal, or a context value ($company $project $user $job $now) filled in when a job starts. In YAML a literal that
// begins with $ is written with two.
struct FixedValue {
  std::string text;
  bool is_context = false;  // text is then the name without the $
  bool operator==(const FixedValue&) const = default;
};

enum class MissingPolicy { error, warning, null };
enum class ManyPolicy { error, warning, first };

struct Lookup {
  std::string table;
  // Data column → column of the table; `match: [cat, sel]` means the same names on both sides.
  std::vector<std::pair<std::string, std::string>> match;
  std::string take;
  std::vector<std::pair<std::string, FixedValue>> where;  // column of the table = value
  MissingPolicy missing = MissingPolicy::error;
  ManyPolicy many = ManyPolicy::error;
  bool operator==(const Lookup&) const = default;
};

// A data column: where its text comes from, what it must look like, what it becomes.
struct DataColumn {
  std::string name;
  // Exactly one origin: header spellings, a fixed value, `expression: now | default`, or a lookup.
  std::vector<std::string> from;
  std::optional<FixedValue> value;
  enum class SourceExpression { none, now, default_value } expression = SourceExpression::none;
  std::optional<Lookup> lookup;

  Type type;
  bool type_given = false;
  bool required = false;  // the header must have the column and the cell must not be blank
  BlankPolicy blank = BlankPolicy::null;
  bool blank_given = false;
  std::string cut;  // of a cell what stands before it is read; empty: all
  // Cells that are read as another text, before all that follows; an empty one is blank.
  std::vector<std::pair<std::string, std::string>> replace;
  std::vector<std::string> null_values;                     // cells that mean blank, compared trimmed, case-insensitive
  bool null_values_given = false;                           // those of the source do not apply
  std::optional<std::string> default_value;                 // text used for a blank cell
  std::vector<std::pair<std::string, std::string>> values;  // enum map, cell → text; other cells are errors
  bool values_only = false;                                 // `values` given (also as a list)
  std::string locale;                                       // e.g. de-DE; empty: plain
  // Dates, timestamps: tried in their order. Booleans: one, their words. Numbers: what may stand around them.
  std::vector<std::string> formats;
  std::string timezone;  // timestamps without zone; empty: UTC
  bool trim = true;
  std::optional<std::int64_t> min_length, max_length;  // characters
  std::optional<std::string> min, max;                 // as text of the column's type
  std::string pattern;                                 // RE2, must match the whole value
  bool sensitive = false;
  bool infinity = false;  // dates: the word stands for a day after all others
  Severity severity = Severity::error;
  // What the column is for, in Statbus' words. A source_input column is text in the file and a value of its type
  // afterwards; internal and pk_id columns are filled by a step and have no origin.
  enum class Purpose { source_input, internal, pk_id } purpose = Purpose::source_input;
  bool identifying = false;  // source_input only: one of those by which rows of the file are told apart
  std::string step;          // the code of the step that it belongs to; empty: none
  int line = 0;              // in the definition's file
  bool operator==(const DataColumn&) const = default;
};

struct Check {
  Expression expr;
  std::string text;                  // as written
  std::vector<std::string> columns;  // that the issue names; default: those in the expression
  Severity severity = Severity::error;
  std::string message;
  std::string code;  // default check_failed
  std::string step;  // as for columns
  int line = 0;
  bool operator==(const Check&) const = default;
};

enum class Strategy {
  append,
  insert_only,
  insert_or_replace,
  insert_or_update,
  replace_only,
  update_only,
  replace_set
};
std::string_view to_string(Strategy strategy);

// What goes into one column of a target table.
struct TargetColumn {
  std::string target;
  std::string data_column;  // empty when it is a reference
  std::string ref_table;    // {ref: legal_unit.id}: the value of that column in the row of an earlier load entry
  std::string ref_column;
  std::optional<FixedValue> value = {};  // {value: physical}: the same in every row
  bool operator==(const TargetColumn&) const = default;
};

// How a table keeps history: each of its rows says what held from one day up to another one, which is not included.
// Rows of the file are laid over the entity's timeline; docs/temporal.md says how.
struct Temporal {
  std::string from = "valid_from", until = "valid_until";  // columns of the table
  std::string valid_from, valid_to;                        // data columns, dates; both days are included
  std::string id;                      // column that names the entity, drawn for a new one; empty: only the key does
  std::vector<std::string> ephemeral;  // columns that never cut the timeline, e.g. a comment
  std::vector<std::string> audit;      // the same, and they alone are no reason to write: who and when
  bool operator==(const Temporal&) const = default;
};

struct MaxErrors {
  std::optional<std::int64_t> count;
  std::optional<double> percent;
  bool given() const { return count || percent; }
  bool operator==(const MaxErrors&) const = default;
};

// The one row of a table that a flag marks as active, e.g. the price list in force.
struct ActiveRow {
  std::string table;
  std::string flag = "is_active";                         // column, boolean
  std::string take = "id";                                // column whose value is meant
  std::vector<std::pair<std::string, FixedValue>> where;  // further conditions: column = value
  bool operator==(const ActiveRow&) const = default;
};

// A column of the target that has the same value in all rows of the set: a value, or what an active row says. A job
// keeps the value.
struct ScopeColumn {
  std::string target;
  FixedValue value;
  std::optional<ActiveRow> active;
  bool operator==(const ScopeColumn&) const = default;
};

// Sets that are built aside: every row says which version it belongs to, and one row of the versions' table is active.
struct SetVersion {
  std::string column;              // of the target
  std::string table;               // one row for each version, with the scope's columns
  std::string id = "id";           // column of that table, an integer
  std::string flag = "is_active";  // column of that table, boolean
  int keep_days = 30;              // how long versions stay that are not active any more
  bool operator==(const SetVersion&) const = default;
};

// `strategy: replace_set`: the file is the whole truth about the rows of its scope.
struct WholeSet {
  std::vector<ScopeColumn> scope;  // empty: the whole table
  std::optional<SetVersion> version;
  bool allow_empty = false;
  MaxErrors max_removed{.count = {}, .percent = 30};  // beyond it somebody must approve
  bool operator==(const WholeSet&) const = default;
};

// A row handler in the place of a table: it writes wherever it wants, and says of each row what became of it.
struct HandlerTarget {
  std::string name;             // of the file of handlers, never a path
  Node options;                 // a map, for the handler
  std::int64_t batch_size = 0;  // rows that it gets at once; 0: as the settings say
  bool operator==(const HandlerTarget&) const = default;
};

struct LoadEntry {
  std::string table;                     // empty: `handler` is the target
  std::optional<HandlerTarget> handler;  // then it stands alone, and `columns` are what the handler calls them
  std::vector<std::string> key;          // target columns
  Strategy strategy = Strategy::insert_or_update;
  std::vector<TargetColumn> columns;  // empty: every data column with a target column of its name
  bool columns_given = false;
  std::optional<Temporal> temporal;
  std::vector<std::string> with;  // data columns: a row in which all of them are blank does not concern this table
  // A data column, the id of an entity: this table gets one row for each entity that has none yet, and no other.
  std::string for_new;
  // The key belongs to one entity: a row that is stored with it tells who that is, whatever was known before.
  bool identifies = false;
  std::optional<WholeSet> set;  // with replace_set
  std::string deletes;          // a boolean data column: where it is true, the stored row is deleted; empty: none is
  std::string step;             // as for columns
  int line = 0;
  bool operator==(const LoadEntry&) const = default;
};

enum class DuplicatePolicy { first, last, reject, merge };
enum class Aggregate { last, first, sum, min, max, count, join };
enum class Partition { range, hash, single };
enum class Commit { per_bucket, all_or_nothing };
enum class FailWhen { never, any_failed, all_failed };
enum class Review { never, always, on_issues };  // on_issues: when a row has failed
enum class Lock { none, target };                // target: one job at a time loads into its tables
enum class RaggedPolicy { error, pad };          // rows with too few or too many fields
enum class MergedPolicy { first, repeat };       // the value of merged cells stands in the first one, or in each

struct Source {
  std::string format;  // csv, xlsx; empty: by content
  std::string sheet;   // of a workbook: its name, or its place from 1 on; empty: the first with cells
  MergedPolicy merged = MergedPolicy::first;
  std::optional<char> delimiter, quote, escape, comment;
  bool no_quote = false;
  std::string encoding;             // a name by its form only; empty: found out
  std::optional<int> header_row;    // 1-based line of the header; 0: no header, columns are named column_1 …
  std::vector<std::string> header;  // names when header_row is 0
  int skip_rows = 0;
  std::vector<std::string> null_values;  // of every column of the file without its own
  RaggedPolicy ragged = RaggedPolicy::error;
  bool operator==(const Source&) const = default;
};

// One step of a definition: what a kind of step (steps/registry.h) does with the columns that belong to it.
struct Step {
  std::string code;  // unique, snake_case
  std::string name;  // for people
  std::string kind;  // default: the code
  int priority = 0;  // steps run in its order
  Node options;      // a map, all other keys of the step; its kind reads them
  int line = 0;
  bool operator==(const Step&) const = default;
};

enum class Mode { legal_unit, establishment_formal, establishment_informal, generic_unit };
enum class ValidTimeFrom { job_provided, source_columns };

struct Definition {
  std::string slug;
  std::string name;
  std::string note;
  Source source;
  std::vector<DataColumn> columns;
  std::vector<Check> checks;
  std::vector<LoadEntry> load;
  DuplicatePolicy duplicates = DuplicatePolicy::last;
  std::map<std::string, Aggregate> aggregate;
  Partition partition = Partition::range;
  Commit commit = Commit::per_bucket;
  FailWhen fail_when = FailWhen::never;
  Review review = Review::never;
  Lock lock = Lock::none;
  std::string queue = "default";  // where the tasks of its jobs wait
  bool lineage = false;           // where its rows came from is known as long as its jobs are
  MaxErrors max_errors;

  // Of definitions made of steps, by priority.
  std::vector<Step> steps;
  std::optional<Mode> mode;
  std::optional<Strategy> strategy;  // of all its tables
  std::optional<ValidTimeFrom> valid_time_from;
  // The steps have added their columns, checks and tables (steps::expand()): nothing is left to be asked of the
  // database. What a job keeps.
  bool expanded = false;

  // The set that the file is the whole truth of; null: it is not. Such a definition loads one table.
  const WholeSet* set() const { return load.size() == 1 && load.front().set ? &*load.front().set : nullptr; }
  // The handler that gets the rows; null: they go into tables.
  const HandlerTarget* handler() const {
    return load.size() == 1 && load.front().handler ? &*load.front().handler : nullptr;
  }
  const DataColumn* find(std::string_view column) const;
  bool operator==(const Definition&) const = default;
};

// The order in which the columns' values can be found, as indexes: those that are no lookup first, in their order, then
// the lookups, each after the lookups it matches. The definition is valid, so there is no cycle.
std::vector<std::size_t> evaluation_order(const Definition& definition);

}  // namespace lade::definition
