#include "load/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace lade::load {
namespace {

using analysis::Cell;
using analysis::EntryProgram;
using analysis::KeyPart;
using db::Connection;

// A range that holds more than this many stored rows per wanted one is not read whole.
constexpr std::size_t kSparseFactor = 4;
constexpr std::size_t kSparseMinimum = 2000;

std::string list(const std::vector<std::string>& names, std::string_view prefix = "") {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", prefix, Connection::quote_name(name));
  return text;
}

// The key of a tuple as canonical text, part by part.
std::vector<std::string> key_texts(const EntryProgram& entry, std::string_view tuple) {
  std::vector<db::WireField> fields;
  while (!tuple.empty()) fields.push_back(db::take_field(tuple));
  analysis::TextArena arena;
  std::vector<std::string> texts;
  for (const KeyPart& part : entry.key) {
    const auto index = static_cast<std::size_t>(part.field);
    Cell cell;
    analysis::decode_value(fields[index], entry.fields[index].column.wire, part.type, arena, cell);
    texts.push_back(analysis::to_text(cell, part.type));
  }
  return texts;
}

// A server checks the foreign keys of a COPY when it ends, while it still holds a slot for each of up to a thousand
// rows, and finds its way through them for every check: several short COPYs are quicker than a long one.
constexpr std::size_t kRowsPerCheckedCopy = 400;

// The rows of a source, so many at a time.
class Portions final : public db::TupleSource {
 public:
  Portions(db::TupleSource& rows, std::size_t size) : rows_(rows), size_(size) {}
  // Goes to the next portion; false when there are no more rows.
  bool begin() {
    left_ = size_;
    ahead_ = rows_.next();
    return ahead_.has_value();
  }
  std::optional<std::string_view> next() override {
    if (left_ == 0) return std::nullopt;
    --left_;
    return ahead_ ? std::exchange(ahead_, std::nullopt) : rows_.next();
  }

 private:
  db::TupleSource& rows_;
  const std::size_t size_;
  std::size_t left_ = 0;
  std::optional<std::string_view> ahead_;
};

class TwoTuples final : public db::TupleSource {
 public:
  TwoTuples(std::string_view first, std::string_view last) : tuples_{first, last} {}
  std::optional<std::string_view> next() override { return at_ < 2 ? std::optional(tuples_[at_++]) : std::nullopt; }

 private:
  std::string_view tuples_[2];
  std::size_t at_ = 0;
};

}  // namespace

Target::Target(Connection& connection, const EntryProgram& entry) : connection_(connection), entry_(entry) {
  std::string shape = entry.table.quoted;
  for (const auto& field : entry.fields) {
    columns_.push_back(field.column.name);
    shape += fmt::format(", {} {}", Connection::quote_name(field.column.name), field.column.type);
  }
  staged_table_ = Connection::temporary_name("lade_rows_", shape);
  column_list_ = list(columns_);
  std::string assignments;
  for (const auto& field : entry.fields) {
    if (field.key || field.drawn) continue;
    const std::string name = Connection::quote_name(field.column.name);
    assignments += fmt::format("{}{} = staged.{}", assignments.empty() ? "" : ", ", name, name);
  }
  for (const KeyPart& part : entry.key) {
    const std::string name = Connection::quote_name(columns_[static_cast<std::size_t>(part.field)]);
    key_join_ += fmt::format("{}stored.{} = staged.{}", key_join_.empty() ? "" : " AND ", name, name);
    key_list_ += (key_list_.empty() ? "" : ", ") + name;
    key_columns_.push_back(columns_[static_cast<std::size_t>(part.field)]);
  }
  if (!assignments.empty() && !entry.key.empty())
    update_sql_ = fmt::format("UPDATE {} AS stored SET {} FROM {} AS staged WHERE {}", entry.table.quoted, assignments,
                              staged_table_, key_join_);
}

Result<void> Target::prepare() {
  if (is_postgresql()) {
    const db::Value table = entry_.table.quoted;
    LADE_ASSIGN(const auto rows,
                connection_.query("SELECT coalesce(bool_and(confrelid <> conrelid), false)::integer FROM "
                                  "pg_constraint WHERE contype = 'f' AND conrelid = $1::regclass",
                                  {&table, 1}));
    insert_in_portions_ = rows.front().front() == db::Value(std::int64_t{1});
  }
  return {};
}

