#include "api/dropped_files.h"

#include <fmt/format.h>

#include "accounts/companies.h"
#include "api/problem.h"
#include "api/uploads.h"

namespace lade::api {
namespace {

Error missing(const std::string& name) {
  return {"dropped_file_not_found", fmt::format("there is no file '{}' in the import folder", name),
          "put it there, or upload it", ErrorKind::invalid};
}

Result<std::filesystem::path> folder_of(const Asked& asked) {
  LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
  LADE_ASSIGN(const auto company, accounts::find_company(*session, std::to_string(asked.who().company)));
  return asked.service.options().import_folder / (company ? company->slug : std::string());
}

Result<DroppedFile> copy(const Asked& asked, const std::string& name, const DropRules& rules) {
  LADE_TRY(check_file_name(name));
  if (rules.only_workbooks) LADE_TRY(check_is_workbook(name));
  LADE_ASSIGN(const std::filesystem::path folder, folder_of(asked));
  std::error_code error;
  // Links are not followed: what lies elsewhere was not put here.
  if (std::filesystem::symlink_status(folder / name, error).type() != std::filesystem::file_type::regular)
    return fail(missing(name));
  LADE_ASSIGN(const File file, File::open(folder / name));
  LADE_ASSIGN(const std::uint64_t bytes, file.size());
  const std::uint64_t most = rules.most_bytes == 0 ? asked.service.options().most_upload_bytes : rules.most_bytes;
  if (bytes > most)
    return fail("upload_too_large", fmt::format("'{}' has {} bytes; at most {} are accepted", name, bytes, most),
                "split the file", ErrorKind::invalid);
  FileRange all(file, 0, bytes);
  DroppedFile dropped(asked.service.storage());
  LADE_ASSIGN(const storage::StoredFile stored, dropped.storage.store(all));
  dropped.file = {.uuid = stored.id,
                  .storage = dropped.storage.id(),
                  .name = name,
                  .bytes = static_cast<std::int64_t>(stored.bytes),
                  .sha256 = stored.sha256,
                  .created_by = asked.who().user,
                  .company = asked.who().company,
                  .created_by_id = asked.who().user_id};
  return dropped;
}

Result<http::Response> answer(const Asked& asked, const std::string& text, const DropRules& rules,
                              const ThenImport& then) {
  LADE_ASSIGN(Fields fields, Fields::of_body(text));
  std::optional<DroppedFile> dropped;
  if (const auto name = fields.text("filename")) {
    LADE_ASSIGN(DroppedFile copied, copy(asked, *name, rules));
    dropped.emplace(std::move(copied));
  }
  AuditNote note;
  const std::string fingerprint = dropped ? dropped->file.sha256 + text : text;
  auto response =
      change(asked, fingerprint, note, [&](db::Connection& connection) { return then(connection, dropped, note); });
  if (dropped) dropped->kept = response && response->status < 400 && !response->headers.has("Idempotent-Replay");
  return response;
}

}  // namespace

http::Response with_dropped_file(const Asked& asked, const std::string& text, const DropRules& rules,
                                 const ThenImport& then) {
  return answer_or_problem(asked.request, answer(asked, text, rules, then));
}

Result<http::Response> import_dropped(const Asked& asked, db::Connection& connection, const Wishes& wishes,
                                      DroppedFile& dropped, AuditNote& note) {
  LADE_ASSIGN(dropped.file.id, store::create_file(connection, dropped.file));
  note.data["file"] = dropped.file.name;
  return import_file(asked, connection, wishes, dropped.file, note);
}

}  // namespace lade::api
