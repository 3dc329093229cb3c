#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "api/views.h"
#include "cli/commands.h"

// What the commands about companies, users, tokens and the audit log share.
namespace lade::cli {

// A session with lade's own tables. Fails with schema_outdated, also when there are none.
Result<std::unique_ptr<db::Connection>> open_accounts(const CommonOptions& common, db::Access access);

// Writes into the company's audit log what the user of the command line has done, in the caller's transaction.
Result<void> note(db::Connection& connection, std::int64_t company, const char* action, const char* object_kind,
                  const std::string& object_id, const boost::json::object& data);

using api::text_or_null;
// As one object {name: […]}, or with ndjson each on a line of its own.
void print_objects(const char* name, boost::json::array objects, Output output);

// Ends a command: reports what went wrong, and gives the exit code.
int ended(const Result<void>& done, const CommonOptions& common);

}  // namespace lade::cli
