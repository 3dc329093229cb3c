#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/route.h"
#include "api/server.h"
#include "storage/folder.h"
#include "store/files.h"

// Files on their way in: streamed into the storage while they arrive, hashed on the way, durable before the answer.
namespace lade::api {

// A file that came in whole, with the form's other fields.
struct Received {
  store::FileRecord file;  // not recorded yet
  Fields fields;
};

struct UploadRules {
  bool only_forms = false;  // multipart/form-data, and nothing else
  bool only_csv = false;    // by type or name, as some clients expect it
};

// Answers once the file is in: `then` runs in the transaction that accepts it. When it fails, or the body breaks off,
// nothing of the file remains. A body that is no form is the file itself; its name is the parameter `name`.
using Then = std::function<Result<http::Response>(db::Connection& connection, Received& received, AuditNote& note)>;
Result<http::Reception> receive_upload(Asked asked, const UploadRules& rules, Then then);

}  // namespace lade::api
