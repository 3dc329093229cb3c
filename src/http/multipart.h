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
  enum class Place { preamble, boundary, head, data, epilogue };

  Result<void> step(std::string_view& piece);
  Result<void> take_text(std::string_view& piece);
  Result<void> take_boundary(std::string_view& piece);
  Result<void> take_head(std::string_view& piece);
  Result<void> give(std::string_view data);
  void expect_delimiter(Place place);

  const std::string delimiter_;  // with the line end before it, which is not data
  Consumer& consumer_;
  Place place_ = Place::preamble;
  std::size_t matched_ = 0;  // bytes of the delimiter at the end of what was fed
  std::size_t implied_ = 0;  // so many of them were not in the body: it may begin with a boundary, and so may data
  std::string line_;         // what follows a boundary
  std::string head_;
  std::size_t parts_ = 0;
};

}  // namespace lade::http
