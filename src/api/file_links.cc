#include "api/file_links.h"

#include <fmt/format.h>

#include "api/paging.h"
#include "api/problem.h"
#include "api/uploads.h"
#include "api/views.h"
#include "base/id.h"
#include "base/moment.h"
#include "storage/storage_id.h"

namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

Error no_links() {
  return {"no_links", "files are stored in a folder, and have no addresses of their own", "get it through lade itself",
          ErrorKind::usage};
}

json::object link(const std::string& url, std::chrono::seconds expires) {
  return {{"url", url}, {"expires_at", to_text(now() + expires)}};
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::FileRecord file, require_file(call));
  return link_response(call.service, file);
}

// Nothing is recorded before the upload is confirmed; what is not goes with the storage's orphans.
Result<http::Response> create(Call& call) {
  LADE_TRY(call.body.finish());
  const std::string id = new_uuid();
  const std::chrono::seconds expires = call.service.options().link_expires;
  const auto url = call.service.storage().link_to_upload(id, expires);
  if (!url) return fail(no_links());
  call.object_id = id;
  json::object object = link(*url, expires);
  object["file_id"] = id;
  return json_response(201, object);
}

Error differs(std::string_view what, std::string_view said, std::string_view found) {
  return {"upload_differs", fmt::format("the upload's {} is {}, not {}", what, found, said), "upload it again",
          ErrorKind::invalid};
}

Result<http::Response> confirm(Call& call) {
  // What is recorded already, by whichever company, is no upload that waits.
  const std::string& id = call.at("file");
  if (!storage::is_id(id)) return fail(not_found("upload", id));
  LADE_ASSIGN(const bool recorded, store::is_file_wanted(call.connection, id));
  if (recorded) return fail(not_found("upload", id));
  const std::string name = call.body.required_text("name"), sha256 = call.body.required_text("sha256");
  const std::int64_t bytes = call.body.integer("bytes", 0, INT64_MAX).value_or(-1);
  LADE_TRY(call.body.finish());
  if (bytes < 0)
    return fail("request_invalid", "the field 'bytes' is missing", "say how many bytes were uploaded",
                ErrorKind::usage);
  LADE_TRY(check_upload_name(name));
  const Service& service = call.service;
  if (!service.storage().link_to(id, {})) return fail(no_links());
  auto found = service.storage().measure(id);
  if (!found && found.error().code == "stored_file_missing")
    return fail("upload_missing", "nothing was uploaded by this link", "send the file with PUT first",
                ErrorKind::invalid);
  if (!found) return fail(std::move(found).error());
  if (found->bytes != static_cast<std::uint64_t>(bytes))
    return fail(differs("size", std::to_string(bytes), std::to_string(found->bytes)));
  if (found->sha256 != sha256) return fail(differs("SHA-256", sha256, found->sha256));
  LADE_ASSIGN(const std::uint64_t most, most_upload_bytes(call));
  if (found->bytes > most)
    return fail("upload_too_large", fmt::format("the file is larger than {} bytes", most), "split the file",
                ErrorKind::invalid);
  LADE_ASSIGN(const std::int64_t key, store::create_file(call.connection, {.uuid = id,
                                                                           .storage = service.storage().id(),
                                                                           .name = name,
                                                                           .bytes = bytes,
                                                                           .sha256 = sha256,
                                                                           .created_by = call.who().user,
                                                                           .company = call.who().company,
                                                                           .created_by_id = call.who().user_id}));
  LADE_ASSIGN(const auto file, store::find_file(call.connection, key));
  call.audit = {{"file", name}, {"bytes", bytes}, {"sha256", sha256}};
  return json_response(201, to_json(*file));
}

}  // namespace

Result<http::Response> link_response(const Service& service, const store::FileRecord& file) {
  const std::chrono::seconds expires = service.options().link_expires;
  const auto url = service.storage().link_to(
      file.stored_as(), {.expires = expires, .disposition = disposition(file.name), .type = type_of(file.name)});
  if (!url) return fail(no_links());
  return json_response(200, link(*url, expires));
}

std::vector<Route> file_link_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "GET",
       .path = "/api/v1/files/{file}/link",
       .name = "files.link",
       .summary = "An address by which the file is read from the bucket, until it expires",
       .access = reads,
       .answer = show,
       .answers = {{200, "FileLink", "the address; it is a secret as long as it is valid"}},
       .answers_secret = true},
      {.method = "POST",
       .path = "/api/v1/files/link",
       .name = "files.upload_link",
       .summary = "An address to which a file is sent with PUT, straight into the bucket; then it is confirmed",
       .access = writes,
       .answer = create,
       .body = Body::json,
       .answers = {{201, "UploadLink", "the address, and the file's id"}},
       .answers_secret = true},
      {.method = "POST",
       .path = "/api/v1/files/{file}/confirm",
       .name = "files.confirm",
       .summary = "A file was sent by such an address: its size and checksum are compared, and it is recorded",
       .access = writes,
       .answer = confirm,
       .body = Body::json,
       .body_schema = "Confirmation",
       .answers = {{201, "File", "it is what was announced"}}},
  };
}

}  // namespace lade::api
