#include "storage/bucket_url.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "storage/storage_id.h"

namespace lade::storage {
namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::size_t kLargestKeysFile = 64 * 1024;

Error invalid(std::string_view url, std::string_view why) {
  return {"storage_url_invalid", fmt::format("'{}': {}", url, why),
          "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION", ErrorKind::usage};
}

Error keys_missing(std::string message) {
  return {"storage_keys_missing", std::move(message),
          "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE to a file that has them",
          ErrorKind::usage};
}

bool consists_of(std::string_view text, std::string_view marks) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

Result<void> check_endpoint(std::string_view url, std::string& endpoint) {
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const std::size_t host = endpoint.starts_with("https://") ? 8 : endpoint.starts_with("http://") ? 7 : 0;
  if (host == 0 || host == endpoint.size() || !consists_of(std::string_view(endpoint).substr(host), ".-:[]"))
    return fail(invalid(url, fmt::format("the endpoint '{}' is no http:// or https:// address of a host", endpoint)));
  return {};
}

Result<void> take_parameters(std::string_view url, std::string_view query, BucketOptions& options,
                             std::optional<bool>& path_style) {
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string_view name = parameter.substr(0, equals);
    const std::string value(parameter.substr(std::min(parameter.size(), equals + 1)));
    if (name == "endpoint" && !value.empty()) {
      options.s3.endpoint = value;
    } else if (name == "region") {
      options.s3.region = value;
    } else if (name == "ca_file") {
      options.s3.ca_file = value;
    } else if (name == "path_style" && (value == "true" || value == "false")) {
      path_style = value == "true";
    } else {
      return fail(invalid(
          url.substr(0, url.find('?')),
          fmt::format("'{}' is no parameter with a value; there are endpoint, region, path_style, ca_file", name)));
    }
  }
  return {};
}

// A file as Amazon's tools have it: [default], then aws_access_key_id = … and so on.
Result<S3Keys> read_keys(const std::string& path, const std::string& profile) {
  LADE_ASSIGN(const File file, File::open(path));
  std::string text(kLargestKeysFile, '\0');
  LADE_ASSIGN(const std::size_t size, file.read_at(0, text));
  text.resize(size);
  S3Keys keys;
  std::string_view rest = text, section;
  while (!rest.empty()) {
    const std::string_view line = trimmed(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), std::min(rest.find('\n'), rest.size()) + 1));
    if (line.starts_with('[') && line.ends_with(']')) section = trimmed(line.substr(1, line.size() - 2));
    const std::size_t equals = line.find('=');
    if (section != profile || equals == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") keys.access = value;
    if (name == "aws_secret_access_key") keys.secret = value;
    if (name == "aws_session_token") keys.session = value;
  }
  if (keys.access.empty() || keys.secret.empty())
    return fail(keys_missing(fmt::format("{}: there are no keys in the section [{}]", path, profile)));
  return keys;
}

Result<S3Keys> keys_of(const Setting& setting) {
  const auto access = setting("AWS_ACCESS_KEY_ID"), secret = setting("AWS_SECRET_ACCESS_KEY");
  if (access && secret) return S3Keys{*access, *secret, setting("AWS_SESSION_TOKEN").value_or("")};
  if (const auto path = setting("AWS_SHARED_CREDENTIALS_FILE"))
    return read_keys(*path, setting("AWS_PROFILE").value_or("default"));
  return fail(keys_missing("the storage is a bucket, and there are no keys for it"));
}

}  // namespace

bool is_bucket_url(std::string_view text) {
  return text.starts_with(kScheme);
}

Result<BucketOptions> parse_bucket_url(std::string_view url, const Setting& setting) {
  BucketOptions options;
  const std::size_t question = std::min(url.find('?'), url.size());
  const std::string_view place = url.substr(0, question);
  if (!is_bucket_url(url)) return fail(invalid(place, "it does not begin with s3://"));
  if (place.find('@') != std::string_view::npos) return fail(invalid(kScheme, "keys do not stand in the address"));
  const std::string_view path = place.substr(kScheme.size());
  const std::size_t slash = std::min(path.find('/'), path.size());
  options.s3.bucket = path.substr(0, slash);
  options.prefix = path.substr(std::min(path.size(), slash + 1));
  if (options.s3.bucket.size() < 3 || options.s3.bucket.size() > 63 || !consists_of(options.s3.bucket, ".-_"))
    return fail(invalid(place, "a bucket's name has 3 to 63 letters, digits, dots and hyphens"));
  if (!is_prefix(options.prefix))
    return fail(invalid(place, "a prefix has letters, digits and ._- between single slashes"));
  if (!options.prefix.empty() && !options.prefix.ends_with('/')) options.prefix += '/';
  options.s3.region = setting("AWS_REGION").value_or("us-east-1");
  options.s3.endpoint = setting("AWS_ENDPOINT_URL").value_or("");
  std::optional<bool> path_style;
  if (question < url.size()) LADE_TRY(take_parameters(url, url.substr(question + 1), options, path_style));
  if (options.s3.region.empty() || !consists_of(options.s3.region, "-_"))
    return fail(invalid(place, fmt::format("'{}' is no name of a region", options.s3.region)));
  options.s3.path_style = path_style.value_or(!options.s3.endpoint.empty());
  if (options.s3.endpoint.empty()) options.s3.endpoint = fmt::format("https://s3.{}.amazonaws.com", options.s3.region);
  LADE_TRY(check_endpoint(place, options.s3.endpoint));
  LADE_ASSIGN(options.s3.keys, keys_of(setting));
  return options;
}

}  // namespace lade::storage
