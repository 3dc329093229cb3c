#include "jobs/known_version.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/sha256.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

json::object metadata_of(const store::KnownVersion& known) {
  boost::system::error_code wrong;
  json::value value = json::parse(known.evidence.metadata, wrong);
  return wrong || !value.is_object() ? json::object() : std::move(value).as_object();
}

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

// What describes the body was said with it; of all else the newer word counts.
void add_headers(const json::object& kept, harvest::Fetched& page) {
  std::erase_if(page.headers, [](const auto& header) { return header.first.starts_with("content-"); });
  for (const auto& header : kept)
    if (page.header(header.key()).empty()) page.headers.emplace_back(header.key(), text_at(kept, header.key()));
}

}  // namespace

void ask_conditionally(const store::KnownVersion& known, harvest::FetchRequest& request) {
  if (known.evidence.bytes > static_cast<std::int64_t>(request.limits.body_bytes)) return;
  const json::object metadata = metadata_of(known);
  request.etag = text_at(metadata, "etag");
  request.last_modified = text_at(metadata, "last_modified");
  request.version_url = text_at(metadata, "final_url");
}

Result<const File*> KnownBodies::open(const std::string& id) {
  auto found = files_.find(id);
  if (found == files_.end()) {
    LADE_ASSIGN(File file, storage_.read(id, std::nullopt));
    found = files_.emplace(id, std::move(file)).first;
  }
  return &found->second;
}

Result<void> KnownBodies::restore(const store::KnownVersion& known, harvest::Fetched& page, std::string& body) {
  const store::Evidence& evidence = known.evidence;
  LADE_ASSIGN(const File* const file, open(evidence.file));
  body.resize(static_cast<std::size_t>(evidence.bytes));
  LADE_ASSIGN(const std::size_t count, file->read_at(static_cast<std::uint64_t>(evidence.offset), body));
  if (count != body.size() || sha256_of(body) != known.checksum)
    return fail(storage::stored_file_damaged(evidence.file, "a page in it is another one"));
  const json::object metadata = metadata_of(known);
  if (const json::value* const headers = metadata.if_contains("headers"); headers != nullptr && headers->is_object())
    add_headers(headers->get_object(), page);
  page.sha256 = known.checksum;
  return {};
}

}  // namespace lade::jobs
