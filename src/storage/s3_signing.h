#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// AWS Signature Version 4, as S3 and what speaks like it want it. Pure functions: the time is given.
namespace lade::storage {

struct S3Keys {
  std::string access;
  std::string secret;
  std::string session = {};  // of temporary keys; empty: none
};

using S3Fields = std::vector<std::pair<std::string, std::string>>;
using S3Time = std::chrono::sys_seconds;

struct S3Request {
  std::string method;
  std::string host;       // with its port, unless that is the usual one
  std::string path;       // escaped, beginning with a slash
  S3Fields query = {};    // not escaped
  S3Fields headers = {};  // names in lower case; host is added
};

// Everything but letters, digits and -_.~ as %XX; slashes of a path stay.
std::string s3_escaped(std::string_view text, bool is_path = false);
// a=1&b=2, escaped and in the order in which it is signed.
std::string s3_query(const S3Fields& query);

// The headers that make the request one of the keys' owner: host, x-amz-date, x-amz-content-sha256, the session's
// token, and authorization, which signs these and all that the request has.
S3Fields signed_headers(const S3Request& request, const S3Keys& keys, const std::string& region,
                        const std::string& body_sha256, S3Time now);

// A query that lets whoever has the address send this one request, its headers included, until it expires.
std::string presigned_query(const S3Request& request, const S3Keys& keys, const std::string& region,
                            std::chrono::seconds expires, S3Time now);

}  // namespace lade::storage
