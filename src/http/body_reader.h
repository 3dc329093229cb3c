#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "http/request_parser.h"
#include "http/server.h"
#include "http/stream.h"

// Inside the module only.
namespace lade::http {

// The body of one request, as it comes in.
class BodyReader {
 public:
  // `buffered` is what was read behind the head; what is left in it afterwards belongs to the next request.
  BodyReader(Stream& stream, std::string& buffered, RequestParser& parser, const RequestHead& head,
             const Limits& limits);

  void set_limit(std::uint64_t most_bytes) { most_bytes_ = most_bytes; }
  // The next bytes; 0 at the end of the body. Fails with body_too_large, request_timeout (the client is too slow),
  // request_invalid (its chunks) and client_gone.
  Task<Result<std::size_t>> read_some(std::span<char> into);

  bool ended() const { return ended_; }
  std::uint64_t bytes() const { return bytes_; }
  // Whether at most so much is known to be missing.
  bool lacks_at_most(std::uint64_t count) const { return ended_ || (!chunked_ && left_ <= count); }

 private:
  Task<Result<std::size_t>> read_known(std::span<char> into);
  Task<Result<std::size_t>> read_chunked(std::span<char> into);
  Task<Result<std::size_t>> receive(std::span<char> into);
  // Judges the rate once enough time has been waited.
  bool was_too_slow();
  Error too_large() const;
  Error too_slow() const;
  Error gone() const;

  Stream& stream_;
  std::string& buffered_;
  RequestParser& parser_;
  const Limits& limits_;
  const bool chunked_;
  std::uint64_t left_ = 0;  // of a body of known length
  std::uint64_t bytes_ = 0;
  std::uint64_t most_bytes_ = std::numeric_limits<std::uint64_t>::max();
  bool ended_ = false;
  // What came, and how long it was waited for, since the rate was last judged.
  std::uint64_t judged_bytes_ = 0;
  Clock::duration judged_time_{};
};

}  // namespace lade::http
