#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lade::testing {

// A site on loopback whose pages may behave badly: a thread per connection, on which the test's own function answers
// byte by byte as it likes.
class PageServer {
 public:
  struct Request {
    std::string path;                            // with the query
    std::map<std::string, std::string> headers;  // names in small letters
  };
  // The other end of a connection.
  class Peer {
   public:
    explicit Peer(int connection) : connection_(connection) {}
    // False when the client is gone.
    bool send(std::string_view bytes) const;
    // Waits until the client goes away.
    void wait_closed() const;
    // Closes it so that the client sees a reset.
    void reset() const;

   private:
    int connection_;
  };
  using Answer = std::function<void(const Request&, const Peer&)>;

  // `keeps`: further requests may come on the same connection; answers must not say that it is closed.
  explicit PageServer(Answer answer, bool keeps = false);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  int port() const { return port_; }
  std::string url(std::string_view path = "/", std::string_view host = "127.0.0.1") const;
  int connections() const { return connections_; }
  // Paths in the order in which they were asked for.
  std::vector<std::string> asked() const;

  static std::string page(std::string_view body, std::string_view headers = "Content-Type: text/html\r\n",
                          int status = 200);

 private:
  void accept_all();
  void serve(int connection);

  Answer answer_;
  const bool keeps_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;  // guarded by mutex_, like those below
  std::set<int> open_;
  std::vector<std::jthread> threads_;
  std::jthread acceptor_;
};

}  // namespace lade::testing
