#include "http/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "http/connection.h"

namespace lade::http {
namespace {

namespace asio = boost::asio;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // when the process has no descriptor left
constexpr std::size_t kMostTurnedAway = 256;                   // at a time; more are closed without a word

// Runs the coroutines of some connections.
struct IoThread {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  std::jthread thread{[this] { context.run(); }};
};

enum class Admission { taken, turned_away, dropped };

Error too_many(std::string reason) {
  return {"too_many_connections", std::move(reason), "close connections that are not needed, or try again later"};
}

}  // namespace

struct Server::Inside {
  Inside(ServerOptions chosen, Handler& handler)
      : options(std::move(chosen)),
        handler_threads(std::max(1U, options.handler_threads)),
        service{handler, options.limits, handler_threads, draining} {
    for (unsigned i = 0; i < std::max(1U, options.io_threads); ++i) io_threads.push_back(std::make_unique<IoThread>());
  }

  Result<void> listen();
  Task<void> accept_all();
  void take(std::shared_ptr<Stream> stream);
  Admission admit(const std::shared_ptr<Connection>& connection, std::string& reason);
  void ended(const std::shared_ptr<Connection>& connection, bool counted);

  void stop_listening();
  void for_each_connection(void (Connection::*action)());
  bool wait_until_empty(std::optional<std::chrono::milliseconds> most);
  void stop();

  const ServerOptions options;
  std::atomic<bool> draining = false;
  asio::thread_pool handler_threads;
  const Service service;
  std::shared_ptr<TlsContext> tls;  // shared with nobody: kept by pointer because its type is not known here
  std::vector<std::unique_ptr<IoThread>> io_threads;
  std::unique_ptr<Listener> listener;
  std::uint16_t port = 0;
  std::size_t next_thread = 0;

  std::mutex mutex;  // guards the rest
  std::condition_variable changed;
  std::set<std::shared_ptr<Connection>> connections;  // shared with their coroutines; those turned away, too
  std::map<std::string, std::size_t> by_address;
  std::size_t counted = 0;
};

Result<void> Server::Inside::listen() {
  if (options.tls) {
    LADE_ASSIGN(tls, TlsContext::load(*options.tls));
  }
  const auto executor = io_threads.front()->context.get_executor();
  LADE_ASSIGN(listener, Listener::open(executor, options.address, options.port));
  port = listener->port();
  asio::co_spawn(executor, accept_all(), asio::detached);
  return {};
}

Task<void> Server::Inside::accept_all() {
  const auto signal = Signal::create(io_threads.front()->context.get_executor());
  while (listener->is_open()) {
    auto& thread = *io_threads[next_thread++ % io_threads.size()];
    auto stream = co_await listener->accept(thread.context.get_executor(), tls.get());
    if (stream)
      take(std::move(stream));
    else if (listener->is_open())
      co_await signal->wait(Clock::now() + kAcceptPause);
  }
}

Admission Server::Inside::admit(const std::shared_ptr<Connection>& connection, std::string& reason) {
  const std::string& peer = connection->stream().peer();
  const std::lock_guard lock(mutex);
  const auto found = by_address.find(peer);
  const std::size_t of_address = found != by_address.end() ? found->second : 0;
  if (draining) return Admission::dropped;
  if (of_address >= options.limits.connections_per_address)
    reason = fmt::format("{} has {} connections, which is the limit", peer, of_address);
  else if (counted >= options.limits.connections)
    reason = fmt::format("the server has {} connections, which is its limit", counted);
  if (reason.empty()) {
    ++counted;
    ++by_address[peer];
  } else if (connection->stream().secure() || connections.size() - counted >= kMostTurnedAway) {
    return Admission::dropped;  // saying why would take a handshake, or too much
  }
  connections.insert(connection);
  return reason.empty() ? Admission::taken : Admission::turned_away;
}

// On the stream's thread: whoever has closed a connection before making this one has been heard there by then.
void Server::Inside::take(std::shared_ptr<Stream> stream) {
  asio::post(stream->executor(), [this, stream] {
    const auto connection = std::make_shared<Connection>(service, stream);
    std::string reason;
    const Admission admission = admit(connection, reason);
    if (admission == Admission::dropped) return;
    const bool taken = admission == Admission::taken;
    asio::co_spawn(stream->executor(), taken ? connection->run() : connection->turn_away(too_many(reason)),
                   [this, connection, taken](const std::exception_ptr&) { ended(connection, taken); });
  });
}

void Server::Inside::ended(const std::shared_ptr<Connection>& connection, bool was_counted) {
  connection->abort();
  const std::lock_guard lock(mutex);
  connections.erase(connection);
  if (was_counted) {
    --counted;
    const auto found = by_address.find(connection->stream().peer());
    if (--found->second == 0) by_address.erase(found);
  }
  changed.notify_all();
}

void Server::Inside::stop_listening() {
  {
    const std::lock_guard lock(mutex);
    draining = true;
  }
  std::promise<void> closed;
  asio::post(io_threads.front()->context, [&] {
    listener->close();
    closed.set_value();
  });
  closed.get_future().wait();
}

void Server::Inside::for_each_connection(void (Connection::*action)()) {
  const std::lock_guard lock(mutex);
  for (const auto& connection : connections)
    asio::post(connection->stream().executor(), [connection, action] { (*connection.*action)(); });
}

bool Server::Inside::wait_until_empty(std::optional<std::chrono::milliseconds> most) {
  std::unique_lock lock(mutex);
  const auto is_empty = [this] { return connections.empty(); };
  if (most) return changed.wait_for(lock, *most, is_empty);
  changed.wait(lock, is_empty);
  return true;
}

// Connections end first: they need handler threads until then.
void Server::Inside::stop() {
  if (listener) {
    stop_listening();
    for_each_connection(&Connection::abort);
    wait_until_empty(std::nullopt);
  }
  handler_threads.join();
  for (const auto& thread : io_threads) {
    thread->work.reset();
    thread->thread.join();
  }
  listener.reset();
  io_threads.clear();
}

Server::Server(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

Server::~Server() {
  inside_->stop();
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler& handler) {
  auto server = std::unique_ptr<Server>(new Server(std::make_unique<Inside>(std::move(options), handler)));
  LADE_TRY(server->inside_->listen());
  return server;
}

std::uint16_t Server::port() const {
  return inside_->port;
}

std::size_t Server::connections() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->counted;
}

bool Server::drain(std::chrono::milliseconds most) {
  inside_->stop_listening();
  inside_->for_each_connection(&Connection::drain);
  if (inside_->wait_until_empty(most)) return true;
  inside_->for_each_connection(&Connection::abort);
  return false;
}

}  // namespace lade::http
