#include "jobs/sets.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include <algorithm>
#include <cstring>

#include "db/in_transaction.h"
#include "db/values.h"
#include "load/tuple_fields.h"

namespace lade::jobs {
namespace {

using db::Connection;
using store::SetVersion;

// A condition on the columns of the scope, and its values.
struct ScopeCondition {
  std::string sql = "true";
  std::vector<db::Value> values;
};

ScopeCondition scope_condition(const boost::json::object& scope) {
  ScopeCondition condition;
  for (const auto& [column, value] : scope) {
    condition.values.emplace_back(std::string(value.as_string()));
    condition.sql += fmt::format(" AND CAST({} AS text) = ${}", Connection::quote_name(std::string_view(column)),
                                 condition.values.size());
  }
  return condition;
}

boost::json::object scope_of(const definition::WholeSet& set) {
  boost::json::object scope;
  for (const definition::ScopeColumn& column : set.scope) scope[column.target] = column.value.text;
  return scope;
}

Result<std::string> quoted_table(Connection& connection, const std::string& name) {
  LADE_ASSIGN(const auto table, connection.describe(name));
  if (!table) return fail("table_not_found", fmt::format("there is no table '{}'", name), "", ErrorKind::invalid);
  return table->quoted;
}

std::int64_t share_of(double percent, std::int64_t rows) {
  return static_cast<std::int64_t>(percent * static_cast<double>(rows) / 100);
}

// The row of the user's table of versions, not active yet.
Result<std::int64_t> insert_version(Connection& connection, const definition::WholeSet& set) {
  LADE_ASSIGN(const auto table, connection.describe(set.version->table));
  if (!table)
    return fail("table_not_found", fmt::format("there is no table '{}'", set.version->table), "", ErrorKind::invalid);
  std::string columns = Connection::quote_name(set.version->flag), expressions = "false";
  std::vector<db::Value> values;
  for (const definition::ScopeColumn& column : set.scope) {
    values.emplace_back(column.value.text);
    columns += ", " + Connection::quote_name(column.target);
    expressions += fmt::format(", CAST(${} AS {})", values.size(), table->find(column.target)->type);
  }
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("INSERT INTO {} ({}) VALUES ({}) RETURNING {}", table->quoted, columns,
                                           expressions, Connection::quote_name(set.version->id)),
                               values));
  return db::integer_of(rows.front().front());
}

// One short change: whoever reads sees the old version before it and the new one afterwards.
Result<void> flip(Connection& connection, const SetVersion& version) {
  const std::string flag = Connection::quote_name(version.flag_column), id = Connection::quote_name(version.id_column);
  ScopeCondition old = scope_condition(boost::json::parse(version.scope).as_object());
  old.values.emplace_back(version.version);
  LADE_TRY(connection.execute(fmt::format("UPDATE {} SET {} = false WHERE {} AND {} AND {} <> ${}",
                                          version.version_table, flag, old.sql, flag, id, old.values.size()),
                              old.values));
  const db::Value own[] = {version.version};
  LADE_ASSIGN(
      const std::int64_t changed,
      connection.execute(fmt::format("UPDATE {} SET {} = true WHERE {} = $1", version.version_table, flag, id), own));
  if (changed == 1) return store::note_active(connection, version);
  return fail("version_not_found",
              fmt::format("version {} is not in {} any more", version.version, version.version_table),
              "somebody has deleted it", ErrorKind::invalid);
}

Result<void> purge(Connection& connection, const SetVersion& version) {
  return db::in_transaction(connection, [&]() -> Result<void> {
    const db::Value id[] = {version.version};
    LADE_TRY(connection.execute(
        fmt::format("DELETE FROM {} WHERE {} = $1", version.table, Connection::quote_name(version.column)), id));
    LADE_TRY(connection.execute(
        fmt::format("DELETE FROM {} WHERE {} = $1 AND NOT {}", version.version_table,
                    Connection::quote_name(version.id_column), Connection::quote_name(version.flag_column)),
        id));
    return store::note_state(connection, version.id, "purged");
  });
}

}  // namespace

