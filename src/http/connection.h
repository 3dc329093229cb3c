#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/exchange.h"

// Inside the module only.
namespace lade::http {

// A client's connection: requests one after another, each answered before the next is looked at. Belongs to the thread
// of its stream.
class Connection {
 public:
  Connection(const Service& service, std::shared_ptr<Stream> stream) : service_(service), stream_(std::move(stream)) {}

  // Until either side has enough.
  Task<void> run();
  // Instead of run(): says why it is not taken, and closes.
  Task<void> turn_away(Error error);

  // Waits for no further request; ends a stream of events.
  void drain();
  void abort() { stream_->abort(); }
  const Stream& stream() const { return *stream_; }

 private:
  // Null: there is none, because the client has gone or nothing came for too long.
  Task<Result<std::optional<RequestHead>>> read_head(RequestParser& parser);
  Task<bool> wait_for_request();
  Task<bool> serve_one();

  const Service& service_;
  std::shared_ptr<Stream> stream_;  // shared with its own watches
  std::string buffered_;            // came behind the last request
  bool first_ = true;
  bool waiting_ = false;
  Exchange* exchange_ = nullptr;
};

}  // namespace lade::http
