#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lade::testing {

// Somebody else's HTTP server, on loopback: takes one request per connection and answers as the test says.
class Receiver {
 public:
  struct Request {
    std::string line;                            // POST /hook HTTP/1.1
    std::map<std::string, std::string> headers;  // names in small letters
    std::string body;
  };
  // Gives the answer as it goes over the wire; empty closes the connection, nullopt leaves it open without a word.
  using Answer = std::function<std::optional<std::string>(const Request&)>;

  // Listens: whoever connects waits for serve().
  Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver();

  // Starts the thread that answers.
  void serve(Answer answer);
  // Answers with these statuses one after another, then always with the last.
  void serve_statuses(std::vector<int> statuses);

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/hook"; }
  std::vector<Request> requests() const;
  // Waits for so many requests; false after a time in which they should have come.
  [[nodiscard]] bool gets(std::size_t count);

  static std::string answer(int status, const std::string& body = "", const std::string& headers = "");

 private:
  void run();
  void take(int connection);

  int listener_ = -1;
  int port_ = 0;
  Answer answer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Request> requests_;  // guarded by mutex_
  std::vector<int> left_open_;     // used by the thread, and after its end
  std::jthread thread_;
};

}  // namespace lade::testing
