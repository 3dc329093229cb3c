#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/server.h"
#include "testing/http_client.h"
#include "testing/results.h"

namespace lade::testing {

// A server on a free port of this machine that answers as the test says.
class HttpServerTest : public ::testing::Test, public http::Handler {
 protected:
  struct Done {
    std::string path;
    int status;
    std::uint64_t bytes_in;
    std::uint64_t bytes_out;
  };

  // Answers with `on_request`, which by default repeats the body.
  http::Reception receive(http::Request& request) override { return on_request(request); }
  http::Response refuse(const http::Request*, const Error& error) override {
    if (error.code == "internal_error" && refusal_throws) throw std::runtime_error("no answer either");
    const auto status = statuses.find(error.code);
    http::Response response{.status = status != statuses.end() ? status->second : 500, .body = error.code};
    response.headers.set("X-Message", error.message);
    return response;
  }
  void done(const http::Request& request, int status, double, std::uint64_t bytes_in,
            std::uint64_t bytes_out) override {
    const std::lock_guard lock(mutex_);
    done_.push_back({request.path, status, bytes_in, bytes_out});
    changed_.notify_all();
  }

  void start(http::ServerOptions options = {}) {
    options.port = 0;
    auto started = http::Server::start(std::move(options), *this);
    ASSERT_OK(started);
    server = std::move(*started);
  }
  void TearDown() override { server.reset(); }

  HttpClient client() const { return HttpClient(server->port()); }
  // A request of its own connection.
  HttpAnswer ask(std::string_view text) const { return HttpClient(server->port()).ask(text); }
  static std::string get(std::string_view path, std::string_view fields = {}) {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) + "\r\n";
  }
  static std::string post(std::string_view path, std::string_view body, std::string_view fields = {}) {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n" + std::string(fields) + "\r\n" + std::string(body);
  }

  // Once so many requests are done.
  std::vector<Done> wait_for_done(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return done_.size() >= count; }));
    return done_;
  }

  static http::Reception text(std::string body, std::string type = "text/plain") {
    http::Response response{.body = std::move(body)};
    response.headers.set("Content-Type", std::move(type));
    return response;
  }
  static http::Reception repeat_body(http::Request&) {
    return http::WholeBody{1'000'000, [](std::string body) { return http::Response{.body = std::move(body)}; }};
  }

  std::function<http::Reception(http::Request&)> on_request = repeat_body;
  bool refusal_throws = false;
  const std::map<std::string, int> statuses{{"request_invalid", 400},  {"request_timeout", 408},
                                            {"length_required", 411},  {"body_too_large", 413},
                                            {"header_too_large", 431}, {"too_many_connections", 503}};
  std::unique_ptr<http::Server> server;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Done> done_;
};

}  // namespace lade::testing
