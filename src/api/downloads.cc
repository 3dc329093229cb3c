#include <fmt/format.h>

#include "api/paging.h"
#include "storage/folder.h"

namespace lade::api {
namespace {

// RFC 6266: a plain name for old clients, and the real one.
std::string disposition(std::string_view name) {
  std::string plain, escaped;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_';
    plain += letter ? c : '_';
    escaped += letter ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain, escaped);
}

}  // namespace

Result<http::Response> file_response(const storage::Folder& storage, const store::FileRecord& file,
                                     const std::string& type) {
  const auto bytes = static_cast<std::uint64_t>(file.bytes);
  LADE_ASSIGN(File opened, storage.read(file.uuid, bytes));
  http::Response response;
  response.headers.set("Content-Type", type);
  response.headers.set("Content-Disposition", disposition(file.name));
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Cache-Control", "private, no-store");
  if (!file.sha256.empty()) response.headers.set("ETag", "\"" + file.sha256 + "\"");
  response.body = http::FileBody{std::move(opened), bytes};
  return response;
}

}  // namespace lade::api
