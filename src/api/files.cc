#include "store/files.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/uploads.h"
#include "api/views.h"
#include "source/input.h"

// Files at rest.
namespace lade::api {
namespace {

using accounts::Role;

Result<store::FileRecord> require_file(const Call& call) {
  const std::string& id = call.at("file");
  LADE_ASSIGN(auto file, store::find_file(call.connection, id, call.who().company));
  if (!file || !sees_file(call.who(), *file)) return fail(not_found("file", id));
  return std::move(*file);
}

Result<http::Reception> create(Asked asked) {
  return receive_upload(std::move(asked), {},
                        [](db::Connection& connection, Received& received, AuditNote& note) -> Result<http::Response> {
                          LADE_TRY(Fields(received.form, "field").finish());
                          LADE_ASSIGN(received.file.id, store::create_file(connection, received.file));
                          LADE_ASSIGN(const auto file, store::find_file(connection, received.file.id));
                          note.object_id = received.file.uuid;
                          http::Response response = json_response(201, to_json(*file));
                          response.headers.set("Location", "/api/v1/files/" + received.file.uuid);
                          return response;
                        });
}

Result<http::Response> list(Call& call) {
  store::FileFilter filter{.company = call.who().company};
  if (call.who().sight != accounts::Sight::company) filter.created_by_id = call.who().user_id;
  filter.sha256 = call.query.text("sha256").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit + 1;
  LADE_ASSIGN(const auto files, store::list_files(call.connection, filter));
  return page_response(files, page, [](const store::FileRecord& file) { return file.id; });
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  return json_response(200, to_json(file));
}

Result<http::Response> content(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  return file_response(call.service.storage(), file, "application/octet-stream");
}

Result<http::Response> sniff(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  LADE_ASSIGN(File opened, call.service.storage().read(file.uuid, static_cast<std::uint64_t>(file.bytes)));
  const jobs::ImportOptions& here = call.service.here();
  LADE_ASSIGN(const source::Input input, source::as_input(std::move(opened), file.name, here.data, here.max_bytes));
  LADE_ASSIGN(const source::Sniffed sniffed, source::sniff(input));
  return json_response(200, to_json(sniffed));
}

Result<http::Response> remove(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  LADE_ASSIGN(const bool in_use, store::is_file_in_use(call.connection, file.id));
  if (in_use)
    return fail("file_in_use", "a job that is not finished needs the file", "cancel the job, or wait for its end",
                ErrorKind::usage);
  // The bytes go with the next tidying up, once this is committed.
  LADE_TRY(store::mark_file_removed(call.connection, file.id));
  return http::Response{.status = 204};
}

}  // namespace

bool sees_file(const accounts::Principal& who, const store::FileRecord& file) {
  return who.sight == accounts::Sight::company || file.created_by_id == who.user_id;
}

std::vector<Route> file_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "POST",
       .path = "/api/v1/files",
       .name = "files.create",
       .summary = "Upload a file: as the body itself, or as the field `file` of a form",
       .access = writes,
       .receive = create,
       .body = Body::upload,
       .query = {{"name", "string", "the file's name, when it is sent as the body itself"}},
       .answers = {{201, "File", "stored, durable and hashed"}}},
      {.method = "GET",
       .path = "/api/v1/files",
       .name = "files.list",
       .summary = "Uploaded files, newest first",
       .access = reads,
       .answer = list,
       .query = with_paging({{"sha256", "string", "only files with these bytes: was it uploaded before?"}}),
       .answers = {{200, "FilePage", "a page of files"}}},
      {.method = "GET",
       .path = "/api/v1/files/{file}",
       .name = "files.show",
       .summary = "A file's record",
       .access = reads,
       .answer = show,
       .answers = {{200, "File", "the file"}}},
      {.method = "GET",
       .path = "/api/v1/files/{file}/content",
       .name = "files.content",
       .summary = "The file itself; ranges are served",
       .access = reads,
       .answer = content,
       .answers = {{200, "application/octet-stream", "the bytes"},
                   {206, "application/octet-stream", "a range of them"}}},
      {.method = "GET",
       .path = "/api/v1/files/{file}/sniff",
       .name = "files.sniff",
       .summary = "How the file would be read, and why",
       .access = reads,
       .answer = sniff,
       .answers = {{200, "Sniffed", "what its beginning suggests"}}},
      {.method = "DELETE",
       .path = "/api/v1/files/{file}",
       .name = "files.delete",
       .summary = "Remove a file that no live job needs",
       .access = writes,
       .answer = remove,
       .answers = {{204, "", "removed"}}},
  };
}

}  // namespace lade::api
