#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace lade::testing {

// An answer as it came over the wire. Names of fields are in lower case.
struct HttpAnswer {
  int status = 0;  // 0: the connection ended without one
  std::map<std::string, std::string> fields;
  std::string body;
};

// A client that sends what it is told, byte by byte if need be, so that tests can say what no library would.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port, int receive_buffer_bytes = 0) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval most{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    if (receive_buffer_bytes > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() { close(); }

  bool connected() const { return connected_; }
  int descriptor() const { return socket_; }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }

  // False when the other side has gone.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // The next answer. Its body goes to its Content-Length, or to the end of the connection.
  HttpAnswer answer(bool to_head = false) {
    HttpAnswer answer;
    const std::string head = until("\r\n\r\n");
    if (!head.starts_with("HTTP/1.1 ")) return answer;
    answer.status = std::stoi(head.substr(9, 3));
    for (std::size_t at = head.find("\r\n") + 2; at < head.size() - 2;) {
      const std::size_t end = head.find("\r\n", at), colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      answer.fields[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    if (to_head || answer.status < 200 || answer.status == 204 || answer.status == 304) return answer;
    const auto length = answer.fields.find("content-length");
    answer.body = length != answer.fields.end() ? exactly(std::stoull(length->second)) : rest();
    return answer;
  }
  HttpAnswer ask(std::string_view text) {
    send(text);
    return answer();
  }

  // Up to and including this text; what came when the connection ended without it.
  std::string until(std::string_view end) {
    for (;;) {
      if (const std::size_t found = received_.find(end); found != std::string::npos) return take(found + end.size());
      if (!receive()) return take(received_.size());
    }
  }
  std::string exactly(std::size_t count) {
    while (received_.size() < count && receive()) {
    }
    return take(std::min(count, received_.size()));
  }
  // All that comes until the other side ends.
  std::string rest() {
    while (receive()) {
    }
    return take(received_.size());
  }
  // The other side has ended, and has said nothing more.
  bool at_end() { return received_.empty() && !receive() && !timed_out_; }

 private:
  bool receive() {
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    timed_out_ = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    EXPECT_FALSE(timed_out_) << "nothing came for 20 seconds; so far: " << received_;
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    std::string taken = received_.substr(0, count);
    received_.erase(0, count);
    return taken;
  }

  int socket_ = -1;
  bool connected_ = false;
  bool timed_out_ = false;
  std::string received_;
};

}  // namespace lade::testing
