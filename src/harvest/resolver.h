#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "harvest/address_guard.h"

struct ares_channeldata;
struct ares_addrinfo;
struct curl_waitfd;

namespace lade::harvest {

struct ResolverOptions {
  std::string servers = {};                  // "127.0.0.1:5353,…"; empty: those of the system
  std::chrono::milliseconds timeout{3'000};  // of one question
  int tries = 2;
  std::chrono::seconds longest_kept{60};  // an answer is asked for again after it, or after its own time
};

// Names → addresses by c-ares, without blocking: getaddrinfo() cannot be broken off. All calls from one thread, which
// polls its sockets. Answers are kept for a while; whoever uses them checks them each time.
class Resolver {
 public:
  using Clock = std::chrono::steady_clock;
  struct Answer {
    std::vector<Address> addresses;  // empty: it failed
    bool is_unknown = false;         // there is no such host; otherwise nobody has answered
    std::string reason;
  };
  using Done = std::function<void(const Answer&)>;

  explicit Resolver(const ResolverOptions& options);
  ~Resolver();  // what is under way is not answered any more
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Calls `done` once, perhaps before it returns.
  void resolve(const std::string& host, Done done);

  void add_sockets(std::vector<curl_waitfd>& sockets) const;
  std::chrono::milliseconds wait_at_most(std::chrono::milliseconds longest) const;
  // After polling: `sockets` are those that add_sockets() has added.
  void process(const std::vector<curl_waitfd>& sockets);

 private:
  struct Question;
  struct Kept {
    Answer answer;
    Clock::time_point until;
  };
  struct Destroy {
    void operator()(ares_channeldata* channel) const;
  };
  static void on_answer(void* question, int status, int timeouts, ares_addrinfo* result);
  void answer(const Question& question, int status, const ares_addrinfo* result);

  const std::chrono::seconds longest_kept_;
  bool is_ending_ = false;
  std::unordered_map<std::string, Kept> kept_;
  std::unordered_map<std::string, std::unique_ptr<Question>> open_;
  std::unique_ptr<ares_channeldata, Destroy> channel_;
};

}  // namespace lade::harvest
