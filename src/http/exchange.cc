#include "http/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace lade::http {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::size_t kWholePieceBytes = 16 * 1024;
constexpr std::uint64_t kSkippedBytes = 64 * 1024;  // of a body that nobody reads; more costs the connection

Error internal_error(const std::exception_ptr& thrown) {
  std::string what = "something that is no exception";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
  }
  return {"internal_error", fmt::format("a handler threw: {}", what)};
}

// A piece of a body on its way, beside the one that is being filled.
struct PieceBuffers {
  std::unique_ptr<char[]> filling = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  std::unique_ptr<char[]> leaving = std::make_unique_for_overwrite<char[]>(kPieceBytes);
};

}  // namespace

Exchange::Exchange(const Service& service, Stream& stream, std::string& buffered, std::unique_ptr<RequestParser> parser,
                   RequestHead head)
    : service_(service),
      stream_(stream),
      errand_(stream.executor(), service.handler_threads),
      parser_(std::move(parser)),
      head_(std::move(head)),
      request_(std::make_shared<Request>(head_.request)),
      body_(stream, buffered, *parser_, head_, service.limits),
      written_before_(stream.bytes_written()) {}

Task<bool> Exchange::run() {
  Reception reception = co_await receive();
  if (auto* const whole = std::get_if<WholeBody>(&reception)) co_await take_whole(*whole);
  if (auto* const streamed = std::get_if<StreamedBody>(&reception)) co_await take_streamed(*streamed);
  bool sent = false;
  if (!client_gone_) sent = co_await send();
  if (response_.events) response_.events->listen({});
  report(sent);
  if (!sent || !response_.keep_alive) co_return false;
  co_return co_await skip_rest();
}

void Exchange::drain() {
  if (events_signal_) events_signal_->notify();
}

Task<Reception> Exchange::receive() {
  Reception reception;
  errand_.start([&] {
    reception = service_.handler.receive(*request_);
    if (auto* const response = std::get_if<Response>(&reception)) response_ = prepared(std::move(*response));
  });
  if (const auto thrown = co_await errand_.finish()) {
    reception = Response();
    const Error error = internal_error(thrown);
    co_await refuse(error);
  }
  co_return reception;
}

PreparedResponse Exchange::prepared(Response response) const {
  const bool in_step = !broken_ && body_.lacks_at_most(kSkippedBytes) && (continued_ || !head_.expects_continue);
  return prepare(std::move(response),
                 {request_.get(), head_.http_1_1, head_.keep_alive && in_step && !service_.draining});
}

Task<void> Exchange::answer(const std::function<Response()>& make) {
  errand_.start([&] { response_ = prepared(make()); });
  auto thrown = co_await errand_.finish();
  if (!thrown) co_return;
  errand_.start([&] { response_ = prepared(service_.handler.refuse(request_.get(), internal_error(thrown))); });
  thrown = co_await errand_.finish();
  if (thrown) response_ = prepared(Response{.status = 500});
}

Task<void> Exchange::refuse(const Error& error) {
  client_gone_ = error.code == "client_gone";
  const std::function<Response()> make = [&] { return service_.handler.refuse(request_.get(), error); };
  if (!client_gone_) co_await answer(make);
}

Task<Result<void>> Exchange::begin_body(std::uint64_t most_bytes) {
  Result<void> begun;
  if (head_.content_length.value_or(0) > most_bytes) {
    begun = fail("body_too_large",
                 fmt::format("the body has {} bytes; at most {} are allowed", *head_.content_length, most_bytes), {},
                 ErrorKind::invalid);
    co_return begun;
  }
  body_.set_limit(most_bytes);
  if (head_.expects_continue) {
    continued_ = true;
    if (!co_await stream_.write("HTTP/1.1 100 Continue\r\n\r\n", {}, service_.limits.send_time))
      begun = fail("client_gone", "the client went away before its body");
  }
  co_return begun;
}

Task<void> Exchange::take_whole(WholeBody& body) {
  std::string text;
  auto taken = co_await begin_body(body.most_bytes);
  if (taken) taken = co_await read_whole(text);
  const std::function<Response()> make = [&] { return body.answer(std::move(text)); };
  if (taken)
    co_await answer(make);
  else
    co_await refuse(taken.error());
}

Task<Result<void>> Exchange::read_whole(std::string& text) {
  while (!body_.ended()) {
    const std::size_t before = text.size();
    text.resize(before + kWholePieceBytes);
    const auto count = co_await body_.read_some(std::span(text).subspan(before));
    text.resize(before + count.value_or(0));
    broken_ = !count;
    if (!count) co_return fail(count.error());
  }
  co_return Result<void>();
}

