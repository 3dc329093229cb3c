#include "storage/s3_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <thread>

#include "base/moment.h"
#include "base/sha256.h"

namespace lade::storage {
namespace {

constexpr int kFirstAttempts = 3;  // at a server that has never answered: it is more likely not there than busy

// Half to all of it, so that many who were turned away together do not come back together.
std::chrono::milliseconds jittered(std::chrono::milliseconds pause) {
  thread_local std::minstd_rand random(std::random_device{}());
  return std::chrono::milliseconds(
      std::uniform_int_distribution<std::int64_t>(pause.count() / 2, pause.count())(random));
}

std::chrono::milliseconds pause_before(int attempt, const S3Options& options, const S3Answer& answer) {
  const std::chrono::milliseconds grown = options.pause * (std::int64_t{1} << std::min(attempt, 20));
  std::int64_t seconds = 0;
  const std::string& asked = answer.retry_after;
  std::from_chars(asked.data(), asked.data() + asked.size(), seconds);
  const std::chrono::milliseconds wanted = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, 60));
  return std::max(jittered(std::min(grown, options.longest_pause)), std::min(wanted, options.longest_pause));
}

// 2024-12-31T23:59:59.000Z; for what is not so the end of time: nobody takes it for old.
std::chrono::sys_seconds time_of(const std::string& text) {
  std::string whole = text;
  if (whole.find('.') == std::string::npos && whole.ends_with('Z')) whole.insert(whole.size() - 1, ".000");
  const auto moment = moment_of(whole);
  return moment ? std::chrono::floor<std::chrono::seconds>(*moment) : std::chrono::sys_seconds::max();
}

std::uint64_t number_of(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string parts_document(const std::vector<std::string>& tags) {
  std::string xml = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < tags.size(); ++i)
    xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, tags[i]);
  return xml + "</CompleteMultipartUpload>";
}

}  // namespace

S3Client::S3Client(S3Options options) : options_(std::move(options)), connections_(options_.ca_file) {
  const std::size_t slashes = options_.endpoint.find("://");
  scheme_ = options_.endpoint.substr(0, slashes);
  host_ = options_.endpoint.substr(slashes + 3);
  if (!options_.path_style) host_ = options_.bucket + "." + host_;
}

S3Request S3Client::request_of(const Call& call) const {
  std::string path = options_.path_style ? "/" + options_.bucket : std::string();
  if (!call.key.empty() || path.empty()) path += "/" + call.key;
  return {call.method, host_, s3_escaped(path, true), call.query, call.headers};
}

std::string S3Client::url_of(const S3Request& request, const std::string& query) const {
  return fmt::format("{}://{}{}{}{}", scheme_, request.host, request.path, query.empty() ? "" : "?", query);
}

S3Answer S3Client::attempt(const Call& call, const std::string& body_sha256) const {
  const S3Request request = request_of(call);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  S3Transfer transfer{call.method, url_of(request, s3_query(call.query)),
                      signed_headers(request, options_.keys, options_.region, body_sha256, now), call.body};
  if (call.expected) transfer.most_bytes = std::max<std::size_t>(transfer.most_bytes, *call.expected);
  S3Answer answer = connections_.send(transfer);
  if (answer.good() && call.expected && answer.body.size() != *call.expected)
    answer.broken = fmt::format("{} bytes came instead of {}", answer.body.size(), *call.expected);
  if (answer.good() && call.may_fail_late && answer.body.find("<Error>") != std::string::npos) answer.status = 500;
  return answer;
}

S3Answer S3Client::send(const Call& call) const {
  const std::string body_sha256 = sha256_of(call.body);
  for (int attempts = 1;; ++attempts) {
    S3Answer answer = attempt(call, body_sha256);
    if (!answer.never_arrived) reached_ = true;
    if (!passes(answer)) return answer;
    if (attempts >= (reached_ ? options_.attempts : std::min(kFirstAttempts, options_.attempts))) return answer;
    std::this_thread::sleep_for(pause_before(attempts - 1, options_, answer));
  }
}

Error S3Client::error(const S3Answer& answer) const {
  return s3_error(answer, options_.endpoint, options_.bucket);
}

Result<bool> S3Client::put(const std::string& key, std::string_view bytes, bool only_new) const {
  Call call{"PUT", key};
  call.body = bytes;
  if (only_new) call.headers.emplace_back("if-none-match", "*");
  const S3Answer answer = send(call);
  if (answer.good()) return true;
  if (only_new && (answer.status == 412 || answer.status == 409)) return false;
  return fail(error(answer));
}

Result<std::optional<std::string>> S3Client::get(const std::string& key, std::uint64_t offset,
                                                 std::uint64_t bytes) const {
  if (bytes == 0) return "";
  Call call{"GET", key};
  call.headers.emplace_back("range", fmt::format("bytes={}-{}", offset, offset + bytes - 1));
  call.expected = bytes;
  S3Answer answer = send(call);
  if (answer.good()) return std::move(answer.body);
  if (answer.status == 404 && answer.code() == "NoSuchKey") return std::nullopt;
  return fail(error(answer));
}