void Target::read_only(const db::Column& column, std::int64_t value) {
  only_ = fmt::format(" AND stored.{} = {}", Connection::quote_name(column.name), value);
}

Result<void> Target::fill(std::span<const std::string> columns, db::TupleSource& tuples) {
  // Many loads need no temporary table.
  LADE_TRY(
      connection_.run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} {} AS SELECT {} FROM {} LIMIT 0; {} {}",
                                  staged_table_, is_postgresql() ? "ON COMMIT DELETE ROWS" : "", column_list_,
                                  entry_.table.quoted, is_postgresql() ? "TRUNCATE" : "DELETE FROM", staged_table_)));
  LADE_TRY(connection_.copy_in(staged_table_, columns, tuples));
  return {};
}

// Every read here goes by the key's index. Left alone, the server may take the whole target instead: the bounds of a
// range are settings, which a sequential scan would read again for each row; and fresh temporary tables have no
// statistics, so joins with them are nested loops. (The temporary table itself can only be scanned: forbidding that
// would make all plans look equally bad.)
Result<void> Target::steer_planner(Reading reading) {
  if (!is_postgresql()) return {};
  return connection_.run(reading == Reading::range
                             ? "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"
                             : "SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on; "
                               "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off");
}

// Comparisons of keys imply it, but neither planner sees that, and takes an index over rows that have a value only when
// it is said.
std::string Target::not_null(std::size_t part) const {
  const auto& column = entry_.fields[static_cast<std::size_t>(entry_.key[part].field)].column;
  return column.not_null ? "" : Connection::quote_name(column.name) + " IS NOT NULL AND ";
}

// PostgreSQL takes no parameters in COPY: the bounds travel as settings of the transaction. SQLite reads them from the
// temporary table.
Result<std::string> Target::range_condition(std::string_view first, std::string_view last) {
  if (!is_postgresql()) {
    TwoTuples bounds(first, last);
    LADE_TRY(fill(columns_, bounds));
    const auto bound = [&](std::string_view order) {
      return fmt::format("(SELECT {} FROM temp.{} ORDER BY rowid {} LIMIT 1)", key_list_, staged_table_, order);
    };
    return fmt::format("{}({}) >= {} AND ({}) <= {}", not_null(0), key_list_, bound("ASC"), key_list_, bound("DESC"));
  }
  const std::vector<std::string> bounds[] = {key_texts(entry_, first), key_texts(entry_, last)};
  std::string settings;
  std::vector<db::Value> values;
  const auto bound = [&](int side, std::size_t part) {
    const std::string name = fmt::format("lade.{}_{}", side == 0 ? "low" : "high", part);
    values.emplace_back(bounds[side][part]);
    settings += fmt::format("{}set_config('{}', ${}, true)", settings.empty() ? "" : ", ", name, values.size());
    const auto& column = entry_.fields[static_cast<std::size_t>(entry_.key[part].field)].column;
    return fmt::format("current_setting('{}')::{}", name, column.type);
  };
  // What both ends begin with is said to be equal: of comparisons of whole keys the planner does not see that.
  std::string condition, columns, low, high;
  common_parts_ = 0;
  while (common_parts_ + 1 < key_columns_.size() && bounds[0][common_parts_] == bounds[1][common_parts_]) {
    condition +=
        fmt::format("{} = {} AND ", Connection::quote_name(key_columns_[common_parts_]), bound(0, common_parts_));
    ++common_parts_;
  }
  for (std::size_t i = common_parts_; i < key_columns_.size(); ++i) {
    const std::string comma = i == common_parts_ ? "" : ", ";
    columns += comma + Connection::quote_name(key_columns_[i]);
    low += comma + bound(0, i);
    high += comma + bound(1, i);
  }
  LADE_TRY(connection_.query("SELECT " + settings, values));
  return fmt::format("{0}{4}({1}) >= ({2}) AND ({1}) <= ({3})", condition, columns, low, high, not_null(common_parts_));
}

