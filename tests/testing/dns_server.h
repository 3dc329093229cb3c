#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lade::testing {

// A name server on loopback that answers as a test likes, each time anew.
class DnsServer {
 public:
  // IPv4 and IPv6 addresses of the name, asked for the n-th time (from 0; the questions for both kinds count as one).
  // Empty: there is no such name.
  using Answer = std::function<std::vector<std::string>(const std::string& name, int time)>;

  explicit DnsServer(Answer answer);
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;
  ~DnsServer();

  // 127.0.0.1:port
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // How often the name was asked for.
  int times(const std::string& name) const;

 private:
  void run();
  std::string answer_to(const std::string& question);

  Answer answer_;
  int socket_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int> times_;  // guarded by mutex_; by name and type
  std::jthread thread_;
};

}  // namespace lade::testing
