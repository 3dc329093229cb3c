#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/imports.h"
#include "api/route.h"
#include "api/server.h"
#include "storage/storage.h"

// Files that lie in the company's import folder on the server, imported by their name.
namespace lade::api {

// A copy in the storage, gone with the object unless a job was made of it.
struct DroppedFile {
  explicit DroppedFile(const storage::Storage& folder) : storage(folder) {}
  DroppedFile(const DroppedFile&) = delete;
  DroppedFile& operator=(const DroppedFile&) = delete;
  DroppedFile(DroppedFile&& other) noexcept
      : storage(other.storage), file(std::move(other.file)), kept(std::exchange(other.kept, true)) {}
  ~DroppedFile() {
    if (!kept && !file.uuid.empty()) (void)storage.remove(file.uuid);
  }

  const storage::Storage& storage;
  store::FileRecord file;  // not recorded yet
  bool kept = false;
};

struct DropRules {
  bool only_workbooks = false;
  std::uint64_t most_bytes = 0;  // 0: as uploads
};

// Answers a request whose JSON names such a file by `filename`: it is copied before `then` runs in the transaction that
// accepts it. Refuses with filename_invalid, media_type_unsupported, dropped_file_not_found, upload_too_large.
using ThenImport = std::function<Result<http::Response>(db::Connection& connection, std::optional<DroppedFile>& dropped,
                                                        AuditNote& note)>;
http::Response with_dropped_file(const Asked& asked, const std::string& text, const DropRules& rules,
                                 const ThenImport& then);

// Records the file and makes a job of it.
Result<http::Response> import_dropped(const Asked& asked, db::Connection& connection, const Wishes& wishes,
                                      DroppedFile& dropped, AuditNote& note);

}  // namespace lade::api
