#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace lade::http {

// Events on their way to one client. Thread-safe; shared by who pushes and the connection that sends.
class EventChannel {
 public:
  explicit EventChannel(std::size_t most_bytes = 1024 * 1024) : most_bytes_(most_bytes) {}

  // Text in the form of event_text(). False when nobody listens any more, or when the client is so slow that more than
  // `most_bytes` wait: the channel is then closed, and the client comes back with Last-Event-ID.
  bool push(std::string_view text);
  // Ends the stream once everything pushed before is sent.
  void close();
  // Neither closed nor left by the client.
  bool is_open() const;

  // For the connection: all that waits; `ended` is set when nothing more will come.
  std::string take(bool& ended);
  // For the connection: called, from any thread, whenever there is something to take. Empty: the client has gone.
  void listen(std::function<void()> wake);

 private:
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::string waiting_;
  bool closed_ = false;
  bool left_ = false;
  std::function<void()> wake_;
};

// One event of a stream: `data` may have several lines. Empty id and name are left out.
std::string event_text(std::string_view id, std::string_view name, std::string_view data);

}  // namespace lade::http
