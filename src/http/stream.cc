#include "http/stream.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

#include "http/server.h"

namespace lade::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr auto kFarewellTime = std::chrono::seconds(1);            // for the other side to read our last words
constexpr std::uint64_t kFarewellBytes = 64 * 1024 * 1024;         // taken meanwhile
constexpr auto kTlsFarewellTime = std::chrono::milliseconds(250);  // for its answer to "close notify"

auto awaiting(Failure& failure) {
  return asio::redirect_error(asio::use_awaitable, failure);
}

std::string address_text(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

Error tls_error(const std::string& file, const Failure& failure) {
  return {"tls_invalid", fmt::format("{}: {}", file, failure.message()),
          "give a PEM file with the certificate and its chain, and one with its private key", ErrorKind::invalid};
}

}  // namespace

// A deadline of one read or write. A new ticket makes an older one void, even if its time has just come.
struct Watch {
  explicit Watch(const asio::any_io_executor& executor) : timer(executor) {}
  asio::steady_timer timer;
  std::uint64_t ticket = 0;
  bool passed = false;
};

struct TlsContext::Inside {
  asio::ssl::context context{asio::ssl::context::tls_server};
};

TlsContext::TlsContext(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::load(const Tls& tls) {
  auto inside = std::make_unique<Inside>();
  auto& context = inside->context;
  Failure failure;
  context.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1 | SSL_OP_NO_RENEGOTIATION, failure);
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
  context.use_certificate_chain_file(tls.certificate_file, failure);
  if (failure) return fail(tls_error(tls.certificate_file, failure));
  context.use_private_key_file(tls.key_file, asio::ssl::context::pem, failure);
  if (failure) return fail(tls_error(tls.key_file, failure));
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(inside)));
}

struct Stream::Inside {
  Inside(tcp::socket connected, std::string address, asio::ssl::context* context)
      : socket(std::move(connected)),
        peer(std::move(address)),
        reading(socket.get_executor()),
        writing(socket.get_executor()) {
    if (context != nullptr) tls.emplace(socket, *context);
  }

  // One call of the socket, or of TLS upon it.
  Task<std::size_t> read_once(asio::mutable_buffer into, Failure& failure) {
    if (tls) co_return co_await tls->async_read_some(into, awaiting(failure));
    co_return co_await socket.async_read_some(into, awaiting(failure));
  }
  Task<std::size_t> write_once(const std::array<asio::const_buffer, 2>& buffers, Failure& failure) {
    if (tls) co_return co_await tls->async_write_some(buffers, awaiting(failure));
    co_return co_await socket.async_write_some(buffers, awaiting(failure));
  }

  tcp::socket socket;
  std::optional<asio::ssl::stream<tcp::socket&>> tls;
  const std::string peer;
  Watch reading;
  Watch writing;
  std::uint64_t written = 0;
  bool broken = false;  // a write has failed: there is nobody to say farewell to
};

