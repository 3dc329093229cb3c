#include "load/leftovers.h"

#include <fmt/format.h>

#include "db/values.h"
#include "load/target.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using db::Connection;

// The keys of a slice's rows: fields of their tuples, or constants of the set.
class SliceKeys final : public db::TupleSource {
 public:
  SliceKeys(const analysis::EntryProgram& entry, const Slice& slice) : entry_(entry), slice_(slice) {}
  std::optional<std::string_view> next() override {
    if (at_ == slice_.rows.size()) return std::nullopt;
    split(slice_.rows[at_++].tuple, fields_);
    key_.clear();
    for (const analysis::KeyPart& part : entry_.key) {
      const analysis::TargetField& field = entry_.fields[static_cast<std::size_t>(part.field)];
      if (field.constant)
        key_ += *field.constant;
      else
        append_whole(key_, fields_[static_cast<std::size_t>(field.slot)]);
    }
    return key_;
  }

 private:
  const analysis::EntryProgram& entry_;
  const Slice& slice_;
  std::size_t at_ = 0;
  std::vector<db::WireField> fields_;
  std::string key_;
};

class Tuples final : public db::TupleSource {
 public:
  explicit Tuples(const std::vector<std::string>& tuples) : tuples_(tuples) {}
  std::optional<std::string_view> next() override {
    return at_ == tuples_.size() ? std::nullopt : std::optional<std::string_view>(tuples_[at_++]);
  }

 private:
  const std::vector<std::string>& tuples_;
  std::size_t at_ = 0;
};

}  // namespace

Leftovers::Leftovers(Connection& connection, const analysis::Program& program, std::optional<std::int64_t> version)
    : connection_(connection),
      entry_(program.entries.front()),
      rows_(connection, entry_),
      compares_(entry_.set->version < 0 || version) {
  std::string shape = entry_.table.quoted;
  const auto column_of = [&](int field) -> const db::Column& {
    return entry_.fields[static_cast<std::size_t>(field)].column;
  };
  for (const analysis::KeyPart& part : entry_.key) {
    const std::string name = Connection::quote_name(column_of(part.field).name);
    key_columns_.push_back(column_of(part.field).name);
    stored_key_ += fmt::format("{}stored.{}", stored_key_.empty() ? "" : ", ", name);
    join_ += fmt::format("{}stored.{} = kept.{}", join_.empty() ? "" : " AND ", name, name);
    shape += fmt::format(", {} {}", name, column_of(part.field).type);
  }
  keys_ = Connection::temporary_name("lade_kept_", shape);
  for (const int field : entry_.set->scope) {
    scope_columns_.push_back(column_of(field).name);
    shape += fmt::format("; {} {}", column_of(field).name, column_of(field).type);
  }
  scope_ = Connection::temporary_name("lade_scope_", shape);
  condition_ = "true";
  for (const std::string& column : scope_columns_) {
    const std::string name = Connection::quote_name(column);
    condition_ += fmt::format(" AND stored.{} = (SELECT {} FROM {})", name, name, scope_);
  }
  if (version)
    condition_ +=
        fmt::format(" AND stored.{} = {}", Connection::quote_name(column_of(entry_.set->version).name), *version);
}

Result<void> Leftovers::fill_scope() {
  if (scope_columns_.empty()) return {};
  std::vector<std::string> row(1);
  for (const int field : entry_.set->scope) row.front() += *entry_.fields[static_cast<std::size_t>(field)].constant;
  Tuples tuples(row);
  LADE_TRY(connection_.copy_in(scope_, scope_columns_, tuples));
  return {};
}

Result<void> Leftovers::begin() {
  const bool postgresql = connection_.backend() == db::Backend::postgresql;
  const auto make = [&](const std::string& table, const std::vector<std::string>& columns) -> Result<void> {
    std::string names;
    for (const std::string& column : columns) names += (names.empty() ? "" : ", ") + Connection::quote_name(column);
    return connection_.run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} {} AS SELECT {} FROM {} LIMIT 0; {} {}",
                                       table, postgresql ? "ON COMMIT DELETE ROWS" : "", names, entry_.table.quoted,
                                       postgresql ? "TRUNCATE" : "DELETE FROM", table));
  };
  LADE_TRY(make(keys_, key_columns_));
  if (!scope_columns_.empty()) LADE_TRY(make(scope_, scope_columns_));
  stored_ = kept_ = 0;
  spared_.clear();
  LADE_TRY(fill_scope());
  if (!compares_) return {};
  LADE_ASSIGN(const auto rows, connection_.query(fmt::format("SELECT count(*) FROM {} AS stored WHERE {}",
                                                             entry_.table.quoted, condition_)));
  stored_ = db::integer_of(rows.front().front());
  return {};
}

Result<void> Leftovers::keep(const Slice& slice) {
  kept_ += static_cast<std::int64_t>(slice.rows.size());
  if (!has_stored()) return {};
  SliceKeys keys(entry_, slice);
  LADE_TRY(connection_.copy_in(keys_, key_columns_, keys));
  return {};
}

// SQLite goes through all keys for every stored row unless they are a set to it, and for every one that is not among
// them unless NULL is as good as false.
std::string Leftovers::missing() const {
  const bool postgresql = connection_.backend() == db::Backend::postgresql;
  const std::string absent =
      postgresql ? fmt::format("NOT EXISTS (SELECT 1 FROM {} AS kept WHERE {})", keys_, join_)
                 : fmt::format("(({}) IN (SELECT {} FROM {})) IS NOT TRUE", stored_key_, rows_.key_list(), keys_);
  return fmt::format("SELECT {} FROM {} AS stored WHERE {} AND {}", stored_key_, entry_.table.quoted, condition_,
                     absent);
}

Result<std::int64_t> Leftovers::leave(const std::function<bool(std::string_view tuple)>& stays) {
  std::vector<std::string> keys;
  std::vector<db::WireField> fields;
  LADE_TRY(rows_.show([&](std::string_view tuple) -> Result<void> {
    if (!stays(tuple)) return {};
    split(tuple, fields);
    std::string& key = keys.emplace_back();
    for (const analysis::KeyPart& part : rows_.whole().key)
      append_whole(key, fields[static_cast<std::size_t>(part.field)]);
    return {};
  }));
  if (keys.empty()) return 0;
  Tuples tuples(keys);
  LADE_TRY(connection_.copy_in(keys_, key_columns_, tuples));
  LADE_TRY(rows_.choose_by(missing()));
  return static_cast<std::int64_t>(keys.size());
}

Result<Leftovers::Counts> Leftovers::find() {
  Counts counts{.stored = stored_, .kept = kept_};
  if (!has_stored()) {
    LADE_TRY(rows_.choose_by(missing() + " AND false"));
    return counts;
  }
  // A temporary table has no statistics: the server would take every stored row for a search through all of its keys.
  if (connection_.backend() == db::Backend::postgresql) LADE_TRY(connection_.run("ANALYZE " + keys_));
  LADE_TRY(free_planner(connection_));
  LADE_ASSIGN(counts.removed, rows_.choose_by(missing()));
  if (!spared_.empty()) {
    LADE_ASSIGN(counts.spared, leave([this](std::string_view tuple) {
                  return spared_.contains(std::string(rows_.sort_key_of(tuple, true)));
                }));
    counts.removed -= counts.spared;
  }
  return counts;
}

}  // namespace lade::load
