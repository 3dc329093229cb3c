#include "store/files.h"

#include <algorithm>
#include <iterator>

#include "api/file_links.h"
#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/uploads.h"
#include "api/views.h"
#include "definition/parse.h"
#include "jobs/accept.h"
#include "jobs/open_source.h"
#include "source/column_evidence.h"
#include "source/shown_lines.h"
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

// The newest imports that were made of a file, as far as who asks sees them.
Result<json::array> imports_of(const Call& call, const store::FileRecord& file) {
  store::JobFilter filter = visible_imports(call.who());
  filter.file_id = file.id;
  filter.limit = 5;
  LADE_ASSIGN(const store::JobPage jobs, store::list_jobs(call.connection, filter));
  json::array list;
  for (const store::JobRecord& job : jobs.jobs) list.push_back(to_json(job));
  return list;
}

Result<http::Response> list(Call& call) {
  store::FileFilter filter{.company = call.who().company};
  if (call.who().sight != accounts::Sight::company) filter.created_by_id = call.who().user_id;
  filter.sha256 = call.query.text("sha256").value_or("");
  const bool with_imports = call.query.flag("imports").value_or(false);
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit + 1;
  LADE_ASSIGN(const auto files, store::list_files(call.connection, filter));
  http::Response response = page_response(files, page, [](const store::FileRecord& file) { return file.id; });
  if (!with_imports) return response;
  json::object body = json::parse(std::get<std::string>(response.body)).as_object();
  json::array& items = body["items"].as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    LADE_ASSIGN(items[i].as_object()["imports"], imports_of(call, files[i]));
  }
  return json_response(200, body);
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

// What was chosen by itself in the address, as keys of a definition's `source`; over what `source` says there.
Result<std::string> read_settings(Call& call) {
  const std::string whole = call.query.map("source").value_or("");
  json::object settings = whole.empty() ? json::object() : json::parse(whole).as_object();
  for (const std::string_view name : {"encoding", "delimiter", "quote", "sheet"})
    if (const auto value = call.query.text(name); value && !value->empty()) settings[name] = *value;
  if (const auto delimiter = settings.if_contains("delimiter"); delimiter != nullptr && *delimiter == "tab")
    settings["delimiter"] = "\t";
  if (const auto row = call.query.integer("header_row", 0, INT32_MAX)) settings["header_row"] = *row;
  return settings.empty() ? std::string() : json::serialize(settings);
}

// The first of the findings that is about a setting, without its name.
json::value evidence_of(const std::vector<std::string>& findings, std::string_view name) {
  for (const std::string& finding : findings)
    if (finding.starts_with(name)) return json::string(finding);
  return nullptr;
}

json::array settings_json(const source::Sniffed& sniffed, const source::Overrides& overrides) {
  const auto setting = [&](std::string_view name, json::value value, bool given, json::array choices) {
    return json::object{{"name", name},
                        {"value", std::move(value)},
                        {"given", given},
                        {"evidence", evidence_of(sniffed.evidence, name == "header_row" ? "header" : name)},
                        {"choices", std::move(choices)}};
  };
  const source::Origin& origin = sniffed.origin;
  json::array list;
  if (origin.format == "xlsx") {
    list.push_back(setting("sheet", json::string(origin.sheet), !overrides.sheet.empty(),
                           json::array(origin.sheets.begin(), origin.sheets.end())));
  } else {
    list.push_back(setting("encoding", json::string(origin.encoding), !overrides.encoding.empty(),
                           {"utf-8", "windows-1252", "iso-8859-1", "iso-8859-15", "windows-1250", "windows-1251",
                            "macintosh", "ibm850", "utf-16le", "utf-16be", "shift_jis", "gb18030"}));
    list.push_back(setting("delimiter", json::string(shown(sniffed.dialect.delimiter)), overrides.delimiter.has_value(),
                           {",", ";", "tab", "|", ":"}));
    list.push_back(setting("quote", json::string(shown(sniffed.dialect.quote)),
                           overrides.quote.has_value() || overrides.no_quote, {"\"", "'", "none"}));
  }
  list.push_back(setting("header_row", sniffed.header_line, overrides.header_row.has_value(), {}));
  return list;
}

json::array lines_json(const std::vector<source::ShownLine>& lines) {
  const auto number = [](std::int64_t place) { return place == 0 ? json::value(nullptr) : json::value(place); };
  json::array list;
  for (const source::ShownLine& line : lines)
    list.push_back(json::object{{"line", number(line.line)},
                                {"row", number(line.row)},
                                {"kind", source::to_string(line.kind)},
                                {"cells", json::array(line.cells.begin(), line.cells.end())}});
  return list;
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
  LADE_ASSIGN(const std::string source, read_settings(call));
  const std::string at = call.query.text("at").value_or("start");
  const std::int64_t most_rows = call.query.integer("rows", 0, INT32_MAX).value_or(kSniffedRows);
  LADE_TRY(call.query.finish());
  const auto place = source::shown_place(at);
  if (!place)
    return fail("request_invalid", "there is no place '" + at + "' in a file", "start, middle, end or odd",
                ErrorKind::usage);
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  LADE_ASSIGN(const source::Overrides overrides, overrides_of(call, slug, source));
  LADE_ASSIGN(File opened, call.service.storage().read(file.stored_as(), static_cast<std::uint64_t>(file.bytes)));
  const jobs::ImportOptions& here = call.service.here();
  LADE_ASSIGN(const source::Input input,
              source::as_input(std::move(opened), file.name, here.scratch(), here.max_bytes, overrides));
  LADE_ASSIGN(const source::Sniffed sniffed, source::sniff(input, overrides));
  json::object object = to_json(sniffed);
  LADE_ASSIGN(const source::Layout layout, source::recognise(input, overrides));
  LADE_ASSIGN(const source::ShownLines found, source::shown_lines(input, layout, *place));
  object["at"] = at;
  object["settings"] = settings_json(sniffed, overrides);
  object["lines"] = lines_json(found.lines);
  object["total"] = {{"rows", found.rows}, {"odd", found.odd}, {"bytes", input.bytes}, {"complete", found.complete}};
  json::array& columns = object["column_evidence"].emplace_array();
  if (most_rows > 0) {
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
       .query = with_paging({{"sha256", "string", "only files with these bytes: was it uploaded before?"},
                             {"imports", "boolean", "with the newest imports that were made of each"}}),
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
                 {"encoding", "string", "any name, e.g. windows-1252"},
                 {"delimiter", "string", "the character itself, or tab"},
                 {"quote", "string", "the character itself, or none"},
                 {"header_row", "integer", "the header's line; 0: there is none"},
                 {"sheet", "string", "of a workbook: its name, or its place from 1 on"},
                 {"at", "string", "which lines are shown: start (default), middle, end, odd"},
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