Stream::Stream(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Stream::~Stream() = default;

const std::string& Stream::peer() const {
  return inside_->peer;
}

bool Stream::secure() const {
  return inside_->tls.has_value();
}

asio::any_io_executor Stream::executor() const {
  return inside_->socket.get_executor();
}

std::uint64_t Stream::bytes_written() const {
  return inside_->written;
}

bool Stream::timed_out() const {
  return inside_->reading.passed;
}

void Stream::arm(Watch& watch, Clock::time_point deadline) {
  watch.passed = false;
  const std::uint64_t ticket = ++watch.ticket;
  if (deadline == Clock::time_point::max()) return;
  watch.timer.expires_at(deadline);
  watch.timer.async_wait([weak = weak_from_this(), &watch, ticket](const Failure& failure) {
    const auto self = weak.lock();
    if (failure || !self || watch.ticket != ticket) return;
    watch.passed = true;
    Failure ignored;
    self->inside_->socket.cancel(ignored);
  });
}

Task<bool> Stream::handshake(Clock::time_point deadline) {
  Failure failure;
  arm(inside_->reading, deadline);
  co_await inside_->tls->async_handshake(asio::ssl::stream_base::server, awaiting(failure));
  ++inside_->reading.ticket;
  co_return !failure;
}

Task<std::size_t> Stream::read_some(std::span<char> into, Clock::time_point deadline) {
  Failure failure;
  arm(inside_->reading, deadline);
  const std::size_t count = co_await inside_->read_once(asio::buffer(into.data(), into.size()), failure);
  ++inside_->reading.ticket;
  co_return count;
}

Task<bool> Stream::write(std::string_view first, std::string_view second, std::chrono::milliseconds stall) {
  while (!first.empty() || !second.empty()) {
    Failure failure;
    arm(inside_->writing, Clock::now() + stall);
    const std::size_t count = co_await inside_->write_once(
        {asio::buffer(first.data(), first.size()), asio::buffer(second.data(), second.size())}, failure);
    ++inside_->writing.ticket;
    inside_->broken = static_cast<bool>(failure);
    if (failure) co_return false;
    inside_->written += count;
    const std::size_t of_first = std::min(count, first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(count - of_first);
  }
  co_return true;
}

Task<void> Stream::close() {
  if (inside_->broken) {
    abort();
    co_return;
  }
  // By the watch of writes: a read that was stopped may not have ended yet.
  Failure failure;
  if (inside_->tls) {
    arm(inside_->writing, Clock::now() + kTlsFarewellTime);
    co_await inside_->tls->async_shutdown(awaiting(failure));
  }
  auto& socket = inside_->socket;
  socket.shutdown(tcp::socket::shutdown_send, failure);
  const auto deadline = Clock::now() + kFarewellTime;
  auto buffer = std::make_unique<std::array<char, 16 * 1024>>();
  for (std::uint64_t taken = 0; !failure && taken < kFarewellBytes;) {
    arm(inside_->writing, deadline);
    taken += co_await socket.async_read_some(asio::buffer(*buffer), awaiting(failure));
  }
  abort();
}

void Stream::stop_reading() {
  Failure ignored;
  inside_->socket.cancel(ignored);
}

void Stream::watch_for_end(std::function<void()> then) {
  const auto watch = [](std::shared_ptr<Stream> self, std::function<void()> ended) -> Task<void> {
    std::array<char, 256> forgotten{};
    while (co_await self->read_some(forgotten, Clock::time_point::max()) > 0) {
    }
    ended();
  };
  asio::co_spawn(executor(), watch(shared_from_this(), std::move(then)), asio::detached);
}

void Stream::abort() {
  Failure ignored;
  ++inside_->reading.ticket;
  ++inside_->writing.ticket;
  inside_->socket.close(ignored);
}

struct Listener::Inside {
  tcp::acceptor acceptor;
};

Listener::Listener(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Listener::~Listener() = default;

Result<std::unique_ptr<Listener>> Listener::open(asio::any_io_executor executor, const std::string& address,
                                                 std::uint16_t port) {
  Failure failure;
  auto inside = std::make_unique<Inside>(Inside{tcp::acceptor(executor)});
  auto& acceptor = inside->acceptor;
  const tcp::endpoint endpoint(asio::ip::make_address(address, failure), port);
  if (!failure) acceptor.open(endpoint.protocol(), failure);
  if (!failure) acceptor.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure) acceptor.bind(endpoint, failure);
  if (!failure) acceptor.listen(tcp::acceptor::max_listen_connections, failure);
  if (failure)
    return fail("cannot_listen", fmt::format("cannot listen on {} port {}: {}", address, port, failure.message()),
                "give an address of this machine, such as 127.0.0.1 or 0.0.0.0, and a port that is free",
                ErrorKind::invalid);
  return std::unique_ptr<Listener>(new Listener(std::move(inside)));
}

std::uint16_t Listener::port() const {
  Failure ignored;
  return inside_->acceptor.local_endpoint(ignored).port();
}

Task<std::shared_ptr<Stream>> Listener::accept(asio::any_io_executor executor, TlsContext* tls) {
  Failure failure;
  tcp::socket socket = co_await inside_->acceptor.async_accept(executor, awaiting(failure));
  if (failure) co_return nullptr;
  const auto peer = socket.remote_endpoint(failure);
  socket.set_option(tcp::no_delay(true), failure);
  auto* const context = tls != nullptr ? &tls->inside_->context : nullptr;
  co_return std::shared_ptr<Stream>(
      new Stream(std::make_unique<Stream::Inside>(std::move(socket), address_text(peer), context)));
}

void Listener::close() {
  Failure ignored;
  inside_->acceptor.close(ignored);
}

bool Listener::is_open() const {
  return inside_->acceptor.is_open();
}

}  // namespace lade::http
