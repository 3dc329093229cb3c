#include <fmt/format.h>

#include "api/batches.h"
#include "api/dropped_files.h"
#include "api/imports.h"
#include "api/problem.h"
#include "api/uploads.h"
#include "api/views.h"
#include "base/id.h"
#include "jobs/accept.h"
#include "jobs/check_manifest.h"

// How batches begin: a manifest, or several files, become imports of one batch.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using Tell = http::Response (*)(const store::BatchRecord&);

constexpr std::uint64_t kMostManifestBytes = 10'000'000;
constexpr std::size_t kMostFiles = 1000;

// What a request asks for.
struct Creation {
  Wishes wishes;
  bool only_manifests = false;
  std::vector<store::FileRecord> files = {};  // recorded
};

// Nobody has said how it is to be called: after its file, and unlike any other.
std::string name_for(const Creation& creation) {
  constexpr std::size_t kLongest = 120;
  const std::string id = new_uuid();
  return fmt::format("{} {}", creation.files.front().name.substr(0, kLongest), id.substr(id.size() - 12));
}

// What is plainly no manifest is refused before it is accepted.
Result<void> check_manifest(const Asked& asked, db::Connection& connection, const Creation& creation,
                            const store::FileRecord& file) {
  if (creation.only_manifests && static_cast<std::uint64_t>(file.bytes) > kMostManifestBytes)
    return fail("upload_too_large",
                fmt::format("'{}' has {} bytes; a manifest at most {}", file.name, file.bytes, kMostManifestBytes),
                "split it, or upload it as a file and name its file_id", ErrorKind::invalid);
  const Wishes& wishes = creation.wishes;
  if (wishes.definition.empty()) return {};
  LADE_ASSIGN(const store::StoredDefinition definition,
              jobs::require_definition(connection, wishes.definition, asked.who().company, wishes.version));
  return jobs::check_manifest(asked.service.storage(), file, definition, wishes.options);
}

Result<http::Response> create(const Asked& asked, db::Connection& connection, Creation creation, AuditNote& note,
                              Tell tell) {
  Wishes& wishes = creation.wishes;
  if (creation.files.empty())
    return fail("manifest_missing", "the request names no file", "send a file, or file_id, file_ids or filename",
                ErrorKind::usage);
  if (wishes.options.batch.empty()) wishes.options.batch = name_for(creation);
  LADE_TRY(jobs::check_batch_name(wishes.options.batch));
  for (const store::FileRecord& file : creation.files) LADE_TRY(check_manifest(asked, connection, creation, file));
  LADE_ASSIGN(const std::int64_t id, store::create_batch(connection, {.uuid = new_uuid(),
                                                                      .name = wishes.options.batch,
                                                                      .source_manifest = creation.files.front().name,
                                                                      .created_by = asked.who().user,
                                                                      .company = asked.who().company}));
  for (const store::FileRecord& file : creation.files) {
    AuditNote of_import;
    LADE_ASSIGN(http::Response response, import_file(asked, connection, wishes, file, of_import));
    if (response.status >= 400) return response;  // nothing of the batch remains
  }
  LADE_ASSIGN(const auto batch, store::batch_with_id(connection, id));
  note.object_id = batch->uuid;
  note.data["batch"] = batch->name;
  note.data["files"] = creation.files.size();
  return tell(*batch);
}

Result<std::vector<std::string>> file_ids(Fields& fields) {
  std::vector<std::string> ids = fields.texts("file_ids").value_or(std::vector<std::string>());
  if (const auto one = fields.text("file_id")) ids.insert(ids.begin(), *one);
  if (ids.size() <= kMostFiles) return ids;
  return fail("request_invalid", fmt::format("{} files are named", ids.size()),
              fmt::format("a request makes a batch of at most {}; further imports join it by its name", kMostFiles),
              ErrorKind::usage);
}

Result<http::Response> create_by_json(const Asked& asked, db::Connection& connection, const std::string& text,
                                      std::optional<DroppedFile>& dropped, AuditNote& note, bool only_manifests,
                                      Tell tell) {
  LADE_ASSIGN(Fields fields, Fields::of_body(text));
  LADE_ASSIGN(const auto ids, file_ids(fields));
  (void)fields.text("filename");
  Creation creation{{}, only_manifests};
  LADE_ASSIGN(creation.wishes, read_wishes(asked, fields));
  LADE_TRY(fields.finish());
  if (dropped) {
    LADE_ASSIGN(dropped->file.id, store::create_file(connection, dropped->file));
    creation.files.push_back(dropped->file);
  }
  for (const std::string& id : ids) {
    LADE_ASSIGN(store::FileRecord file, file_of(asked, connection, id));
    creation.files.push_back(std::move(file));
  }
  return create(asked, connection, std::move(creation), note, tell);
}

http::Response accepted(const store::BatchRecord& batch) {
  http::Response response = json_response(202, to_json(batch));
  response.headers.set("Location", "/api/v1/batches/" + batch.uuid);
  response.headers.set("Retry-After", "1");
  return response;
}

Result<http::Reception> receive_own(Asked asked) {
  return receive_batch(std::move(asked), accepted, false);
}

}  // namespace

Result<http::Reception> receive_batch(Asked asked, Tell tell, bool only_manifests) {
  if (asked.request.headers.get("Content-Type").starts_with("application/json"))
    return http::Reception(
        http::WholeBody{asked.route.most_bytes, [asked, tell, only_manifests](const std::string& text) {
                          const DropRules rules{.most_bytes = only_manifests ? kMostManifestBytes : 0};
                          return with_dropped_file(
                              asked, text, rules,
                              [&](db::Connection& connection, std::optional<DroppedFile>& dropped, AuditNote& note) {
                                return create_by_json(asked, connection, text, dropped, note, only_manifests, tell);
                              });
                        }});
  const UploadRules rules{.most_bytes = only_manifests ? kMostManifestBytes : 0};
  return receive_wishes(asked, rules,
                        [asked, tell, only_manifests](db::Connection& connection, Wishes wishes,
                                                      const store::FileRecord& file, AuditNote& note) {
                          return create(asked, connection, {std::move(wishes), only_manifests, {file}}, note, tell);
                        });
}

std::vector<Route> batch_create_routes() {
  return {{.method = "POST",
           .path = "/api/v1/batches",
           .name = "batches.create",
           .summary = "Import a manifest or several files as one batch: a form with the field `file`, the file as the "
                      "body itself, or JSON that names uploaded files or one of the import folder",
           .access = {Role::operator_, "imports:write"},
           .receive = receive_own,
           .body = Body::upload,
           .body_schema = "NewBatch",
           .query = {{"name", "string", "the file's name, when it is sent as the body itself"},
                     {"batch", "string", "the batch's name; without it one is made of the file's"},
                     {"definition", "string", "slug; without it the one that fits the file's header"},
                     {"version", "integer", "of the definition (default: the newest)"},
                     {"force", "boolean", "also while an import that does the same is live"},
                     {"max_errors", "string", "failed rows that are allowed: 5 or 5%"},
                     {"fail_when", "string", "never, any_failed, all_failed"}},
           .answers = {{202, "Batch", "accepted, all of it or nothing; Location is where to watch it"}}}};
}

}  // namespace lade::api
