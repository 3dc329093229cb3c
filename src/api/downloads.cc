#include <fmt/format.h>

#include "api/paging.h"
#include "storage/storage.h"

namespace lade::api {

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

std::string type_of(std::string_view name) {
  return name.ends_with(".xlsx") ? std::string(kWorkbookType) : fmt::format("{}; charset=utf-8", kCsvType);
}

http::Response download(File file, std::uint64_t bytes, std::string_view name, const std::string& type) {
  http::Response response;
  response.headers.set("Content-Type", type.empty() ? type_of(name) : type);
  response.headers.set("Content-Disposition", disposition(name));
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Cache-Control", "private, no-store");
  response.body = http::FileBody{std::move(file), bytes};
  return response;
}

Result<http::Response> file_response(const storage::Storage& storage, const store::FileRecord& file,
                                     const std::string& type) {
  const auto bytes = static_cast<std::uint64_t>(file.bytes);
  LADE_ASSIGN(File opened, storage.read(file.stored_as(), bytes));
  http::Response response = download(std::move(opened), bytes, file.name, type);
  if (!file.sha256.empty()) response.headers.set("ETag", "\"" + file.sha256 + "\"");
  return response;
}

}  // namespace lade::api
