#include "http/errand.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace lade::http {

namespace asio = boost::asio;

struct Signal::Inside {
  asio::steady_timer timer;
};

Signal::Signal(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Signal::~Signal() = default;

std::shared_ptr<Signal> Signal::create(asio::any_io_executor executor) {
  return std::shared_ptr<Signal>(new Signal(std::make_unique<Inside>(Inside{asio::steady_timer(executor)})));
}

Task<void> Signal::wait(Clock::time_point deadline) {
  boost::system::error_code notified;
  inside_->timer.expires_at(deadline);
  co_await inside_->timer.async_wait(asio::redirect_error(asio::use_awaitable, notified));
}

void Signal::notify() {
  inside_->timer.cancel();
}

std::function<void()> Signal::notifier() {
  return [self = shared_from_this()] { asio::post(self->inside_->timer.get_executor(), [self] { self->notify(); }); };
}

Errand::Errand(asio::any_io_executor executor, asio::thread_pool& threads)
    : executor_(std::move(executor)), threads_(threads), signal_(Signal::create(executor_)) {}

void Errand::start(std::function<void()> work) {
  running_ = true;
  asio::post(threads_, [this, executor = executor_, work = std::move(work)]() mutable {
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    work = nullptr;
    asio::post(executor, [this] {
      running_ = false;
      signal_->notify();
    });
  });
}

Task<std::exception_ptr> Errand::finish() {
  while (running_) co_await signal_->wait(Clock::time_point::max());
  co_return std::exchange(thrown_, nullptr);
}

void start_detached(asio::thread_pool& threads, std::function<void()> work) {
  asio::post(threads, std::move(work));
}

}  // namespace lade::http