Result<bool> Target::is_sparse(const std::string& condition, std::size_t rows) {
  const std::size_t limit = kSparseFactor * rows + kSparseMinimum;
  if (!is_postgresql()) {
    const db::Value parameter = static_cast<std::int64_t>(limit + 1);
    LADE_ASSIGN(const auto counted,
                connection_.query(fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} AS stored WHERE {}{} LIMIT $1)",
                                              entry_.table.quoted, condition, only_),
                                  {&parameter, 1}));
    return std::get<std::int64_t>(counted.front().front()) > static_cast<std::int64_t>(limit);
  }
  // The planner's estimate is enough: both ways of reading are right, one is quicker. It is asked about the key columns
  // up to the first in which the ends differ: of comparisons of whole keys it takes the two ends for independent, and a
  // range in the middle of the table for a quarter of it.
  std::string estimated;
  for (std::size_t i = 0; i <= common_parts_; ++i) {
    const auto& column = entry_.fields[static_cast<std::size_t>(entry_.key[i].field)].column;
    const std::string name = Connection::quote_name(column.name);
    if (i < common_parts_) {
      estimated += fmt::format("{} = current_setting('lade.low_{}')::{} AND ", name, i, column.type);
    } else {
      estimated +=
          fmt::format("{0} >= current_setting('lade.low_{1}')::{2} AND {0} <= current_setting('lade.high_{1}')::{2}",
                      name, i, column.type);
    }
  }
  LADE_ASSIGN(const auto plan, connection_.query(fmt::format("EXPLAIN SELECT 1 FROM {} AS stored WHERE {}{}",
                                                             entry_.table.quoted, estimated, only_)));
  const std::string& line = std::get<std::string>(plan.front().front());
  const auto at = line.find("rows=");
  std::size_t estimate = 0;
  if (at != std::string::npos) std::from_chars(line.data() + at + 5, line.data() + line.size(), estimate);
  return estimate > limit;
}

Result<bool> Target::read_range(std::string_view first, std::string_view last, std::size_t rows, const OnRow& on_row) {
  LADE_TRY(steer_planner(Reading::range));
  LADE_ASSIGN(const std::string condition, range_condition(first, last));
  LADE_ASSIGN(const bool sparse, is_sparse(condition, rows));
  if (sparse) return false;
  LADE_TRY(connection_.copy_out(fmt::format("SELECT {} FROM {} AS stored WHERE {}{} ORDER BY {}", column_list_,
                                            entry_.table.quoted, condition, only_, key_list_),
                                on_row));
  return true;
}

Result<void> Target::read_keys(db::TupleSource& keys, const OnRow& on_row) {
  LADE_TRY(fill(key_columns_, keys));
  LADE_TRY(steer_planner(Reading::keys));
  return connection_.copy_out(
      fmt::format("SELECT {} FROM {} AS staged JOIN {} AS stored ON {}{}", list(columns_, "stored."), staged_table_,
                  entry_.table.quoted, key_join_, only_),
      on_row);
}

Result<void> Target::insert(db::TupleSource& tuples) {
  Portions portions(tuples, insert_in_portions_ ? kRowsPerCheckedCopy : std::numeric_limits<std::size_t>::max());
  for (inserted_ = 0; portions.begin();) {
    LADE_ASSIGN(const std::int64_t count, connection_.copy_in(entry_.table.quoted, columns_, portions));
    inserted_ += count;
  }
  return {};
}

std::int64_t Target::refused_row() const {
  const std::int64_t row = connection_.diagnosis().copy_row;
  return row == 0 ? 0 : inserted_ + row;
}

Result<void> Target::stage_update(db::TupleSource& tuples, const OnRow& on_locked) {
  LADE_TRY(fill(columns_, tuples));
  if (!is_postgresql()) return {};  // the only writer holds the database's lock already
  return lock_staged(on_locked);
}

Result<void> Target::lock_keys(db::TupleSource& keys, const OnRow& on_locked) {
  if (!is_postgresql()) return read_keys(keys, on_locked);
  LADE_TRY(fill(key_columns_, keys));
  return lock_staged(on_locked);
}

