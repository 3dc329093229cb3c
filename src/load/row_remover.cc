#include "load/row_remover.h"

#include <fmt/format.h>

#include "analysis/wire_codec.h"
#include "db/values.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using db::Connection;

constexpr std::int64_t kPagesAtOnce = 32;  // of keys: some thousand rows

// The entry with all columns of its table instead of those that it writes.
analysis::EntryProgram whole_of(const analysis::EntryProgram& entry) {
  analysis::EntryProgram whole;
  whole.table = entry.table;
  whole.strategy = entry.strategy;
  for (const db::Column& column : entry.table.columns) {
    if (column.generated) continue;
    analysis::TargetField field;
    field.column = column;
    whole.fields.push_back(std::move(field));
  }
  for (analysis::KeyPart part : entry.key) {
    const std::string& name = entry.fields[static_cast<std::size_t>(part.field)].column.name;
    for (std::size_t i = 0; i < whole.fields.size(); ++i)
      if (whole.fields[i].column.name == name) part.field = static_cast<int>(i);
    whole.fields[static_cast<std::size_t>(part.field)].key = true;
    whole.key.push_back(part);
  }
  return whole;
}

}  // namespace

RowRemover::RowRemover(Connection& connection, const analysis::EntryProgram& entry)
    : connection_(connection), whole_(whole_of(entry)) {
  std::string shape = whole_.table.quoted;
  for (const analysis::KeyPart& part : whole_.key) {
    const db::Column& column = whole_.fields[static_cast<std::size_t>(part.field)].column;
    const std::string name = Connection::quote_name(column.name);
    key_columns_.push_back(column.name);
    key_list_ += (key_list_.empty() ? "" : ", ") + name;
    join_ += fmt::format("{}stored.{} = chosen.{}", join_.empty() ? "" : " AND ", name, name);
    shape += fmt::format(", {} {}", name, column.type);
  }
  for (const analysis::TargetField& field : whole_.fields)
    column_list_ +=
        fmt::format("{}stored.{}", column_list_.empty() ? "" : ", ", Connection::quote_name(field.column.name));
  chosen_ = Connection::temporary_name("lade_chosen_", shape);
}

Result<void> RowRemover::make_table() {
  const bool postgresql = connection_.backend() == db::Backend::postgresql;
  return connection_.run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} {} AS SELECT {} FROM {} LIMIT 0; {} {}",
                                     chosen_, postgresql ? "ON COMMIT DELETE ROWS" : "", key_list_, whole_.table.quoted,
                                     postgresql ? "TRUNCATE" : "DELETE FROM", chosen_));
}

Result<void> RowRemover::choose(db::TupleSource& keys) {
  LADE_TRY(make_table());
  LADE_TRY(connection_.copy_in(chosen_, key_columns_, keys));
  return {};
}

Result<std::int64_t> RowRemover::choose_by(const std::string& select) {
  LADE_TRY(make_table());
  LADE_ASSIGN(const std::int64_t count,
              connection_.execute(fmt::format("INSERT INTO {} ({}) {}", chosen_, key_list_, select)));
  if (connection_.backend() == db::Backend::postgresql) LADE_TRY(connection_.run("ANALYZE " + chosen_));
  return count;
}

// SQLite gives rows one by one while others are written. PostgreSQL takes no other statement until it has sent them
// all, so they are fetched by pages of the temporary table.
Result<void> RowRemover::show(const OnRow& on_row) {
  const std::string select = fmt::format("SELECT {} FROM {} AS chosen JOIN {} AS stored ON {}", column_list_, chosen_,
                                         whole_.table.quoted, join_);
  if (connection_.backend() == db::Backend::sqlite) return connection_.copy_out(select, on_row);
  const db::Value table[] = {chosen_};
  LADE_ASSIGN(const auto size, connection_.query("SELECT pg_relation_size(CAST($1 AS regclass)) / "
                                                 "CAST(current_setting('block_size') AS bigint)",
                                                 table));
  const std::int64_t pages = db::integer_of(size.front().front());
  std::vector<std::string> tuples;
  for (std::int64_t first = 0; first < pages; first += kPagesAtOnce) {
    tuples.clear();
    LADE_TRY(connection_.copy_out(
        fmt::format("{} WHERE chosen.ctid >= '({},0)' AND chosen.ctid < '({},0)'", select, first, first + kPagesAtOnce),
        [&](std::string_view tuple) -> Result<void> {
          tuples.emplace_back(tuple);
          return {};
        }));
    for (const std::string& tuple : tuples) LADE_TRY(on_row(tuple));
  }
  return {};
}

std::string_view RowRemover::sort_key_of(std::string_view tuple, bool own_only) {
  split(tuple, fields_);
  arena_.clear();
  sort_key_.clear();
  for (const analysis::KeyPart& part : whole_.key) {
    if (own_only && part.column < 0) continue;
    const auto at = static_cast<std::size_t>(part.field);
    analysis::Cell cell;
    if (fields_[at].length < 0 ||
        !analysis::decode_value(fields_[at], whole_.fields[at].column.wire, part.type, arena_, cell))
      return {};
    analysis::append_sort_key(sort_key_, cell, part.type, part.folds_case, part.pad);
  }
  return sort_key_;
}

Result<void> RowRemover::tell(std::string_view tuple, const staging::RowPlace& place) {
  if (!journal_) return {};
  const std::string_view sort_key = sort_key_of(tuple);
  key_.clear();
  for (const analysis::KeyPart& part : whole_.key) append_whole(key_, fields_[static_cast<std::size_t>(part.field)]);
  return journal_->add(sort_key, {key_, tuple, fingerprint({}), place.row_id, place.line});
}

Result<std::int64_t> RowRemover::remove(const OnRow& on_row) {
  const bool postgresql = connection_.backend() == db::Backend::postgresql;
  if (postgresql)  // nobody changes them between what is shown and the end of them
    LADE_TRY(
        connection_.query(fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} AS chosen JOIN {} AS stored ON {} "
                                      "FOR UPDATE OF stored) AS locked",
                                      chosen_, whole_.table.quoted, join_)));
  LADE_TRY(show(on_row));
  return connection_.execute(postgresql ? fmt::format("DELETE FROM {} AS stored USING {} AS chosen WHERE {}",
                                                      whole_.table.quoted, chosen_, join_)
                                        : fmt::format("DELETE FROM {} WHERE ({}) IN (SELECT {} FROM temp.{})",
                                                      whole_.table.quoted, key_list_, key_list_, chosen_));
}

}  // namespace lade::load
