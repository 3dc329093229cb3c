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
  std::string cut;                                          // of a cell what stands before it is read; empty: all
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
  Severity severity = Severity::error;
  int line = 0;  // in the definition's file
  bool operator==(const DataColumn&) const = default;
};

struct Check {
  Expression expr;
  std::string text;                  // as written
  std::vector<std::string> columns;  // that the issue names; default: those in the expression
  Severity severity = Severity::error;
  std::string message;
  std::string code;  // default check_failed
  int line = 0;
  bool operator==(const Check&) const = default;
};

enum class Strategy { append, insert_only, insert_or_replace, insert_or_update, replace_only, update_only };
std::string_view to_string(Strategy strategy);

// What goes into one column of a target table.
struct TargetColumn {
  std::string target;
  std::string data_column;  // empty when it is a reference
  std::string ref_table;    // {ref: legal_unit.id}: the value of that column in the row of an earlier load entry
  std::string ref_column;
  bool operator==(const TargetColumn&) const = default;
};

struct LoadEntry {
  std::string table;
  std::vector<std::string> key;  // target columns
  Strategy strategy = Strategy::insert_or_update;
  std::vector<TargetColumn> columns;  // empty: every data column with a target column of its name
  bool columns_given = false;
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

struct MaxErrors {
  std::optional<std::int64_t> count;
  std::optional<double> percent;
  bool given() const { return count || percent; }
  bool operator==(const MaxErrors&) const = default;
};

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
  MaxErrors max_errors;

  const DataColumn* find(std::string_view column) const;
  bool operator==(const Definition&) const = default;
};

// The order in which the columns' values can be found, as indexes: those that are no lookup first, in their order, then
// the lookups, each after the lookups it matches. The definition is valid, so there is no cycle.
std::vector<std::size_t> evaluation_order(const Definition& definition);

}  // namespace lade::definition