Task<void> Exchange::take_streamed(StreamedBody& body) {
  Result<void> taken;
  if (!head_.chunked && !head_.content_length)
    taken = fail("length_required", "the request has neither Content-Length nor chunks",
                 "send the file as the body; an empty one with Content-Length: 0", ErrorKind::usage);
  if (taken) taken = co_await begin_body(body.most_bytes);
  if (taken) taken = co_await pump(*body.sink);
  const std::function<Response()> make = [&] { return body.sink->finish(); };
  if (taken) co_await answer(make);
  errand_.start([&] { body.sink.reset(); });
  co_await errand_.finish();
  if (!taken) co_await refuse(taken.error());
}

// The next piece comes in while the last one is being written; what has come by then goes as one.
Task<Result<void>> Exchange::pump(BodySink& sink) {
  PieceBuffers pieces;
  Result<void> written;
  std::size_t filled = 0;
  while (!body_.ended() || filled > 0 || errand_.running()) {
    if (!body_.ended() && filled < kPieceBytes) {
      const auto count = co_await body_.read_some({pieces.filling.get() + filled, kPieceBytes - filled});
      broken_ = !count;
      if (!count) {
        co_await errand_.finish();
        co_return fail(count.error());
      }
      filled += *count;
      if (errand_.running() && !body_.ended()) continue;
    }
    if (const auto thrown = co_await errand_.finish()) written = fail(internal_error(thrown));
    if (!written) co_return written;
    if (filled == 0) continue;
    std::swap(pieces.filling, pieces.leaving);
    errand_.start([&, bytes = std::exchange(filled, 0)] { written = sink.write({pieces.leaving.get(), bytes}); });
  }
  co_return written;
}

Task<bool> Exchange::send() {
  const auto most = service_.limits.send_time;
  if (!co_await stream_.write(response_.head, response_.text, most)) co_return false;
  if (response_.events) co_return co_await send_events(*response_.events);
  if (response_.count > 0) co_return co_await send_file();
  co_return true;
}

// The next piece is read while the last one goes out.
Task<bool> Exchange::send_file() {
  PieceBuffers pieces;
  std::uint64_t at = response_.first;
  const std::uint64_t end = at + response_.count;
  Result<std::size_t> got;
  const auto read_next = [&] {
    got = response_.file.file.read_at(at, {pieces.filling.get(), std::min<std::uint64_t>(kPieceBytes, end - at)});
  };
  errand_.start(read_next);
  while (at < end) {
    const auto thrown = co_await errand_.finish();
    if (thrown || !got || *got == 0) co_return false;
    std::swap(pieces.filling, pieces.leaving);
    const std::string_view piece(pieces.leaving.get(), *got);
    at += piece.size();
    if (at < end) errand_.start(read_next);
    if (co_await stream_.write(piece, {}, service_.limits.send_time)) continue;
    co_await errand_.finish();
    co_return false;
  }
  co_return true;
}

Task<bool> Exchange::send_events(EventChannel& channel) {
  const auto& limits = service_.limits;
  const auto gone = std::make_shared<bool>(false);  // shared with the watch, which may outlive this
  events_signal_ = Signal::create(stream_.executor());
  channel.listen(events_signal_->notifier());
  stream_.watch_for_end([gone, signal = events_signal_] {
    *gone = true;
    signal->notify();
  });
  auto comment_at = Clock::now() + limits.event_time;
  for (bool ended = false; !ended && !*gone;) {
    std::string text = channel.take(ended);
    ended = ended || service_.draining;
    if (text.empty() && Clock::now() >= comment_at) text = ":\n\n";
    if (!text.empty()) {
      if (!co_await stream_.write(text, {}, limits.send_time)) break;
      comment_at = Clock::now() + limits.event_time;
    } else if (!ended) {
      co_await events_signal_->wait(comment_at);
    }
  }
  stream_.stop_reading();
  co_return true;
}

// Small rests of a body that nobody wanted are taken so that the connection can go on.
Task<bool> Exchange::skip_rest() {
  std::array<char, 1024> forgotten{};
  while (!body_.ended())
    if (!co_await body_.read_some(forgotten)) co_return false;
  co_return true;
}

void Exchange::report(bool sent) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  start_detached(service_.handler_threads,
                 [&handler = service_.handler, request = request_, status = sent ? response_.status : 0, seconds,
                  bytes_in = body_.bytes(), bytes_out = stream_.bytes_written() - written_before_] {
                   try {
                     handler.done(*request, status, seconds, bytes_in, bytes_out);
                   } catch (...) {  // what counts requests must not end the server
                   }
                 });
}

}  // namespace lade::http
