#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

struct curl_slist;

// A server of lade's, asked over HTTP.
namespace lade::remote {

struct ServerAddress {
  std::string url;    // https://lade.example.com or http://127.0.0.1:8080, with a path in front when there is one
  std::string token;  // of the API; empty: none
  std::string ca_file = {};  // certificates to trust instead of the system's
};

// A file that is sent as the body itself, read from its beginning while it is sent.
struct Upload {
  const File& file;
  std::uint64_t bytes = 0;
  std::function<void(std::uint64_t sent)> on_sent = {};  // told again and again
};

using Names = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string path;  // /api/v1/…: what is not fixed goes through escaped()
  Names query = {};  // those with an empty value are left out
  Names headers = {};
  std::string body = {};
  std::string content_type = "application/json";
  const Upload* upload = nullptr;  // instead of the body
  ByteSink* sink = nullptr;        // takes the body of a good answer
  std::stop_token stop = {};       // ends it as cancelled
};

struct Answer {
  int status = 0;
  std::string body;
  // Fails with server_answer_invalid.
  Result<boost::json::value> json() const;
};

struct Habits {
  std::chrono::milliseconds patience =
      std::chrono::minutes(5);                        // how long a server that has answered before may be gone
  std::chrono::milliseconds pause{500};               // between two attempts
  std::function<void(const Error&)> on_waiting = {};  // told once each time that it is gone
};

// One connection, kept alive; belongs to one thread. Every request that changes something carries an Idempotency-Key,
// so when a connection breaks the request is sent again, and carried out once.
class Client {
 public:
  // Fails with server_url_invalid.
  static Result<Client> create(ServerAddress address, Habits habits = {});
  Client(Client&&) noexcept;
  ~Client();

  // Errors of the server are those that the same command would have without it: code, message, hint and kind. Fails
  // with server_unreachable and cancelled, too. Memory does not grow with uploads and sinks.
  Result<Answer> send(Request request);
  // send() for what answers with JSON.
  Result<boost::json::value> ask(Request request);

 private:
  class Transfer;
  struct Handle;
  Client(ServerAddress address, Habits habits, std::unique_ptr<Handle> handle);
  void prepare(const Request& request, const std::string& url, curl_slist* headers);
  Result<Answer> attempt(const Request& request);

  ServerAddress address_;
  Habits habits_;
  std::unique_ptr<Handle> handle_;
  bool reached_ = false;  // the server was there before
};

// One segment of a path.
std::string escaped(std::string_view text);

}  // namespace lade::remote
