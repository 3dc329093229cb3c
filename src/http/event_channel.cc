#include "http/event_channel.h"

#include <utility>

namespace lade::http {
namespace {

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).push_back('\n');
}

// Line ends would begin another field.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\0') c = ' ';
  return line;
}

}  // namespace

// Whoever listens is woken under the lock, so that none is called any more once listen({}) has returned.
bool EventChannel::push(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (closed_ || left_) return false;
  if (waiting_.size() + text.size() > most_bytes_) {
    closed_ = true;
    if (wake_) wake_();
    return false;
  }
  const bool was_empty = waiting_.empty();
  waiting_.append(text);
  if (was_empty && wake_) wake_();
  return true;
}

void EventChannel::close() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(closed_, true)) return;
  if (wake_) wake_();
}

bool EventChannel::is_open() const {
  const std::lock_guard lock(mutex_);
  return !closed_ && !left_;
}

std::string EventChannel::take(bool& ended) {
  const std::lock_guard lock(mutex_);
  ended = closed_;
  return std::exchange(waiting_, {});
}

void EventChannel::listen(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
  left_ = !wake_;
  if (wake_ && (closed_ || !waiting_.empty())) wake_();
}

std::string event_text(std::string_view id, std::string_view name, std::string_view data) {
  std::string text;
  if (!id.empty()) append_field(text, "id", on_one_line(id));
  if (!name.empty()) append_field(text, "event", on_one_line(name));
  for (;;) {
    const std::size_t end = data.find_first_of("\r\n");
    append_field(text, "data", data.substr(0, end));
    if (end == std::string_view::npos) break;
    const bool pair = data.substr(end, 2) == "\r\n";
    data.remove_prefix(end + (pair ? 2 : 1));
  }
  text.push_back('\n');
  return text;
}

}  // namespace lade::http