Result<std::optional<std::int64_t>> active_version(Connection& connection, const Job& job) {
  const definition::WholeSet* set = job.definition().set();
  if (set == nullptr || !set->version) return std::nullopt;
  LADE_ASSIGN(const std::string table, quoted_table(connection, set->version->table));
  const ScopeCondition scope = scope_condition(scope_of(*set));
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT {} FROM {} WHERE {} AND {} LIMIT 2",
                                                            Connection::quote_name(set->version->id), table, scope.sql,
                                                            Connection::quote_name(set->version->flag)),
                                                scope.values));
  if (rows.size() > 1)
    return fail("several_active_rows", fmt::format("several versions in '{}' are active", set->version->table),
                "leave one of them active", ErrorKind::invalid);
  if (rows.empty()) return std::nullopt;
  return db::integer_of(rows.front().front());
}

Result<load::Leftovers::Counts> find_leftovers(load::Leftovers& leftovers, const Job& job, const BucketSource& staged,
                                               const std::stop_token& stop) {
  LADE_TRY(leftovers.begin());
  load::Slice slice;
  for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
    LADE_ASSIGN(const StagedBucket rows, staged(bucket));
    load::SettleOptions options;
    options.on_failed = [&](std::string_view key) { leftovers.spare(key); };
    load::Settler settler(*job.program, job.area->file(), rows.ranges, options);
    staging::IssueLog said(*job.area);  // by whoever settles them
    staging::IssueWriter ignored(said);
    model::RowCounts counted;
    for (;;) {
      if (stop.stop_requested()) return fail(cancelled());
      LADE_ASSIGN(const bool more, settler.next(slice, ignored, counted));
      if (!more) break;
      LADE_TRY(leftovers.keep(slice));
    }
  }
  return leftovers.find();
}

Result<void> tell_leftovers(load::Leftovers& leftovers, const Job& job, load::DiffWriter& diff, std::string& seen) {
  const load::DiffTable table(*job.program, 0);
  const auto& fields = job.program->entries.front().fields;
  const auto& whole = leftovers.rows().whole().fields;
  std::vector<int> places;  // of the entry's fields in the whole row
  for (const analysis::TargetField& field : fields)
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (whole[i].column.name == field.column.name) places.push_back(static_cast<int>(i));
  std::vector<std::uint64_t> fingerprints;
  LADE_TRY(leftovers.rows().show([&](std::string_view tuple) -> Result<void> {
    fingerprints.push_back(load::fingerprint(tuple));
    std::string row;
    for (const int place : places) load::append_whole(row, load::field_at(tuple, place));
    return diff.add(table, {.before = row});
  }));
  std::ranges::sort(fingerprints);
  seen.assign(reinterpret_cast<const char*>(fingerprints.data()), fingerprints.size() * sizeof(std::uint64_t));
  return {};
}

Result<std::int64_t> leave_unseen(load::Leftovers& leftovers, std::string_view seen) {
  std::vector<std::uint64_t> fingerprints(seen.size() / sizeof(std::uint64_t));
  std::memcpy(fingerprints.data(), seen.data(), fingerprints.size() * sizeof(std::uint64_t));
  return leftovers.leave(
      [&](std::string_view tuple) { return !std::ranges::binary_search(fingerprints, load::fingerprint(tuple)); });
}

Result<void> compare_with_active(BucketLoader& loader, Connection& connection, const Job& job) {
  LADE_ASSIGN(const auto version, active_version(connection, job));
  loader.use_versions(version, std::nullopt);
  return {};
}

