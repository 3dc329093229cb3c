#include "accounts/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "accounts/sql.h"
#include "base/sha256.h"

namespace lade::accounts {
namespace {

constexpr std::int64_t kPage = 1000;
constexpr std::string_view kColumns =
    "number, created_at, actor, action, object_kind, object_id, data, address, hash, company_id";

// Over everything that is stored, each part with its length, so that nothing can move from one to the next.
std::string seal_of(const AuditEntry& entry, const std::string& previous) {
  const AuditAction& what = entry.what;
  const std::string company = std::to_string(what.company), number = std::to_string(entry.number);
  Sha256 sum;
  sum.add("lade audit 1\n");
  for (const std::string* part : {&previous, &company, &number, &entry.created_at, &what.actor, &what.action,
                                  &what.object_kind, &what.object_id, &what.data, &what.address})
    sum.add(fmt::format("{}:{},", part->size(), *part));
  return sum.finish();
}

AuditEntry entry_of(const db::Row& row) {
  AuditEntry entry;
  entry.number = integer_of(row[0]);
  entry.created_at = text_of(row[1]);
  entry.what = {integer_of(row[9]), text_of(row[2]), text_of(row[3]), text_of(row[4]),
                text_of(row[5]),    text_of(row[6]), text_of(row[7])};
  entry.hash = text_of(row[8]);
  return entry;
}

Result<void> insert(db::Connection& connection, const AuditEntry& entry) {
  const AuditAction& what = entry.what;
  const Value values[] = {entry.number,   entry.created_at, what.actor,   what.action, what.object_kind,
                          what.object_id, what.data,        what.address, entry.hash,  what.company};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_audit ({}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", kColumns), values));
  const Value head[] = {entry.hash, what.company};
  LADE_TRY(connection.execute("UPDATE lade_audit_head SET hash = $1 WHERE company_id = $2", head));
  return {};
}

tl::unexpected<Error> no_company(std::int64_t company) {
  return fail("company_not_found", fmt::format("there is no company {}", company), "see lade companies list",
              ErrorKind::invalid);
}

tl::unexpected<Error> broken(std::int64_t number, std::string_view how) {
  return fail("audit_broken", fmt::format("the audit log is broken at entry {}: {}", number, how),
              "what comes before it is as it was written; compare the rest with a backup");
}

Result<AuditHead> head_of(db::Connection& connection, std::int64_t company) {
  const Value values[] = {company};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT number, hash FROM lade_audit_head WHERE company_id = $1", values));
  if (rows.empty()) return no_company(company);
  return AuditHead{integer_of(rows[0][0]), text_of(rows[0][1])};
}

// Follows the chain from its beginning; gives the last entry.
Result<AuditHead> follow(db::Connection& connection, std::int64_t company) {
  AuditHead last;
  for (;;) {
    const Value values[] = {company, last.number, kPage};
    LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT {} FROM lade_audit WHERE company_id = $1 AND "
                                                              "number > $2 ORDER BY number LIMIT $3",
                                                              kColumns),
                                                  values));
    for (const db::Row& row : rows) {
      const AuditEntry entry = entry_of(row);
      if (entry.number != last.number + 1) return broken(last.number + 1, "it is missing");
      if (entry.hash != seal_of(entry, last.hash)) return broken(entry.number, "it is not as it was written");
      last = {entry.number, entry.hash};
    }
    if (std::ssize(rows) < kPage) return last;
  }
}

Result<AuditHead> verify(db::Connection& connection, std::int64_t company) {
  LADE_ASSIGN(const AuditHead head, head_of(connection, company));
  LADE_ASSIGN(const AuditHead last, follow(connection, company));
  if (last.number < head.number)
    return broken(last.number + 1, fmt::format("the log was cut off, it had {} entries", head.number));
  if (last.number > head.number) return broken(head.number + 1, "it was not written by lade");
  if (last.hash != head.hash) return broken(last.number, "the log ended with another entry");
  return head;
}

}  // namespace

Result<AuditEntry> append_audit(db::Connection& connection, const AuditAction& action) {
  return in_transaction(connection, [&]() -> Result<AuditEntry> {
    const bool sqlite = connection.backend() == db::Backend::sqlite;
    // The head hands out the numbers and is locked by it: whoever comes next waits for this commit. The time is that
    // of now and not of the transaction's beginning, so that times go up as the numbers do.
    const std::string time = sqlite ? std::string(now_sql(connection)) : time_sql(connection, "clock_timestamp()");
    const Value company[] = {action.company};
    LADE_ASSIGN(const auto rows,
                connection.query(fmt::format("UPDATE lade_audit_head SET number = number + 1 WHERE company_id = $1 "
                                             "RETURNING number, hash, {}",
                                             time),
                                 company));
    if (rows.empty()) return no_company(action.company);
    AuditEntry entry{integer_of(rows[0][0]), action, text_of(rows[0][2])};
    entry.hash = seal_of(entry, text_of(rows[0][1]));
    LADE_TRY(insert(connection, entry));
    return entry;
  });
}

Result<AuditHead> verify_audit(db::Connection& connection, std::int64_t company) {
  if (connection.in_transaction()) return verify(connection, company);
  LADE_ASSIGN(const db::Transaction snapshot, db::Transaction::begin_snapshot(connection));
  return verify(connection, company);
}

Result<AuditPage> list_audit(db::Connection& connection, const AuditFilter& filter) {
  std::string action = filter.action, beginning;
  if (action.ends_with('*')) {
    beginning = action.substr(0, action.size() - 1);
    action.clear();
  }
  const Value values[] = {filter.company,
                          store::text_or_null(filter.actor),
                          store::text_or_null(action),
                          beginning,
                          store::text_or_null(filter.object_kind),
                          store::text_or_null(filter.object_id),
                          id_or_null(filter.before),
                          filter.limit + 1};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT {} FROM lade_audit WHERE company_id = $1 "
                                           "AND (CAST($2 AS text) IS NULL OR actor = $2) "
                                           "AND (CAST($3 AS text) IS NULL OR action = $3) "
                                           "AND substr(action, 1, length(CAST($4 AS text))) = $4 "
                                           "AND (CAST($5 AS text) IS NULL OR object_kind = $5) "
                                           "AND (CAST($6 AS text) IS NULL OR object_id = $6) "
                                           "AND (CAST($7 AS bigint) IS NULL OR number < CAST($7 AS bigint)) "
                                           "ORDER BY number DESC LIMIT $8",
                                           kColumns),
                               values));
  AuditPage page;
  const auto count = std::min(rows.size(), static_cast<std::size_t>(std::max<std::int64_t>(filter.limit, 0)));
  for (std::size_t i = 0; i < count; ++i) page.entries.push_back(entry_of(rows[i]));
  if (rows.size() > count && count > 0) page.next = page.entries.back().number;
  return page;
}

}  // namespace lade::accounts
