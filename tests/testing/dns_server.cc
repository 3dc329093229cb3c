#include "testing/dns_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace lade::testing {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr int kIpv4 = 1;
constexpr int kIpv6 = 28;

void put(std::string& text, int value) {
  text += static_cast<char>(value >> 8);
  text += static_cast<char>(value & 255);
}

}  // namespace

DnsServer::DnsServer(Answer answer)
    : answer_(std::move(answer)), socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this] { run(); });
}

DnsServer::~DnsServer() {
  // An empty datagram to itself ends it.
  sockaddr_in address{.sin_family = AF_INET,
                      .sin_port = htons(static_cast<std::uint16_t>(port_)),
                      .sin_addr = {htonl(INADDR_LOOPBACK)},
                      .sin_zero = {}};
  sendto(socket_, "", 0, 0, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  thread_.join();
  close(socket_);
}

void DnsServer::run() {
  for (;;) {
    char bytes[512];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t count = recvfrom(socket_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (count <= 0) return;
    if (static_cast<std::size_t>(count) < kHeaderBytes + 5) continue;
    const std::string answer = answer_to({bytes, static_cast<std::size_t>(count)});
    sendto(socket_, answer.data(), answer.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
  }
}

std::string DnsServer::answer_to(const std::string& question) {
  std::string name;
  std::size_t at = kHeaderBytes;
  while (at < question.size() && question[at] != '\0') {
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(question[at]));
    name += (name.empty() ? "" : ".") + question.substr(at + 1, length);
    at += 1 + length;
  }
  const int type = static_cast<unsigned char>(question[at + 2]);
  int time = 0;
  {
    const std::lock_guard lock(mutex_);
    time = times_[{name, type}]++;
  }
  const std::vector<std::string> addresses = answer_(name, time);
  std::string records;
  int count = 0;
  for (const std::string& address : addresses) {
    const bool is_ipv6 = address.find(':') != std::string::npos;
    if (type != (is_ipv6 ? kIpv6 : kIpv4)) continue;
    char bytes[16];
    EXPECT_EQ(inet_pton(is_ipv6 ? AF_INET6 : AF_INET, address.c_str(), bytes), 1) << address;
    put(records, 0xc00c);  // the name of the question
    put(records, type);
    put(records, 1);
    put(records, 0);
    put(records, 0);  // not to be kept
    put(records, is_ipv6 ? 16 : 4);
    records.append(bytes, is_ipv6 ? 16 : 4);
    ++count;
  }
  std::string answer = question.substr(0, 2);
  put(answer, addresses.empty() ? 0x8183 : 0x8180);
  put(answer, 1);
  put(answer, count);
  put(answer, 0);
  put(answer, 0);
  return answer + question.substr(kHeaderBytes, at + 5 - kHeaderBytes) + records;
}

int DnsServer::times(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  int most = 0;
  for (const auto& [asked, times] : times_)
    if (asked.first == name) most = std::max(most, times);
  return most;
}

}  // namespace lade::testing
