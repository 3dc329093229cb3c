#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/file.h"
#include "http/event_channel.h"

namespace lade::http {

// The fields of a message's head, in their order. Names are compared without regard to case.
class Headers {
 public:
  // The first value; empty when there is none.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  // Replaces all of that name.
  void set(std::string_view name, std::string value);
  void add(std::string name, std::string value) { all_.emplace_back(std::move(name), std::move(value)); }
  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

struct Request {
  std::string method;  // GET, PUT … as sent
  std::string path;    // as sent, without the query; segments are decoded by segments_of()
  std::string query;   // as sent, without the question mark
  Headers headers = {};
  std::string peer = {};   // the other side's address, without its port
  bool secure = false;     // came over TLS
  std::string id = {};     // of this request, for logs and answers
  std::string route = {};  // for whoever handles it to fill in: what was asked for, without ids
};

// The path cut at its slashes, each segment percent-decoded; nullopt when an escape is wrong or a NUL is among them.
std::optional<std::vector<std::string>> segments_of(std::string_view path);
// Names and values of a query or of a form, decoded, in their order; nullopt when an escape is wrong.
using Parameters = std::vector<std::pair<std::string, std::string>>;
std::optional<Parameters> parameters_of(std::string_view query);

// A stored file as the body: ranges that the request asks for are honoured.
struct FileBody {
  File file;
  std::uint64_t bytes = 0;
};

struct Response {
  int status = 200;
  Headers headers = {};
  // An event channel is sent as text/event-stream until it is closed or the client has gone.
  std::variant<std::string, FileBody, std::shared_ptr<EventChannel>> body = {};
};

}  // namespace lade::http
