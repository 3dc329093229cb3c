#include "jobs/versions.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "db/in_transaction.h"
#include "db/values.h"

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

// One short change: whoever reads sees the old version before it and the other one afterwards; nullopt: none.
Result<void> show(Connection& connection, const SetVersion& set, std::optional<std::int64_t> version) {
  const std::string flag = Connection::quote_name(set.flag_column), id = Connection::quote_name(set.id_column);
  ScopeCondition old = scope_condition(boost::json::parse(set.scope).as_object());
  old.values.push_back(version ? db::Value(*version) : db::Value());
  LADE_TRY(connection.execute(
      fmt::format("UPDATE {} SET {} = false WHERE {} AND {} AND {} IS DISTINCT FROM CAST(${} AS bigint)",
                  set.version_table, flag, old.sql, flag, id, old.values.size()),
      old.values));
  if (version) {
    const db::Value own[] = {*version};
    LADE_ASSIGN(
        const std::int64_t changed,
        connection.execute(fmt::format("UPDATE {} SET {} = true WHERE {} = $1", set.version_table, flag, id), own));
    if (changed != 1)
      return fail("version_not_found", fmt::format("version {} is not in {} any more", *version, set.version_table),
                  "somebody has deleted it", ErrorKind::invalid);
  }
  return store::note_seen(connection, set, version);
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

// What readers see of a set; nullopt: no version is active.
Result<std::optional<std::int64_t>> seen_version(Connection& connection, const SetVersion& set) {
  const ScopeCondition scope = scope_condition(boost::json::parse(set.scope).as_object());
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT {} FROM {} WHERE {} AND {} LIMIT 2",
                                                            Connection::quote_name(set.id_column), set.version_table,
                                                            scope.sql, Connection::quote_name(set.flag_column)),
                                                scope.values));
  if (rows.size() > 1)
    return fail("several_active_rows", fmt::format("several versions in {} are active", set.version_table),
                "leave one of them active", ErrorKind::invalid);
  if (rows.empty()) return std::nullopt;
  return db::integer_of(rows.front().front());
}

// The set that the job replaces, with nothing known of a version.
Result<SetVersion> set_of(Connection& connection, const Job& job, const definition::WholeSet& set) {
  LADE_ASSIGN(const std::string versions, quoted_table(connection, set.version->table));
  return SetVersion{.company = job.options.company,
                    .job = job.id,
                    .table = job.program->entries.front().table.quoted,
                    .column = set.version->column,
                    .version_table = versions,
                    .id_column = set.version->id,
                    .flag_column = set.version->flag,
                    .scope = boost::json::serialize(scope_of(set)),
                    .keep_days = set.version->keep_days};
}

const definition::WholeSet* versioned_set(const Job& job) {
  const definition::WholeSet* set = job.definition().set();
  return set != nullptr && set->version ? set : nullptr;
}

std::string name_of(std::optional<std::int64_t> version) {
  return version ? fmt::format("version {}", *version) : "no version";
}

Error not_seen(const SetVersion& version, std::optional<std::int64_t> seen) {
  return {"cannot_undo",
          fmt::format("readers see {} of {}, not what the job has left", name_of(seen), version.version_table),
          "lade versions list shows the versions, lade versions activate lets readers see another one",
          ErrorKind::invalid};
}

}  // namespace

Result<std::optional<std::int64_t>> active_version(Connection& connection, const Job& job) {
  const definition::WholeSet* set = versioned_set(job);
  if (set == nullptr) return std::nullopt;
  LADE_ASSIGN(const SetVersion version, set_of(connection, job, *set));
  return seen_version(connection, version);
}

Result<void> begin_version(Connection& connection, const Job& job) {
  const definition::WholeSet* set = versioned_set(job);
  if (set == nullptr) return {};
  LADE_ASSIGN(const auto known, store::set_version_of(connection, job.id));
  if (known) return {};
  LADE_ASSIGN(SetVersion version, set_of(connection, job, *set));
  LADE_ASSIGN(version.based_on, seen_version(connection, version));
  LADE_ASSIGN(version.version, insert_version(connection, *set));
  LADE_TRY(store::create_set_version(connection, version));
  return {};
}

Result<void> publish_version(Connection& connection, const Job& job, std::int64_t rows) {
  LADE_ASSIGN(const auto version, store::set_version_of(connection, job.id));
  if (!version) return {};
  LADE_TRY(store::note_rows(connection, version->id, rows));
  return show(connection, *version, version->version);
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
    if (version->state == "retired") LADE_TRY(show(connection, *version, version->version));
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

Result<std::optional<VersionChange>> version_change(Connection& connection, const store::JobRecord& job) {
  store::JobRecord import = job;
  bool undone = true;  // or seen again
  for (; import.undoes_id != 0; undone = !undone) {
    LADE_ASSIGN(auto other, store::job_with_id(connection, import.undoes_id));
    if (!other) return std::nullopt;  // forgotten meanwhile
    import = std::move(*other);
  }
  LADE_ASSIGN(auto version, store::set_version_of(connection, import.id));
  if (!version || version->state == "building" || version->state == "abandoned") return std::nullopt;
  VersionChange change{.of = *version, .from = version->version, .to = version->based_on};
  if (!undone) change = {.of = *version, .from = version->based_on, .to = version->version};
  LADE_ASSIGN(const auto seen, seen_version(connection, *version));
  if (seen != change.from) return fail(not_seen(*version, seen));
  LADE_ASSIGN(const bool purged, store::is_purged(connection, *version, change.to));
  if (!purged) return change;
  return fail("cannot_undo", fmt::format("the rows of version {} were purged", *change.to),
              "versions are kept for as many days as keep_days of the definition says", ErrorKind::invalid);
}

Result<std::optional<VersionChange>> version_change_by(Connection& connection, const store::JobRecord& undo) {
  LADE_ASSIGN(const auto job, store::job_with_id(connection, undo.undoes_id));
  if (!job) return std::nullopt;  // forgotten meanwhile
  return version_change(connection, *job);
}

Result<void> change_version(Connection& connection, const VersionChange& change) {
  return show(connection, change.of, change.to);
}

}  // namespace lade::jobs
