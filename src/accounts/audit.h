#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// What people did, per company: numbered from 1 without gaps, each entry sealed by a hash over itself and the hash of
// the one before, so that nothing can be changed, taken out, put in or cut off without verify_audit() noticing. Who can
// write all of lade's tables can also build a whole new chain: keep the head's number and hash elsewhere to notice that
// too.
namespace lade::accounts {

struct AuditAction {
  std::int64_t company = 0;
  std::string actor;             // e-mail address; on the command line the system's user
  std::string action;            // import.approve, user.create …
  std::string object_kind = {};  // job, user, token, definition …
  std::string object_id = {};
  std::string data = "{}";   // JSON, without secrets
  std::string address = {};  // where it came from; empty: this machine
};

struct AuditEntry {
  std::int64_t number = 0;
  AuditAction what;
  std::string created_at;
  std::string hash;  // 64 hexadecimal digits
};

// In the caller's transaction when there is one, so that it is there exactly when what it tells of is; that transaction
// then holds the company's chain until it ends. Fails with company_not_found.
Result<AuditEntry> append_audit(db::Connection& connection, const AuditAction& action);

// Where the chain ends.
struct AuditHead {
  std::int64_t number = 0;  // 0: nothing happened yet
  std::string hash = {};
};
// Reads all entries in order, a thousand at a time, in one snapshot. Fails with audit_broken, naming the first number
// that is not as it was written.
Result<AuditHead> verify_audit(db::Connection& connection, std::int64_t company);

struct AuditFilter {
  std::int64_t company = 0;
  std::string actor = {};   // empty: all, here and below
  std::string action = {};  // or the beginning of one with '*' at its end: user.*
  std::string object_kind = {};
  std::string object_id = {};
  std::int64_t before = 0;  // where the last page ended (AuditPage::next); 0: from the newest on
  std::int64_t limit = 50;
};
struct AuditPage {
  std::vector<AuditEntry> entries;  // newest first
  std::int64_t next = 0;            // `before` of the next page; 0: this is the last one
};
Result<AuditPage> list_audit(db::Connection& connection, const AuditFilter& filter);

}  // namespace lade::accounts
