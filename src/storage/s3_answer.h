#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lade::storage {

// What came back of one request, or why nothing did.
struct S3Answer {
  std::string broken;          // the connection's fault; empty: the answer is whole
  bool never_arrived = false;  // broken before anything was sent
  bool is_about_tls = false;   // certificates do not get better by waiting
  long status = 0;
  std::string body;
  std::string etag;
  std::string date;          // the storage's clock
  std::string retry_after;   // seconds
  std::uint64_t length = 0;  // Content-Length

  bool good() const { return broken.empty() && status >= 200 && status < 300; }
  // <Code> of an error; empty when there is none.
  std::string code() const;
};

// Whether the same request may well succeed a moment later.
bool passes(const S3Answer& answer);

// An answer that is no success, for people: what was asked of which place. Never has keys in it.
Error s3_error(const S3Answer& answer, std::string_view endpoint, std::string_view bucket);

// The answers of S3 are flat XML: the text of the first element of this name, or nothing.
std::string element_of(std::string_view xml, std::string_view name);
// What stands in each element of this name.
std::vector<std::string_view> elements_of(std::string_view xml, std::string_view name);

}  // namespace lade::storage
