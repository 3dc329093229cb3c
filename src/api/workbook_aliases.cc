#include <fmt/format.h>

#include "api/dropped_files.h"
#include "api/paging.h"
#include "api/problem.h"

// The XLSX imports of the queue in the database: a manifest says which definition a file follows, by its name.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

constexpr std::uint64_t kMostBytes = 10'000'000;

Result<Wishes> wishes_for(const Asked& asked, const std::string& name) {
  LADE_ASSIGN(const Manifest manifest, Manifest::read(asked.service.options().manifest));
  const ManifestEntry* entry = manifest.find(name);
  if (entry == nullptr)
    return fail("import_type_unknown", fmt::format("the manifest has no file '{}'", name),
                fmt::format("it knows: {}", manifest.names()), ErrorKind::usage);
  Wishes wishes;
  wishes.options = options_of(asked);
  wishes.options.delete_file = true;
  obey(*entry, wishes);
  return wishes;
}

// In the words of that system.
http::Response retold(http::Response response, const AuditNote& note) {
  if (response.status != 202) return response;
  http::Response accepted = json_response(
      202, json::object{{"jobId", note.object_id}, {"type", note.data.at("definition")}, {"status", "queued"}});
  accepted.headers.set("Location", "/api/v1/queue/" + note.object_id);
  return accepted;
}

Result<http::Reception> import_by_name(Asked asked) {
  return http::Reception(http::WholeBody{asked.route.most_bytes, [asked](const std::string& text) {
                                           return with_dropped_file(
                                               asked, text, {.only_workbooks = true, .most_bytes = kMostBytes},
                                               [&](db::Connection& connection, std::optional<DroppedFile>& dropped,
                                                   AuditNote& note) -> Result<http::Response> {
                                                 LADE_ASSIGN(Fields fields, Fields::of_body(text));
                                                 const std::string name = fields.required_text("filename");
                                                 LADE_TRY(fields.finish());
                                                 LADE_ASSIGN(const Wishes wishes, wishes_for(asked, name));
                                                 LADE_ASSIGN(http::Response response,
                                                             import_dropped(asked, connection, wishes, *dropped, note));
                                                 return retold(std::move(response), note);
                                               });
                                         }});
}

Result<http::Reception> upload(Asked asked) {
  const UploadRules rules{.only_forms = true, .only_workbooks = true, .most_bytes = kMostBytes};
  return receive_upload(
      asked, rules, [asked](db::Connection& connection, Received& received, AuditNote& note) -> Result<http::Response> {
        LADE_TRY(Fields(received.form, "field").finish());
        LADE_TRY(check_file_name(received.file.name));
        LADE_ASSIGN(const Wishes wishes, wishes_for(asked, received.file.name));
        LADE_ASSIGN(received.file.id, store::create_file(connection, received.file));
        LADE_ASSIGN(http::Response response, import_file(asked, connection, wishes, received.file, note));
        return retold(std::move(response), note);
      });
}

}  // namespace

std::vector<Route> workbook_alias_routes() {
  const Access writes{Role::operator_, "imports:write"};
  const std::vector<Answer> accepted = {{202, "XlsxAccepted", "accepted; Location is where to watch it"}};
  return {
      {.method = "POST",
       .path = "/api/v1/imports/xlsx",
       .name = "xlsx.import",
       .summary = "Import a workbook that lies in the import folder, by the definition that the manifest names",
       .access = writes,
       .receive = import_by_name,
       .body = Body::json,
       .body_schema = "XlsxImport",
       .answers = accepted},
      {.method = "POST",
       .path = "/api/v1/imports/xlsx/upload",
       .name = "xlsx.upload",
       .summary = "Upload a workbook of at most 10 MB; the manifest names its definition by the file's name",
       .access = writes,
       .receive = upload,
       .body = Body::upload,
       .answers = accepted},
  };
}

}  // namespace lade::api
