#pragma once

#include <chrono>
#include <string>

namespace lade::harvest {

// What a gate says to one who wants to begin a request.
struct Permit {
  enum class Answer {
    admitted,   // go; release() follows when the request has ended
    wait,       // the host has had its share of requests for now
    host_busy,  // as many requests to the host as are allowed are under way
    all_busy,   // as many requests as are allowed are under way in all
  };
  Answer answer = Answer::admitted;
  std::chrono::milliseconds ask_again{0};  // after this time; for the busy also as soon as a request has ended
};

// Who decides when the next request to a host may begin: how many in a minute, how many at once. One gate may speak
// for all nodes (through a database) or for one process (politeness.h). The fetcher asks before each request (pages,
// each redirect, robots.txt), in the order in which they came, on its own thread: a gate answers at once and says
// `wait` while it must find out.
class RateGate {
 public:
  virtual ~RateGate() = default;
  virtual Permit ask(const std::string& host) = 0;
  // A request that was admitted has ended.
  virtual void release(const std::string& host) = 0;
  // The host has asked for peace (429, 503 with Retry-After).
  virtual void hold(const std::string& host, std::chrono::milliseconds pause) = 0;
};

}  // namespace lade::harvest
