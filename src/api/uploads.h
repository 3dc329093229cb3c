#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/route.h"
#include "api/server.h"
#include "storage/storage.h"
#include "store/files.h"

// Files on their way in: streamed into the storage while they arrive, hashed on the way, durable before the answer.
namespace lade::api {

// A file that came in whole.
struct Received {
  store::FileRecord file;    // not recorded yet
  boost::json::object form;  // the other fields; empty when the body was the file itself
};

// Whether somebody sees a file: it is their own, or they see the whole company.
bool sees_file(const accounts::Principal& who, const store::FileRecord& file);

struct UploadRules {
  bool only_forms = false;       // multipart/form-data, and nothing else
  bool only_csv = false;         // by type or name, as some clients expect it
  bool only_workbooks = false;   // by type and name
  std::uint64_t most_bytes = 0;  // 0: what the server and the company allow
};

// A name is for people and never part of a path. Refuses with request_invalid.
Result<void> check_upload_name(std::string_view name);
// What the server and the company allow.
Result<std::uint64_t> most_upload_bytes(const Asked& asked);
// Refuses with media_type_unsupported what is not named *.xlsx.
Result<void> check_is_workbook(std::string_view name);

// Answers once the file is in: `then` runs in the transaction that accepts it. When it fails, or the body breaks off,
// nothing of the file remains. A body that is no form is the file itself; its name is the parameter `name`.
using Then = std::function<Result<http::Response>(db::Connection& connection, Received& received, AuditNote& note)>;
Result<http::Reception> receive_upload(Asked asked, const UploadRules& rules, Then then);

}  // namespace lade::api
