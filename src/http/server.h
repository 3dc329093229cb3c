#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/handler.h"

namespace lade::http {

struct Tls {
  std::string certificate_file;  // PEM, with the chain
  std::string key_file;          // PEM
};

struct Limits {
  std::size_t header_bytes = 16 * 1024;
  std::chrono::milliseconds header_time{10'000};  // from the first byte (or the connect) to the end of the head
  std::chrono::milliseconds idle_time{60'000};    // between two requests of a connection
  std::uint64_t body_bytes_a_second = 1024;       // slower ones are ended with request_timeout …
  std::chrono::milliseconds body_grace{10'000};   // … measured over so long a time of waiting for the client
  std::chrono::milliseconds send_time{30'000};    // without the client taking anything
  std::chrono::milliseconds event_time{15'000};   // an event stream without events gets a comment this often
  std::size_t connections_per_address = 512;
  std::size_t connections = 16'384;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  // 0: any that is free
  unsigned io_threads = 1;
  unsigned handler_threads = 8;
  std::optional<Tls> tls = {};
  Limits limits = {};
};

// A server for HTTP/1.1. The handler outlives it.
class Server {
 public:
  // Listens when this returns. Fails with cannot_listen and with tls_invalid.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler& handler);
  // As drain() without patience.
  ~Server();

  std::uint16_t port() const;
  std::size_t connections() const;

  // Takes no new connections, ends event streams and idle connections, lets running requests finish, at most so long.
  // Gives whether all did.
  bool drain(std::chrono::milliseconds most);

 private:
  struct Inside;
  explicit Server(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace lade::http
