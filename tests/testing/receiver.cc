#include "testing/receiver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace lade::testing {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";

// More of what comes; false at its end.
bool read_more(int connection, std::string& text) {
  char bytes[4096];
  const ssize_t count = recv(connection, bytes, sizeof bytes, 0);
  if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

Receiver::Request head_of(std::string_view head) {
  Receiver::Request request;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string_view line = head.substr(begin, end - begin);
    begin = end + 2;
    const std::size_t colon = line.find(": ");
    if (request.line.empty()) {
      request.line = line;
    } else if (colon != std::string_view::npos) {
      std::string name(line.substr(0, colon));
      std::ranges::transform(name, name.begin(), [](char letter) { return static_cast<char>(std::tolower(letter)); });
      request.headers[name] = line.substr(colon + 2);
    }
  }
  return request;
}

std::optional<Receiver::Request> read_request(int connection) {
  std::string text;
  while (text.find(kEndOfHead) == std::string::npos)
    if (!read_more(connection, text)) return std::nullopt;
  const std::size_t end = text.find(kEndOfHead);
  Receiver::Request request = head_of(std::string_view(text).substr(0, end));
  request.body = text.substr(end + kEndOfHead.size());
  while (request.body.size() < std::stoul(request.headers["content-length"]))
    if (!read_more(connection, request.body)) return std::nullopt;
  return request;
}

}  // namespace

Receiver::Receiver() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener_, 64), 0);
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
}

Receiver::~Receiver() {
  shutdown(listener_, SHUT_RDWR);  // ends accept()
  if (thread_.joinable()) thread_.join();
  for (const int connection : left_open_) close(connection);
  close(listener_);
}

void Receiver::serve(Answer answer) {
  answer_ = std::move(answer);
  thread_ = std::jthread([this] { run(); });
}

void Receiver::serve_statuses(std::vector<int> statuses) {
  serve([statuses = std::move(statuses), next = std::size_t{0}](const Request&) mutable {
    const std::size_t at = std::min(next++, statuses.size() - 1);
    return answer(statuses[at]);
  });
}

void Receiver::run() {
  for (;;) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    take(connection);
  }
}

void Receiver::take(int connection) {
  auto request = read_request(connection);
  const std::optional<std::string> bytes = request ? answer_(*request) : std::optional<std::string>("");
  if (request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(*request));
    changed_.notify_all();
  }
  if (!bytes) {
    left_open_.push_back(connection);
    return;
  }
  // Whoever has heard enough may be gone.
  (void)!send(connection, bytes->data(), bytes->size(), MSG_NOSIGNAL);
  close(connection);
}

std::vector<Receiver::Request> Receiver::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool Receiver::gets(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return requests_.size() >= count; });
}

std::string Receiver::answer(int status, const std::string& body, const std::string& headers) {
  return fmt::format("HTTP/1.1 {} Status\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status, body.size(),
                     headers, body);
}

}  // namespace lade::testing
