#include "storage/s3_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/moment.h"

namespace lade::storage {
namespace {

constexpr std::size_t kLongestText = 200;

// The character of an entity such as amp or #x27; nullopt for those that have none here.
std::optional<char> character_of(std::string_view entity) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"amp", '&'}};
  for (const auto& [name, character] : kNames)
    if (entity == name) return character;
  if (!entity.starts_with('#')) return std::nullopt;
  entity.remove_prefix(1);
  const int base = entity.starts_with('x') ? 16 : 10;
  if (base == 16) entity.remove_prefix(1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(entity.data(), entity.data() + entity.size(), number, base);
  if (error != std::errc() || end != entity.data() + entity.size() || number > 127) return std::nullopt;
  return static_cast<char>(number);
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
    const auto character =
        end == std::string_view::npos ? std::nullopt : character_of(text.substr(at + 1, end - at - 1));
    plain += character.value_or(text[at]);
    if (character) at = end;
  }
  return plain;
}

// One short line of what a stranger has written.
std::string flat(std::string text) {
  text.resize(std::min(text.size(), kLongestText));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text;
}

Error unreachable(std::string message) {
  return {"storage_unreachable", std::move(message), "check the endpoint, and whether the storage runs there",
          ErrorKind::cannot_connect};
}

Error skewed(const S3Answer& answer, std::string_view endpoint) {
  std::string theirs = element_of(answer.body, "ServerTime");
  if (theirs.empty()) theirs = answer.date;
  return {"storage_clock_skew",
          fmt::format("{}: the clocks differ: here it is {}, there it is {}", endpoint, to_text(now()), flat(theirs)),
          "set the clock of this machine", ErrorKind::cannot_connect};
}

Error refused(const std::string& code, std::string_view endpoint, std::string_view bucket) {
  std::string_view why = "the keys give no right to what was asked for";
  if (code == "SignatureDoesNotMatch") why = "the secret key is wrong";
  if (code == "InvalidAccessKeyId") why = "the access key is not known there";
  if (code == "ExpiredToken" || code == "InvalidToken") why = "the session's token is not valid any more";
  return {"storage_refused", fmt::format("{}: bucket {}: {} ({})", endpoint, bucket, why, code.empty() ? "403" : code),
          "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the rights of their owner", ErrorKind::invalid};
}

}  // namespace

std::string element_of(std::string_view xml, std::string_view name) {
  const auto found = elements_of(xml, name);
  return found.empty() ? std::string() : decoded(found.front());
}

std::vector<std::string_view> elements_of(std::string_view xml, std::string_view name) {
  const std::string opening = fmt::format("<{}>", name), closing = fmt::format("</{}>", name);
  std::vector<std::string_view> found;
  for (std::size_t at = 0;;) {
    const std::size_t begin = xml.find(opening, at);
    if (begin == std::string_view::npos) return found;
    const std::size_t end = xml.find(closing, begin);
    if (end == std::string_view::npos) return found;
    found.push_back(xml.substr(begin + opening.size(), end - begin - opening.size()));
    at = end + closing.size();
  }
}

std::string S3Answer::code() const {
  return body.find("<Error") == std::string::npos ? std::string() : flat(element_of(body, "Code"));
}

bool passes(const S3Answer& answer) {
  if (!answer.broken.empty()) return !answer.is_about_tls;
  switch (answer.status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504: return true;
    default: break;
  }
  if (answer.good()) return false;
  // Some errors come with a status that says otherwise.
  const std::string code = answer.code();
  return code == "RequestTimeout" || code == "SlowDown" || code == "InternalError" || code == "OperationAborted" ||
         code == "IncompleteBody";
}

Error s3_error(const S3Answer& answer, std::string_view endpoint, std::string_view bucket) {
  if (!answer.broken.empty()) return unreachable(fmt::format("{}: {}", endpoint, answer.broken));
  const std::string code = answer.code();
  if (passes(answer)) return unreachable(fmt::format("{}: it answers {} {}", endpoint, answer.status, code));
  if (code == "RequestTimeTooSkewed") return skewed(answer, endpoint);
  if (answer.status == 401 || answer.status == 403) return refused(code, endpoint, bucket);
  if (code == "NoSuchBucket")
    return {"storage_bucket_missing", fmt::format("{}: there is no bucket {}", endpoint, bucket),
            "make the bucket, or name another one", ErrorKind::invalid};
  return {"storage_failed",
          fmt::format("{}: bucket {}: it answers {} {} {}", endpoint, bucket, answer.status, code,
                      flat(element_of(answer.body, "Message"))),
          "check the endpoint, the region and the bucket"};
}

}  // namespace lade::storage
