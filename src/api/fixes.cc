#include <fmt/format.h>

#include "api/imports.h"
#include "api/problem.h"
#include "api/views.h"
#include "jobs/fix.h"

// Failed rows that are corrected and sent again into their import.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

constexpr std::uint64_t kMostJsonBytes = 64 * 1024 * 1024;

Error invalid(std::string message, std::string hint) {
  return {"request_invalid", std::move(message), std::move(hint), ErrorKind::usage};
}

// {"row": 12, "cells": {"Price": "12.50", "Unit": null}}
Result<jobs::Fix> read_fix(const json::value& value) {
  const json::object* const object = value.if_object();
  const json::value* const row = object == nullptr ? nullptr : object->if_contains("row");
  const json::value* const cells = object == nullptr ? nullptr : object->if_contains("cells");
  if (row == nullptr || !row->is_int64() || cells == nullptr || !cells->is_object() || object->size() != 2)
    return fail(invalid("rows: an entry is no object with `row` and `cells`",
                        R"({"rows": [{"row": 12, "cells": {"Price": "12.50"}}]})"));
  jobs::Fix fix{row->as_int64(), {}};
  for (const auto& [column, cell] : cells->get_object()) {
    if (!cell.is_string() && !cell.is_null())
      return fail(invalid(fmt::format("row {}: the cell of column '{}' is not text", fix.row, std::string_view(column)),
                          "a string as it would stand in the file, or null for a blank cell"));
    fix.cells[column] = cell.is_null() ? std::string() : std::string(cell.as_string());
  }
  return fix;
}

Result<std::vector<jobs::Fix>> read_fixes(const std::string& text) {
  boost::system::error_code error;
  const json::value body = json::parse(text, error);
  const json::object* const object = error ? nullptr : body.if_object();
  const json::value* const rows = object == nullptr ? nullptr : object->if_contains("rows");
  if (rows == nullptr || !rows->is_array() || object->size() != 1 || rows->get_array().empty())
    return fail(invalid("the body has no list `rows`", R"({"rows": [{"row": 12, "cells": {"Price": "12.50"}}]})"));
  std::vector<jobs::Fix> fixes;
  for (const json::value& row : rows->get_array()) {
    LADE_ASSIGN(jobs::Fix fix, read_fix(row));
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

http::Response refusal(const Error& error, const std::vector<jobs::RefusedFix>& refused) {
  json::array rows;
  for (const jobs::RefusedFix& one : refused)
    rows.push_back(json::object{{"row", one.row}, {"code", one.code}, {"message", one.message}});
  return problem(error, rows.empty() ? json::object() : json::object{{"rows", std::move(rows)}});
}

Result<http::Response> fix(const Asked& asked, db::Connection& connection, const std::vector<jobs::Fix>& fixes,
                           AuditNote& note) {
  LADE_ASSIGN(const JobRecord seen, require_import(asked, connection));
  const jobs::ReviewPlace place{asked.service.storage(), asked.service.here()};
  std::vector<jobs::RefusedFix> refused;
  auto job = jobs::fix_rows(connection, place, order_of(asked), fixes, refused);
  if (!job && job.error().code == "transition_refused") return problem(job.error(), {{"status_now", seen.status()}});
  if (!job) return refusal(job.error(), refused);
  note.object_id = job->uuid;
  note.data["rows"] = fixes.size();
  note.data["revision"] = job->review_revision;
  http::Response response = json_response(202, stamped(to_json(*job)));
  response.headers.set("ETag", revision_tag(*job));
  response.headers.set("Location", "/api/v1/imports/" + job->uuid);
  return response;
}

Result<http::Response> fix_by_json(const Asked& asked, const std::string& text) {
  LADE_ASSIGN(Fields query, Fields::of_query(asked.request.query));
  LADE_TRY(query.finish());
  LADE_ASSIGN(const std::vector<jobs::Fix> fixes, read_fixes(text));
  AuditNote note{asked.at("import"), {}};
  return change(asked, text, note, [&](db::Connection& connection) { return fix(asked, connection, fixes, note); });
}

// The file is read at once and not kept: its rows are, as versions.
Result<http::Response> fix_by_file(const Asked& asked, db::Connection& connection, const Received& received,
                                   AuditNote& note) {
  LADE_TRY(Fields(received.form, "field").finish());
  LADE_ASSIGN(const JobRecord job, require_import(asked, connection));
  const storage::Storage& storage = asked.service.storage();
  LADE_ASSIGN(File file, storage.read(received.file.uuid, static_cast<std::uint64_t>(received.file.bytes)));
  const jobs::ReviewPlace place{storage, asked.service.here()};
  LADE_ASSIGN(const auto fixes, jobs::read_fixes(connection, place, job, std::move(file), received.file.name));
  return fix(asked, connection, fixes, note);
}

Result<http::Reception> receive_fixes(Asked asked) {
  {
    // Refused before a file is read, when it can be known.
    LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
    LADE_ASSIGN(const JobRecord job, require_import(asked, *session));
    LADE_TRY(model::next(job.standing, model::JobEvent::fixed));
  }
  if (asked.request.headers.get("Content-Type").starts_with("application/json"))
    return http::Reception(http::WholeBody{kMostJsonBytes, [asked](const std::string& text) {
                                             return answer_or_problem(asked.request, fix_by_json(asked, text));
                                           }});
  return receive_upload(asked, {}, [asked](db::Connection& connection, Received& received, AuditNote& note) {
    return fix_by_file(asked, connection, received, note);
  });
}

}  // namespace

std::vector<Route> fix_routes() {
  return {
      {.method = "POST",
       .path = "/api/v1/imports/{import}/fixes",
       .name = "imports.fix",
       .summary =
           "Correct failed rows of an import that has ended, or waits for review, and load them: as JSON, or the "
           "corrected failed file as a form or as the body itself",
       .access = {Role::operator_, "imports:write"},
       .receive = receive_fixes,
       .body = Body::upload,
       .body_schema = "Fixes",
       .query = {{"name", "string", "the file's name, when it is sent as the body itself"}},
       .answers = {{202, "Import", "the import, which goes on with these rows"}}},
  };
}

}  // namespace lade::api
