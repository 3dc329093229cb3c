#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "base/result.h"
#include "http/message.h"

// Who answers requests. All of this is called on the server's handler threads and may block for a database or a disk;
// waiting for a client never holds such a thread.
namespace lade::http {

// Takes a body of any size piece by piece. Destroyed without finish(): the body broke off, and nothing may remain.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // An error ends the request with the answer that Handler::refuse() makes of it.
  virtual Result<void> write(std::string_view piece) = 0;
  // The body is in, whole.
  virtual Response finish() = 0;
};

// What becomes of a request once its head is in:
struct WholeBody {  // a small body, as one text
  std::uint64_t most_bytes;
  std::function<Response(std::string body)> answer;
};
struct StreamedBody {  // a body of any size
  std::uint64_t most_bytes;
  std::unique_ptr<BodySink> sink;
};
using Reception = std::variant<Response, WholeBody, StreamedBody>;  // a Response: the body is not read

class Handler {
 public:
  virtual ~Handler() = default;
  // The request lives until it is answered. A body larger than `most_bytes` is refused with body_too_large before it is
  // read, or as soon as it is seen to be.
  virtual Reception receive(Request& request) = 0;
  // The answer to what went wrong below it. Codes of this module: request_invalid, header_too_large, body_too_large,
  // request_timeout, length_required, too_many_connections, internal_error (a handler threw).
  virtual Response refuse(const Request* request, const Error& error) = 0;
  // After every request, with the status that was sent (0: the client had gone).
  virtual void done(const Request& request, int status, double seconds, std::uint64_t bytes_in,
                    std::uint64_t bytes_out) = 0;
};

}  // namespace lade::http
