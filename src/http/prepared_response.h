#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "http/handler.h"
#include "http/request_parser.h"

namespace lade::http {

// A response as it goes over the wire: exactly one kind of body, or none.
struct PreparedResponse {
  int status = 0;
  std::string head;  // status line and fields, with the blank line
  bool keep_alive = false;

  std::string text = {};
  FileBody file = {};
  std::uint64_t first = 0;  // of the file
  std::uint64_t count = 0;
  std::shared_ptr<EventChannel> events = {};
};

// What the head of a response depends on beside the response. Of the request none may be known.
struct ResponseFacts {
  const Request* request = nullptr;
  bool http_1_1 = true;
  bool keep_alive = false;
};

// Frames the response: compresses texts, honours ranges, leaves bodies out where there is none. May take a while for
// large texts.
PreparedResponse prepare(Response response, const ResponseFacts& facts);

}  // namespace lade::http
