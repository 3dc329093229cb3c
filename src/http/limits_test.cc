// Slow, large and many: what a server does not put up with.
#include "testing/http_server.h"

namespace lade::http {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using namespace std::chrono_literals;

class LimitsTest : public testing::HttpServerTest {
 protected:
  void wait_until_connections(std::size_t count) const {
    for (int i = 0; i < 20'000 && server->connections() != count; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(server->connections(), count);
  }
};

TEST_F(LimitsTest, HeadsHaveALimit) {
  start({.limits = {.header_bytes = 1000}});
  const auto with_head = [](std::size_t bytes) {
    const std::string begin = "GET / HTTP/1.1\r\nHost: t\r\nX: ";
    return begin + std::string(bytes - begin.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(ask(with_head(1000)).status, 200);
  EXPECT_EQ(ask(with_head(1001)).body, "header_too_large");
  EXPECT_EQ(ask("GET /" + std::string(100'000, 'x')).status, 431) << "without waiting for its end";
}

TEST_F(LimitsTest, ASlowHeadIsRefused) {
  start({.limits = {.header_time = 50ms}});
  HttpClient one = client();
  EXPECT_TRUE(one.send("GET / HTTP/1.1\r\nHo"));
  const HttpAnswer answer = one.answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.body, "request_timeout");
  EXPECT_TRUE(one.at_end());
}

TEST_F(LimitsTest, ASilentConnectionIsClosedWithoutAWord) {
  start({.limits = {.header_time = 20ms}});
  EXPECT_TRUE(client().at_end());
}

TEST_F(LimitsTest, AnIdleConnectionIsClosed) {
  start({.limits = {.idle_time = 20ms}});
  HttpClient one = client();
  EXPECT_EQ(one.ask(get("/")).status, 200);
  EXPECT_TRUE(one.at_end());
}

TEST_F(LimitsTest, ASlowBodyIsRefused) {
  start({.limits = {.body_bytes_a_second = 1'000'000, .body_grace = 50ms}});
  HttpClient one = client();
  EXPECT_TRUE(one.send("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 900000\r\n\r\nabc"));
  const HttpAnswer answer = one.answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_TRUE(one.at_end());
}

TEST_F(LimitsTest, ABodyThatIsFastEnoughIsTakenHoweverLongItLasts) {
  start({.limits = {.body_bytes_a_second = 10, .body_grace = 20ms}});
  HttpClient one = client();
  EXPECT_TRUE(one.send("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 20\r\n\r\n"));
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(one.send("x"));
  }
  EXPECT_EQ(one.answer().body, std::string(20, 'x'));
}

TEST_F(LimitsTest, AClientThatTakesNothingIsLeft) {
  on_request = [](Request&) { return text(std::string(20'000'000, 'x'), "image/png"); };
  start({.limits = {.send_time = 50ms}});
  HttpClient one(server->port(), 4096);
  EXPECT_TRUE(one.send(get("/")));
  EXPECT_EQ(wait_for_done(1)[0].status, 0);
  wait_until_connections(0);
}

TEST_F(LimitsTest, AnAddressMayHaveSoManyConnections) {
  start({.limits = {.connections_per_address = 3}});
  HttpClient first = client(), second = client(), third = client();
  for (HttpClient* const one : {&first, &second, &third}) EXPECT_EQ(one->ask(get("/")).status, 200);
  const HttpAnswer refused = ask(get("/"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "too_many_connections");
  EXPECT_EQ(refused.fields.at("retry-after"), "1");
  EXPECT_EQ(refused.fields.at("x-message"), "127.0.0.1 has 3 connections, which is the limit");
  EXPECT_EQ(server->connections(), 3U);
}

TEST_F(LimitsTest, ClosedConnectionsAreNotCounted) {
  start({.limits = {.connections_per_address = 1}});
  for (int i = 0; i < 50; ++i) {
    HttpClient one = client();
    EXPECT_EQ(one.ask(get("/")).status, 200) << i;
  }
}

TEST_F(LimitsTest, TheServerMayHaveSoManyConnections) {
  start({.limits = {.connections = 1}});
  HttpClient first = client();
  EXPECT_EQ(first.ask(get("/")).status, 200);
  EXPECT_EQ(ask(get("/")).fields.at("x-message"), "the server has 1 connections, which is its limit");
  first.close();
  wait_until_connections(0);
  EXPECT_EQ(ask(get("/")).status, 200);
}

TEST_F(LimitsTest, SlowClientsHoldNoHandlerThread) {
  start({.handler_threads = 1});
  HttpClient slow_head = client(), slow_body = client(), waiting = client();
  EXPECT_TRUE(slow_head.send("GET / HT"));
  EXPECT_TRUE(slow_body.send("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nab"));
  EXPECT_TRUE(waiting.send("PUT / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n"));
  EXPECT_EQ(waiting.answer().status, 100);
  EXPECT_EQ(ask(post("/", "quick")).body, "quick");
  EXPECT_EQ(slow_head.ask("TP/1.1\r\nHost: t\r\n\r\n").status, 200);
  EXPECT_EQ(slow_body.ask("cdefghij").body, "abcdefghij");
}

}  // namespace
}  // namespace lade::http
