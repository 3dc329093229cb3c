#include "http/body_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lade::http {
namespace {

constexpr std::size_t kReceivedBytes = 64 * 1024;  // of chunks that are not decoded yet

}  // namespace

BodyReader::BodyReader(Stream& stream, std::string& buffered, RequestParser& parser, const RequestHead& head,
                       const Limits& limits)
    : stream_(stream),
      buffered_(buffered),
      parser_(parser),
      limits_(limits),
      chunked_(head.chunked),
      left_(head.content_length.value_or(0)),
      ended_(!head.has_body()) {}

Task<Result<std::size_t>> BodyReader::read_some(std::span<char> into) {
  if (ended_) co_return 0;
  Result<std::size_t> count;
  if (chunked_)
    count = co_await read_chunked(into);
  else
    count = co_await read_known(into);
  if (!count) co_return count;
  bytes_ += *count;
  if (bytes_ > most_bytes_) {
    const Error error = too_large();
    co_return fail(error);
  }
  co_return count;
}

Task<Result<std::size_t>> BodyReader::read_known(std::span<char> into) {
  into = into.first(std::min<std::uint64_t>(into.size(), left_));
  std::size_t count = std::min(buffered_.size(), into.size());
  if (count > 0) {
    std::copy_n(buffered_.begin(), count, into.begin());
    buffered_.erase(0, count);
  } else {
    const auto received = co_await receive(into);
    if (!received) co_return received;
    count = *received;
  }
  left_ -= count;
  ended_ = left_ == 0;
  co_return count;
}

Task<Result<std::size_t>> BodyReader::read_chunked(std::span<char> into) {
  for (;;) {
    const auto decoded = parser_.decode(buffered_, into);
    if (!decoded) co_return fail(decoded.error());
    buffered_.erase(0, decoded->taken);
    ended_ = decoded->ended;
    if (ended_ || decoded->made > 0) co_return decoded->made;
    // What is left is the beginning of a chunk's size or of a trailer.
    if (buffered_.size() > limits_.header_bytes) {
      const Error error{
          "request_invalid", "the request is not valid HTTP: the head of a chunk is too long", {}, ErrorKind::usage};
      co_return fail(error);
    }
    const std::size_t before = buffered_.size();
    buffered_.resize(before + kReceivedBytes);
    const auto received = co_await receive(std::span(buffered_).subspan(before));
    buffered_.resize(before + received.value_or(0));
    if (!received) co_return received;
  }
}

Error BodyReader::too_large() const {
  return {"body_too_large",
          fmt::format("the body is larger than the {} bytes that are allowed", most_bytes_),
          {},
          ErrorKind::invalid};
}

Error BodyReader::too_slow() const {
  return {"request_timeout",
          fmt::format("the body came more slowly than {} bytes a second", limits_.body_bytes_a_second),
          {},
          ErrorKind::invalid};
}

Error BodyReader::gone() const {
  return {"client_gone", fmt::format("the client went away after {} bytes of the body", bytes_)};
}

bool BodyReader::was_too_slow() {
  if (judged_time_ < limits_.body_grace) return false;
  const double seconds = std::chrono::duration<double>(limits_.body_grace).count();
  const bool slow = static_cast<double>(judged_bytes_) < static_cast<double>(limits_.body_bytes_a_second) * seconds;
  judged_bytes_ = 0;
  judged_time_ = {};
  return slow;
}

Task<Result<std::size_t>> BodyReader::receive(std::span<char> into) {
  for (;;) {
    const auto begin = Clock::now();
    const std::size_t count = co_await stream_.read_some(into, begin + limits_.body_grace - judged_time_);
    judged_time_ += Clock::now() - begin;
    judged_bytes_ += count;
    if (count == 0 && !stream_.timed_out()) {
      const Error error = gone();
      co_return fail(error);
    }
    if (was_too_slow()) {
      const Error error = too_slow();
      co_return fail(error);
    }
    if (count > 0) co_return count;
  }
}

}  // namespace lade::http