Result<std::optional<std::string>> S3Client::get(const std::string& key) const {
  S3Answer answer = send({"GET", key});
  if (answer.good()) return std::move(answer.body);
  if (answer.status == 404 && answer.code() == "NoSuchKey") return std::nullopt;
  return fail(error(answer));
}

Result<std::optional<std::uint64_t>> S3Client::size(const std::string& key) const {
  const S3Answer answer = send({"HEAD", key});
  if (answer.good()) return answer.length;
  if (answer.status == 404) return std::nullopt;
  return fail(error(answer));
}

Result<void> S3Client::remove(const std::string& key) const {
  const S3Answer answer = send({"DELETE", key});
  if (answer.good() || (answer.status == 404 && answer.code() == "NoSuchKey")) return {};
  return fail(error(answer));
}

Result<void> S3Client::list(const std::string& prefix, const std::function<Result<void>(const S3Object&)>& take) const {
  std::string last;
  do {
    Call call{"GET", ""};
    call.query = {{"list-type", "2"}, {"prefix", prefix}, {"max-keys", std::to_string(options_.page_keys)}};
    if (!last.empty()) call.query.emplace_back("start-after", last);
    const S3Answer answer = send(call);
    if (!answer.good()) return fail(error(answer));
    const auto entries = elements_of(answer.body, "Contents");
    for (const std::string_view entry : entries)
      LADE_TRY(take({element_of(entry, "Key"), number_of(element_of(entry, "Size")),
                     time_of(element_of(entry, "LastModified"))}));
    const bool more = element_of(answer.body, "IsTruncated") == "true" && !entries.empty();
    last = more ? element_of(entries.back(), "Key") : "";
  } while (!last.empty());
  return {};
}

Result<std::string> S3Client::begin_upload(const std::string& key) const {
  Call call{"POST", key};
  call.query = {{"uploads", ""}};
  const S3Answer answer = send(call);
  std::string id = element_of(answer.body, "UploadId");
  if (!answer.good() || id.empty()) return fail(error(answer));
  return id;
}

Result<std::string> S3Client::put_part(const std::string& key, const std::string& upload, int number,
                                       std::string_view bytes) const {
  Call call{"PUT", key};
  call.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}};
  call.body = bytes;
  S3Answer answer = send(call);
  if (!answer.good() || answer.etag.empty()) return fail(error(answer));
  return std::move(answer.etag);
}

Result<void> S3Client::finish_upload(const std::string& key, const std::string& upload,
                                     const std::vector<std::string>& tags, std::uint64_t bytes) const {
  const std::string document = parts_document(tags);
  Call call{"POST", key};
  call.query = {{"uploadId", upload}};
  call.body = document;
  call.may_fail_late = true;
  const S3Answer answer = send(call);
  if (answer.good()) return {};
  // An attempt whose answer was lost may have been the one that finished it.
  if (answer.code() == "NoSuchUpload" || passes(answer)) {
    LADE_ASSIGN(const auto found, size(key));
    if (found == bytes) return {};
  }
  return fail(error(answer));
}

Result<void> S3Client::abort_upload(const std::string& key, const std::string& upload) const {
  Call call{"DELETE", key};
  call.query = {{"uploadId", upload}};
  const S3Answer answer = send(call);
  if (answer.good() || answer.status == 404) return {};
  return fail(error(answer));
}

Result<std::vector<S3Upload>> S3Client::unfinished_uploads(const std::string& prefix) const {
  std::vector<S3Upload> uploads;
  std::string key, id;
  do {
    Call call{"GET", ""};
    call.query = {{"uploads", ""}, {"prefix", prefix}};
    if (!key.empty()) call.query.insert(call.query.end(), {{"key-marker", key}, {"upload-id-marker", id}});
    const S3Answer answer = send(call);
    if (answer.status == 501) return uploads;
    if (!answer.good()) return fail(error(answer));
    for (const std::string_view entry : elements_of(answer.body, "Upload"))
      uploads.push_back(
          {element_of(entry, "Key"), element_of(entry, "UploadId"), time_of(element_of(entry, "Initiated"))});
    const bool more = element_of(answer.body, "IsTruncated") == "true";
    key = more ? element_of(answer.body, "NextKeyMarker") : "";
    id = more ? element_of(answer.body, "NextUploadIdMarker") : "";
  } while (!key.empty());
  return uploads;
}

std::string S3Client::presigned(const std::string& method, const std::string& key, std::chrono::seconds expires,
                                const S3Fields& query) const {
  const S3Request request = request_of({method, key, query});
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return url_of(request, presigned_query(request, options_.keys, options_.region, expires, now));
}

}  // namespace lade::storage