Result<void> Target::lock_staged(const OnRow& on_locked) {
  LADE_TRY(steer_planner(Reading::keys));
  // LATERAL looks the stored rows up one by one in the order of the keys; a join might go through the target instead.
  return connection_.copy_out(
      fmt::format("SELECT locked.* FROM (SELECT {} FROM {} ORDER BY {} OFFSET 0) AS staged CROSS JOIN LATERAL "
                  "(SELECT {} FROM {} AS stored WHERE {} FOR UPDATE) AS locked",
                  key_list_, staged_table_, key_list_, list(columns_, "stored."), entry_.table.quoted, key_join_),
      on_locked);
}

Result<void> Target::apply_update() {
  LADE_TRY(connection_.execute(update_sql_));
  return {};
}

Result<void> Target::apply_delete() {
  const std::string sql = is_postgresql() ? fmt::format("DELETE FROM {} AS stored USING {} AS staged WHERE {}",
                                                        entry_.table.quoted, staged_table_, key_join_)
                                          : fmt::format("DELETE FROM {} WHERE ({}) IN (SELECT {} FROM temp.{})",
                                                        entry_.table.quoted, key_list_, key_list_, staged_table_);
  LADE_TRY(connection_.execute(sql));
  return {};
}

Result<std::vector<std::string>> Target::draw(const db::Column& column, std::size_t count) {
  std::vector<std::string> fields(count);
  std::vector<std::int64_t> ids;
  if (is_postgresql()) {
    const db::Value parameters[] = {column.sequence, static_cast<std::int64_t>(count)};
    LADE_ASSIGN(const auto rows,
                connection_.query("SELECT nextval($1::regclass) FROM generate_series(1, $2::bigint)", parameters));
    for (const db::Row& row : rows) ids.push_back(std::get<std::int64_t>(row.front()));
  } else {
    LADE_ASSIGN(const auto rows,
                connection_.query(fmt::format("SELECT coalesce(max({}), 0) FROM {}",
                                              Connection::quote_name(column.name), entry_.table.quoted)));
    for (std::size_t i = 0; i < count; ++i)
      ids.push_back(std::get<std::int64_t>(rows.front().front()) + 1 + static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < count; ++i) {
    fields[i] = integer_field(column, ids[i]);
    if (fields[i].empty())
      return fail("reference_not_drawn", fmt::format("the sequence of {}.{} gives values that do not fit the column",
                                                     entry_.table.name, column.name));
  }
  return fields;
}

std::string integer_field(const db::Column& column, std::int64_t number) {
  const definition::Type integer{definition::TypeKind::integer};
  const auto form = analysis::wire_form(integer, column);
  std::string field;
  Cell cell;
  cell.number = number;
  return form && analysis::append_value(field, cell, integer, *form) ? field : std::string();
}

Result<bool> Target::refers_to(const db::Table& other) {
  const std::string_view sql =
      is_postgresql() ? "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = $1::regclass AND "
                        "confrelid = $2::regclass"
                      : "SELECT count(*) FROM pragma_foreign_key_list($1) WHERE \"table\" = $2 COLLATE NOCASE";
  const db::Value tables[] = {is_postgresql() ? entry_.table.quoted : entry_.table.name,
                              is_postgresql() ? other.quoted : other.name};
  LADE_ASSIGN(const auto rows, connection_.query(sql, tables));
  return std::get<std::int64_t>(rows.front().front()) > 0;
}

bool Target::key_was_taken() const {
  const db::Diagnosis& diagnosis = connection_.diagnosis();
  if (diagnosis.sqlstate != "23505") return false;
  std::vector<std::string> key;
  for (const KeyPart& part : entry_.key) key.push_back(columns_[static_cast<std::size_t>(part.field)]);
  std::sort(key.begin(), key.end());
  for (db::UniqueIndex index : entry_.table.unique_indexes) {
    std::sort(index.columns.begin(), index.columns.end());
    if (index.columns == key && index.name == diagnosis.constraint) return true;
  }
  return false;
}

Result<void> free_planner(db::Connection& connection) {
  if (connection.backend() != db::Backend::postgresql) return {};
  return connection.run(
      "SET LOCAL enable_seqscan TO DEFAULT; SET LOCAL enable_bitmapscan TO DEFAULT; "
      "SET LOCAL enable_hashjoin TO DEFAULT; SET LOCAL enable_mergejoin TO DEFAULT");
}

}  // namespace lade::load
