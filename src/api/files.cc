#include "store/files.h"

#include <algorithm>
#include <iterator>

#include "api/file_links.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/uploads.h"
#include "api/views.h"
#include "definition/parse.h"
#include "jobs/accept.h"
#include "jobs/open_source.h"
#include "source/column_evidence.h"
#include "source/sniff.h"

// Files at rest.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

constexpr std::int64_t kSniffedRows = 1'000'000;

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

// How the definition of that name, or none, with the request's own words, reads files.
Result<source::Overrides> overrides_of(Call& call, const std::string& slug, const std::string& source) {
  jobs::ImportOptions options;
  options.source = source;
  definition::Definition definition;
  if (!slug.empty()) {
    LADE_ASSIGN(const store::StoredDefinition stored,
                jobs::require_definition(call.connection, slug, call.who().company));
    definition = definition::parse_definition(stored.source_text).definition;
  }
  LADE_ASSIGN(definition, jobs::for_request(std::move(definition), options));
  return jobs::overrides_of(definition);
}

Result<http::Response> sniff(Call& call) {
  const std::string slug = call.query.text("definition").value_or("");
  const std::string source = call.query.map("source").value_or("");
  const std::int64_t most_rows = call.query.integer("rows", 0, INT32_MAX).value_or(kSniffedRows);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  LADE_ASSIGN(const source::Overrides overrides, overrides_of(call, slug, source));
  LADE_ASSIGN(File opened, call.service.storage().read(file.stored_as(), static_cast<std::uint64_t>(file.bytes)));
  const jobs::ImportOptions& here = call.service.here();
  LADE_ASSIGN(const source::Input input,
              source::as_input(std::move(opened), file.name, here.scratch(), here.max_bytes, overrides));
  LADE_ASSIGN(const source::Sniffed sniffed, source::sniff(input, overrides));
  json::object object = to_json(sniffed);
  json::array& columns = object["column_evidence"].emplace_array();
  if (most_rows > 0) {
    LADE_ASSIGN(const source::Layout layout, source::recognise(input, overrides));
    LADE_ASSIGN(const auto evidence, source::column_evidence(input, layout, most_rows));
    for (const source::ColumnEvidence& column : evidence) columns.push_back(to_json(column));
  }
  return json_response(200, object);
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

Result<store::FileRecord> require_file(const Call& call) {
  const std::string& id = call.at("file");
  LADE_ASSIGN(auto file, store::find_file(call.connection, id, call.who().company));
  if (!file || !sees_file(call.who(), *file)) return fail(not_found("file", id));
  return std::move(*file);
}

bool sees_file(const accounts::Principal& who, const store::FileRecord& file) {
  return who.sight == accounts::Sight::company || file.created_by_id == who.user_id;
}

std::vector<Route> file_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  std::vector<Route> routes{
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
       .query = {{"definition", "string", "as this definition reads it"},
                 {"source", "string", "and as this says: keys of a definition's `source`, as JSON"},
                 {"rows", "integer", "rows that are looked at for what columns show (default: 1,000,000)"}},
       .answers = {{200, "Sniffed", "what its beginning suggests"}}},
      {.method = "DELETE",
       .path = "/api/v1/files/{file}",
       .name = "files.delete",
       .summary = "Remove a file that no live job needs",
       .access = writes,
       .answer = remove,
       .answers = {{204, "", "removed"}}},
  };
  std::ranges::move(file_link_routes(), std::back_inserter(routes));
  return routes;
}

}  // namespace lade::api
