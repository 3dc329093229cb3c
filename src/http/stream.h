#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

// Inside the module only: the sockets. This header shows of Asio what a coroutine needs; the rest of it stays in
// stream.cc, errand.cc and server.cc, because it takes long to compile.
//
// What g++ 12 gets wrong with coroutines, and nobody here may write therefore: a co_await within &&, || or ?: (it is
// carried out in any case), a lambda in the same statement as a co_await (it is destroyed twice), and a co_return whose
// expression makes strings on its way (it ruins the frame): errors get a name first.
namespace lade::http {

template <class T>
using Task = boost::asio::awaitable<T>;
using Clock = std::chrono::steady_clock;

struct Tls;

// A certificate and its key.
class TlsContext {
 public:
  // Fails with tls_invalid, naming the file.
  static Result<std::shared_ptr<TlsContext>> load(const Tls& tls);
  ~TlsContext();

 private:
  friend class Listener;
  struct Inside;
  explicit TlsContext(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// A connection's bytes, plain or by TLS. Belongs to the thread of its executor; at most one read and one write at a
// time. Once something has failed, everything does.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  ~Stream();

  const std::string& peer() const;
  bool secure() const;
  boost::asio::any_io_executor executor() const;
  std::uint64_t bytes_written() const;

  Task<bool> handshake(Clock::time_point deadline);
  // What is there, at least a byte. 0: the other side has ended or gone, stop_reading() was called, or the deadline has
  // passed, which timed_out() tells; reading may go on after that.
  Task<std::size_t> read_some(std::span<char> into, Clock::time_point deadline);
  bool timed_out() const;
  // Both texts, whole; false when the other side has gone or has taken nothing for so long.
  Task<bool> write(std::string_view first, std::string_view second, std::chrono::milliseconds stall);
  // Says the end, takes for a moment what still comes so that the other side gets to read our last words, and closes.
  Task<void> close();

  // Ends a read that waits.
  void stop_reading();
  // Reads and forgets, until the other side has gone or stop_reading() is called; then calls `then`.
  void watch_for_end(std::function<void()> then);
  // Everything under way fails at once.
  void abort();

 private:
  friend class Listener;
  struct Inside;
  explicit Stream(std::unique_ptr<Inside> inside);
  void arm(struct Watch& watch, Clock::time_point deadline);
  std::unique_ptr<Inside> inside_;
};

// A port that is listened to.
class Listener {
 public:
  // Port 0: any that is free. Fails with cannot_listen.
  static Result<std::unique_ptr<Listener>> open(boost::asio::any_io_executor executor, const std::string& address,
                                                std::uint16_t port);
  ~Listener();

  std::uint16_t port() const;
  // A connection, which belongs to `executor`. Null when it did not come about: the listener was closed, or the process
  // has no descriptor left.
  Task<std::shared_ptr<Stream>> accept(boost::asio::any_io_executor executor, TlsContext* tls);
  void close();
  bool is_open() const;

 private:
  struct Inside;
  explicit Listener(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace lade::http
