#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "http/body_reader.h"
#include "http/errand.h"
#include "http/handler.h"
#include "http/prepared_response.h"

// Inside the module only.
namespace lade::http {

// What all connections of a server have in common; outlives them.
struct Service {
  Handler& handler;
  const Limits& limits;
  boost::asio::thread_pool& handler_threads;
  const std::atomic<bool>& draining;
};

// One request and its answer.
class Exchange {
 public:
  // What comes behind the request is left in `buffered`.
  Exchange(const Service& service, Stream& stream, std::string& buffered, std::unique_ptr<RequestParser> parser,
           RequestHead head);

  // Whether the connection may be used for another.
  Task<bool> run();
  // Ends it if it is a stream of events.
  void drain();

 private:
  Task<Reception> receive();
  Task<void> take_whole(WholeBody& body);
  Task<void> take_streamed(StreamedBody& body);
  // Refuses a body that is too large and tells a client that waits for it to send the others.
  Task<Result<void>> begin_body(std::uint64_t most_bytes);
  Task<Result<void>> read_whole(std::string& text);
  Task<Result<void>> pump(BodySink& sink);

  Task<void> answer(const std::function<Response()>& make);
  Task<void> refuse(const Error& error);
  PreparedResponse prepared(Response response) const;

  Task<bool> send();
  Task<bool> send_file();
  Task<bool> send_events(EventChannel& channel);
  Task<bool> skip_rest();
  void report(bool sent);

  const Service& service_;
  Stream& stream_;
  Errand errand_;
  std::unique_ptr<RequestParser> parser_;
  const RequestHead head_;                  // all but its request, which is …
  const std::shared_ptr<Request> request_;  // … shared with the call of Handler::done()
  BodyReader body_;
  bool continued_ = false;  // the client was told to send the body
  bool broken_ = false;     // the body cannot be read any further
  bool client_gone_ = false;
  PreparedResponse response_;
  std::shared_ptr<Signal> events_signal_;  // shared with whoever pushes events
  const Clock::time_point begin_ = Clock::now();
  const std::uint64_t written_before_;
};

}  // namespace lade::http
