#include "http/connection.h"

#include <fmt/format.h>

#include <array>

#include "base/id.h"
#include "http/text.h"

namespace lade::http {
namespace {

constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kLongestId = 64;

// What clients may call their requests: it comes to stand in logs.
bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

Error too_large(const Limits& limits) {
  return {"header_too_large",
          fmt::format("the head of the request has more than {} bytes", limits.header_bytes),
          {},
          ErrorKind::usage};
}

Error too_slow(const Limits& limits) {
  return {"request_timeout",
          fmt::format("the head of the request did not come within {} ms", limits.header_time.count()),
          {},
          ErrorKind::usage};
}

}  // namespace

Task<void> Connection::run() {
  if (stream_->secure()) {
    const bool agreed = co_await stream_->handshake(Clock::now() + service_.limits.header_time);
    if (!agreed) co_return;
  }
  while (co_await serve_one()) {
  }
}

void Connection::drain() {
  if (waiting_) stream_->stop_reading();
  if (exchange_ != nullptr) exchange_->drain();
}

Task<bool> Connection::serve_one() {
  auto parser = std::make_unique<RequestParser>();
  auto head = co_await read_head(*parser);
  if (!head) {
    co_await turn_away(head.error());
    co_return false;
  }
  if (!*head) {
    stream_->abort();
    co_return false;
  }
  Request& request = (*head)->request;
  request.peer = stream_->peer();
  request.secure = stream_->secure();
  const std::string_view given = request.headers.get("X-Request-Id");
  request.id = is_request_id(given) ? std::string(given) : new_uuid();
  Exchange exchange(service_, *stream_, buffered_, std::move(parser), std::move(**head));
  exchange_ = &exchange;
  const bool goes_on = co_await exchange.run();
  exchange_ = nullptr;
  if (!goes_on) co_await stream_->close();
  co_return goes_on;
}

// True once something of the next request is there.
Task<bool> Connection::wait_for_request() {
  const auto& limits = service_.limits;
  const auto deadline = Clock::now() + (std::exchange(first_, false) ? limits.header_time : limits.idle_time);
  for (;;) {
    // Line ends between requests are nobody's.
    while (buffered_.starts_with("\r\n")) buffered_.erase(0, 2);
    if (!buffered_.empty() && buffered_ != "\r") co_return true;
    if (service_.draining) co_return false;
    std::array<char, kReadBytes> bytes;
    waiting_ = true;
    const std::size_t count = co_await stream_->read_some(bytes, deadline);
    waiting_ = false;
    if (count == 0) co_return false;
    buffered_.append(bytes.data(), count);
  }
}

Task<Result<std::optional<RequestHead>>> Connection::read_head(RequestParser& parser) {
  if (!co_await wait_for_request()) co_return std::nullopt;
  const auto& limits = service_.limits;
  const auto deadline = Clock::now() + limits.header_time;
  for (std::size_t scanned = 0;;) {
    const auto length = head_length(buffered_, scanned);
    if (!length) co_return fail(length.error());
    if (scanned > limits.header_bytes) {
      const Error error = too_large(limits);
      co_return fail(error);
    }
    if (*length > 0) {
      auto head = parser.parse_head(std::string_view(buffered_).substr(0, *length));
      buffered_ = buffered_.substr(*length);
      if (!head) co_return fail(head.error());
      co_return std::move(*head);
    }
    std::array<char, kReadBytes> bytes;
    const std::size_t count = co_await stream_->read_some(bytes, deadline);
    if (count == 0 && stream_->timed_out()) {
      const Error error = too_slow(limits);
      co_return fail(error);
    }
    if (count == 0) co_return std::nullopt;
    buffered_.append(bytes.data(), count);
  }
}

Task<void> Connection::turn_away(Error error) {
  Errand errand(stream_->executor(), service_.handler_threads);
  PreparedResponse response;
  errand.start([&] {
    Response refusal = service_.handler.refuse(nullptr, error);
    if (error.code == "too_many_connections") refusal.headers.set("Retry-After", "1");
    response = prepare(std::move(refusal), {});
  });
  const auto thrown = co_await errand.finish();
  if (thrown) response = prepare(Response{.status = 500}, {});
  if (co_await stream_->write(response.head, response.text, service_.limits.send_time)) co_await stream_->close();
}

}  // namespace lade::http
