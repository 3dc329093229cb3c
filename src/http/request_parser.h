#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

// Bytes → requests, strictly: what two servers could read in two ways is refused with request_invalid.
namespace lade::http {

struct RequestHead {
  Request request;
  bool http_1_1 = true;
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  std::optional<std::uint64_t> content_length = {};

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// The length of the head that `bytes` begin with, its blank line included; 0 when its end is not there yet. `scanned`
// remembers, from call to call, how far bytes were looked at.
Result<std::size_t> head_length(std::string_view bytes, std::size_t& scanned);

// One request: its head, then its body when that comes in chunks.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();

  // `head` is what head_length() has found.
  Result<RequestHead> parse_head(std::string_view head);

  struct Decoded {
    std::size_t taken = 0;  // of the bytes
    std::size_t made = 0;   // bytes of the body
    bool ended = false;     // the last chunk and the trailer are in
  };
  // Decodes as much as there is and as there is room for. Nothing taken: more bytes are needed.
  Result<Decoded> decode(std::string_view bytes, std::span<char> into);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace lade::http
