#include "cli/account_commands.h"

#include <fmt/format.h>

#include "accounts/audit.h"

namespace lade::cli {

Result<std::unique_ptr<db::Connection>> open_accounts(const CommonOptions& common, db::Access access) {
  LADE_ASSIGN(auto connection, open_current_store(common, access));
  if (connection == nullptr)
    return fail("schema_outdated",
                fmt::format("{}: lade has no tables here yet", db::without_password(common.database_url())),
                "run lade migrate", ErrorKind::invalid);
  return connection;
}

Result<void> note(db::Connection& connection, std::int64_t company, const char* action, const char* object_kind,
                  const std::string& object_id, const boost::json::object& data) {
  LADE_TRY(accounts::append_audit(connection, {.company = company,
                                               .actor = current_user(),
                                               .action = action,
                                               .object_kind = object_kind,
                                               .object_id = object_id,
                                               .data = boost::json::serialize(data)}));
  return {};
}

void print_objects(const char* name, boost::json::array objects, Output output) {
  if (output == Output::json) objects = {boost::json::object{{name, std::move(objects)}}};
  for (const boost::json::value& object : objects) fmt::print("{}\n", boost::json::serialize(object));
}

int ended(const Result<void>& done, const CommonOptions& common) {
  return done ? int{kOk} : report(done.error(), common.output);
}

}  // namespace lade::cli
