#include "handlers/process.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace lade::handlers {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr std::size_t kComplaintBytes = 4096;
constexpr std::chrono::milliseconds kGrace{500};  // to end after its input was closed
constexpr int kStarts = 3;

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const auto at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

}  // namespace

Process::Process(const Handler& handler, Child child) : handler_(handler), child_(std::move(child)) {}

Process::~Process() {
  child_.input.close();
  if (healthy_) (void)child_.wait(kGrace);
}

Result<std::unique_ptr<Process>> Process::start(const Handler& handler, Spawner& spawner, const Start& start) {
  for (int attempt = 1;; ++attempt) {
    LADE_ASSIGN(Child child, spawner.spawn(handler));
    std::unique_ptr<Process> process(new Process(handler, std::move(child)));
    auto agreed = process->ask(start_message(start), handler.limits.start_seconds);
    if (agreed) return process;
    // It may have been killed for reasons that are not its own.
    if (process->trouble_ != Trouble::died || attempt == kStarts) return fail(std::move(agreed).error());
  }
}

Result<void> Process::ask(std::string_view message, std::chrono::milliseconds limit) {
  std::string said;
  bool ok = false;
  const Trouble trouble = talk(message, limit, [&](std::string_view line) {
    const Answer* answer = parser_.parse(line);
    if (answer == nullptr) return refusal_ = parser_.why(), Next::refuse;
    ok = answer->ok;
    said = one_line(answer->error);
    return Next::done;
  });
  trouble_ = trouble;
  if (trouble != Trouble::none)
    return fail("handler_not_started",
                fmt::format("the handler '{}' does not work: {}", handler_.name, describe(trouble)),
                "run its command by hand; docs/handlers.md has the protocol");
  if (!ok)
    return fail("handler_refused", fmt::format("the handler '{}' refuses the import: {}", handler_.name, said),
                "its own message says why");
  return {};
}

bool Process::is_ready() {
  if (!healthy_ || begin_ != end_) return false;
  read_errors();
  pollfd said{child_.output.number(), POLLIN, 0};
  return poll(&said, 1, 0) == 0;
}

Trouble Process::write_some(std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t count = write(child_.input.number(), rest.data(), rest.size());
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0 && errno != EINTR) return Trouble::died;
  }
  return Trouble::none;
}

Trouble Process::read_some(std::size_t& total) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ > 0 && end_ + kReadBytes + AnswerParser::kPadding > buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  buffer_.resize(std::max(buffer_.size(), end_ + kReadBytes + AnswerParser::kPadding));
  const ssize_t count = read(child_.output.number(), buffer_.data() + end_, kReadBytes);
  if (count == 0) return Trouble::died;
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Trouble::none : Trouble::died;
  end_ += static_cast<std::size_t>(count);
  total += static_cast<std::size_t>(count);
  return total > handler_.limits.batch_bytes ? Trouble::output_limit : Trouble::none;
}

void Process::read_errors() {
  std::array<char, 4096> block{};
  if (!child_.errors.is_open()) return;
  // Not more than a little at a time: one that complains without end is heard of by its time limit.
  const ssize_t count = read(child_.errors.number(), block.data(), block.size());
  if (count == 0) child_.errors.close();
  if (count <= 0) return;
  complaints_.append(block.data(), static_cast<std::size_t>(count));
  if (complaints_.size() > 2 * kComplaintBytes) complaints_.erase(0, complaints_.size() - kComplaintBytes);
}

Trouble Process::take_lines(const Take& take, bool& done) {
  while (begin_ < end_) {
    const char* const line = buffer_.data() + begin_;
    const auto* const stop = static_cast<const char*>(std::memchr(line, '\n', end_ - begin_));
    const std::size_t size = stop == nullptr ? end_ - begin_ : static_cast<std::size_t>(stop - line);
    if (size > handler_.limits.line_bytes) return Trouble::output_limit;
    if (stop == nullptr) return Trouble::none;
    begin_ += size + 1;
    const Next next = done ? Next::refuse : take({line, size});
    if (next == Next::refuse) {
      if (done) refusal_ = "it says more than it was asked";
      return Trouble::bad_answer;
    }
    done = next == Next::done;
  }
  return Trouble::none;
}

Trouble Process::talk(std::string_view message, std::chrono::milliseconds limit, const Take& take) {
  limit_ = limit;
  const Clock::time_point end = Clock::now() + limit;
  std::size_t total = 0;
  bool done = false;
  Trouble trouble = Trouble::none;
  while (trouble == Trouble::none && !done) {
    pollfd ends[] = {{child_.output.number(), POLLIN, 0},
                     {child_.errors.number(), POLLIN, 0},
                     {message.empty() ? -1 : child_.input.number(), POLLOUT, 0}};
    const int count = poll(ends, std::size(ends), milliseconds_until(end));
    if (count == 0) trouble = Trouble::timed_out;
    if (count <= 0) continue;
    if (ends[1].revents != 0) read_errors();
    if (ends[2].revents != 0) trouble = write_some(message);
    if (ends[0].revents != 0) {
      const Trouble reading = read_some(total);
      const Trouble taking = take_lines(take, done);
      // Of several the first that was answered for: a line too many counts more than the end that follows it.
      if (taking != Trouble::none)
        trouble = taking;
      else if (reading != Trouble::none && !done)
        trouble = reading;
    }
    if (trouble == Trouble::none && !done && Clock::now() >= end) trouble = Trouble::timed_out;
  }
  healthy_ = trouble == Trouble::none;
  return trouble;
}

std::string Process::describe(Trouble trouble) {
  std::string what;
  switch (trouble) {
    case Trouble::none: return {};
    case Trouble::died:
      (void)child_.wait(kGrace);
      for (int i = 0; i < 16; ++i) read_errors();
      what = child_.kill();
      if (what == "it was killed") what = "it has closed its input or output";
      break;
    case Trouble::timed_out:
      what = fmt::format("it has not answered within {} s", limit_ / std::chrono::seconds(1));
      break;
    case Trouble::bad_answer: what = refusal_; break;
    case Trouble::output_limit:
      what = fmt::format("its answer is longer than {} bytes a line or {} bytes a batch", handler_.limits.line_bytes,
                         handler_.limits.batch_bytes);
      break;
  }
  read_errors();
  if (const std::string_view said = last_line(complaints_); !said.empty()) what += fmt::format("; it said: {}", said);
  return one_line(what);
}

}  // namespace lade::handlers
