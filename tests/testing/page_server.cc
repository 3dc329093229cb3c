#include "testing/page_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace lade::testing {
namespace {

// One who begins to speak TLS is told in plain words that nobody understands it.
bool speaks_tls(int connection) {
  constexpr char kHandshake = 22;
  char first = 0;
  return recv(connection, &first, 1, MSG_PEEK) == 1 && first == kHandshake;
}

bool read_head(int connection, std::string& head) {
  while (!head.ends_with("\r\n\r\n")) {
    char letter = 0;
    if (recv(connection, &letter, 1, 0) != 1) return false;
    head += letter;
  }
  return true;
}

PageServer::Request request_of(std::string_view head) {
  PageServer::Request request;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string_view line = head.substr(begin, end - begin);
    begin = end + 2;
    const std::size_t colon = line.find(": ");
    if (request.path.empty()) {
      const std::size_t space = line.find(' ');
      request.path = line.substr(space + 1, line.rfind(' ') - space - 1);
    } else if (colon != std::string_view::npos) {
      std::string name(line.substr(0, colon));
      for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      request.headers[name] = line.substr(colon + 2);
    }
  }
  return request;
}

}  // namespace

bool PageServer::Peer::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void PageServer::Peer::wait_closed() const {
  char letter = 0;
  while (recv(connection_, &letter, 1, 0) > 0) {
  }
}

void PageServer::Peer::reset() const {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(connection_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

PageServer::PageServer(Answer answer, bool keeps)
    : answer_(std::move(answer)), keeps_(keeps), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener_, 512), 0);
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this] { accept_all(); });
}

PageServer::~PageServer() {
  shutdown(listener_, SHUT_RDWR);  // ends accept()
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int connection : open_) shutdown(connection, SHUT_RDWR);
  }
  threads_.clear();
  close(listener_);
}

void PageServer::accept_all() {
  for (;;) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.insert(connection);
    threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void PageServer::serve(int connection) {
  if (speaks_tls(connection)) {
    Peer(connection).send("HTTP/1.1 400 Bad Request\r\n\r\n");
  } else {
    std::string head;
    while (read_head(connection, head)) {
      const Request request = request_of(std::exchange(head, {}));
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(request.path);
      }
      answer_(request, Peer(connection));
      if (!keeps_) break;
    }
  }
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
  close(connection);
}

std::string PageServer::url(std::string_view path, std::string_view host) const {
  return fmt::format("http://{}:{}{}", host, port_, path);
}

std::vector<std::string> PageServer::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

std::string PageServer::page(std::string_view body, std::string_view headers, int status) {
  return fmt::format("HTTP/1.1 {} Status\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status, body.size(),
                     headers, body);
}

}  // namespace lade::testing