std::optional<Error> refuse_empty(const definition::WholeSet& set, const load::Leftovers::Counts& counts) {
  if (set.allow_empty || counts.kept + counts.spared > 0) return std::nullopt;
  return Error{"set_empty", fmt::format("the file has no rows for the set, which has {}", counts.stored),
               "say allow_empty: true where a set may become empty", ErrorKind::invalid};
}

std::optional<Error> too_many_removed(const definition::WholeSet& set, const load::Leftovers::Counts& counts) {
  const definition::MaxErrors& limit = set.max_removed;
  const bool beyond = (limit.count && counts.removed > *limit.count) ||
                      (limit.percent && counts.removed > share_of(*limit.percent, counts.stored));
  if (!beyond) return std::nullopt;
  return Error{"too_many_removed",
               fmt::format("the file lacks {} of the {} rows that the set has", counts.removed, counts.stored),
               "approve it if that is meant, or raise max_removed", ErrorKind::invalid};
}

Result<void> begin_version(Connection& connection, const Job& job) {
  const definition::WholeSet* set = job.definition().set();
  if (set == nullptr || !set->version) return {};
  LADE_ASSIGN(const auto known, store::set_version_of(connection, job.id));
  if (known) return {};
  LADE_ASSIGN(const std::string versions, quoted_table(connection, set->version->table));
  LADE_ASSIGN(const auto active, active_version(connection, job));
  LADE_ASSIGN(const std::int64_t version, insert_version(connection, *set));
  LADE_TRY(store::create_set_version(connection, {.company = job.options.company,
                                                  .job = job.id,
                                                  .table = job.program->entries.front().table.quoted,
                                                  .column = set->version->column,
                                                  .version_table = versions,
                                                  .id_column = set->version->id,
                                                  .flag_column = set->version->flag,
                                                  .scope = boost::json::serialize(scope_of(*set)),
                                                  .version = version,
                                                  .based_on = active,
                                                  .keep_days = set->version->keep_days}));
  return {};
}

Result<void> publish_version(Connection& connection, const Job& job, std::int64_t rows) {
  LADE_ASSIGN(const auto version, store::set_version_of(connection, job.id));
  if (!version) return {};
  LADE_TRY(store::note_rows(connection, version->id, rows));
  return flip(connection, *version);
}

Error version_not_found(const std::string& version) {
  return {"version_not_found", fmt::format("there is no version {}", version), "lade versions list shows them",
          ErrorKind::invalid};
}

Result<std::vector<SetVersion>> list_versions(Connection& connection, std::int64_t company, const std::string& table) {
  if (table.empty()) return store::list_set_versions(connection, company);
  LADE_ASSIGN(const std::string quoted, quoted_table(connection, table));
  return store::list_set_versions(connection, company, quoted);
}

Result<SetVersion> activate_version(Connection& connection, std::int64_t company, std::int64_t id) {
  return db::in_transaction(connection, [&]() -> Result<SetVersion> {
    LADE_ASSIGN(const auto version, store::find_set_version(connection, company, id));
    if (!version) return fail(version_not_found(std::to_string(id)));
    if (version->state != "active" && version->state != "retired")
      return fail("version_not_whole", fmt::format("version {} is {}", id, version->state),
                  "only a version that was active before can be active again", ErrorKind::invalid);
    if (version->state == "retired") LADE_TRY(flip(connection, *version));
    LADE_ASSIGN(auto now, store::find_set_version(connection, company, id));
    return std::move(*now);
  });
}

Result<std::int64_t> purge_versions(Connection& connection) {
  LADE_ASSIGN(const auto versions, store::expired_versions(connection));
  std::int64_t purged = 0;
  for (const SetVersion& version : versions) {
    auto done = purge(connection, version);
    if (done) {
      ++purged;
    } else if (connection.diagnosis().sqlstate.starts_with("23")) {
      LADE_TRY(store::note_state(connection, version.id, version.state, done.error().message));
    } else {
      return fail(std::move(done).error());
    }
  }
  return purged;
}

}  // namespace lade::jobs
