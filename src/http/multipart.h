#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::http {

// A part of a multipart/form-data body.
struct Part {
  std::string name;
  std::optional<std::string> file_name;  // as sent; never a path of ours
  std::string content_type;
};

// The boundary of a multipart/form-data content type; nullopt when it is another type or has none that is allowed.
std::optional<std::string> boundary_of(std::string_view content_type);

// Cuts a body into its parts, piece by piece, with constant memory: the heads of parts are limited to 16 KB, their
// number to 100.
class MultipartReader {
 public:
  class Consumer {
   public:
    virtual ~Consumer() = default;
    virtual Result<void> begin(const Part& part) = 0;
    virtual Result<void> data(std::string_view piece) = 0;
    virtual Result<void> end() = 0;
  };

  MultipartReader(std::string boundary, Consumer& consumer);
  // Fails with multipart_invalid, or with what the consumer says.
  Result<void> feed(std::string_view piece);
  // The body has ended; fails with multipart_invalid when its last boundary is missing.
  Result<void> finish();

 private:
  // for the implementer
};

}  // namespace lade::http
