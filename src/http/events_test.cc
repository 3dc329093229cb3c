// Streams of events, and the end of a server.
#include <chrono>
#include <future>
#include <thread>

#include "testing/http_server.h"

namespace lade::http {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using namespace std::chrono_literals;

class EventsTest : public testing::HttpServerTest {
 protected:
  EventsTest() {
    on_request = [this](Request& request) -> Reception {
      if (request.path == "/events") return Response{.body = channel};
      if (request.path == "/slow") {
        entered.set_value();
        released.get_future().wait();
      }
      return text("done");
    };
  }
  // A client that has got the head of the stream.
  void open(HttpClient& one) {
    EXPECT_TRUE(one.send(get("/events")));
    head = one.until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n")) << head;
  }
  void wait_until_left() const {
    for (int i = 0; i < 20'000 && channel->is_open(); ++i) std::this_thread::sleep_for(1ms);
    EXPECT_FALSE(channel->is_open());
  }

  std::shared_ptr<EventChannel> channel = std::make_shared<EventChannel>();
  std::string head;
  std::promise<void> entered;
  std::promise<void> released;
};

TEST_F(EventsTest, EventsAreSentAsTheyCome) {
  start();
  EXPECT_TRUE(channel->push(event_text("1", "early", "a")));
  HttpClient one = client();
  open(one);
  EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_NE(head.find("Cache-Control: no-store\r\n"), std::string::npos);
  EXPECT_NE(head.find("X-Accel-Buffering: no\r\n"), std::string::npos);
  EXPECT_EQ(one.until("\n\n"), "id: 1\nevent: early\ndata: a\n\n");
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(channel->push(event_text(std::to_string(i), "", "x")));
    EXPECT_EQ(one.until("\n\n"), "id: " + std::to_string(i) + "\ndata: x\n\n");
  }
  EXPECT_TRUE(channel->push(event_text("", "", "last")));
  channel->close();
  EXPECT_EQ(one.rest(), "data: last\n\n");
  EXPECT_FALSE(channel->push("more"));
  EXPECT_EQ(wait_for_done(1)[0].status, 200);
}

TEST_F(EventsTest, AQuietStreamGetsComments) {
  start({.limits = {.event_time = 20ms}});
  HttpClient one = client();
  open(one);
  EXPECT_EQ(one.exactly(6), ":\n\n:\n\n");
}

TEST_F(EventsTest, AClientThatHasGoneIsNoticedAtOnce) {
  start();
  {
    HttpClient one = client();
    open(one);
  }
  wait_until_left();
  EXPECT_FALSE(channel->push("more"));
  wait_for_done(1);
}

TEST_F(EventsTest, ASlowClientIsLeft) {
  channel = std::make_shared<EventChannel>(100'000);
  start({.limits = {.send_time = 100ms}});
  HttpClient one(server->port(), 4096);
  open(one);
  const std::string event = event_text("", "", std::string(50'000, 'x'));
  for (int i = 0; i < 1000 && channel->push(event); ++i) std::this_thread::yield();
  EXPECT_FALSE(channel->is_open());
  wait_for_done(1);
}

TEST_F(EventsTest, HeadOfAStreamOpensNone) {
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send("HEAD /events HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_EQ(one.answer(true).fields.at("content-type"), "text/event-stream");
  EXPECT_TRUE(one.at_end());
  EXPECT_FALSE(channel->is_open());
}

TEST_F(EventsTest, DrainingEndsStreamsAndIdleConnections) {
  start();
  HttpClient streaming = client(), idle = client(), fresh = client();
  open(streaming);
  EXPECT_EQ(idle.ask(get("/")).status, 200);
  EXPECT_TRUE(channel->push("data: last\n\n"));
  EXPECT_TRUE(server->drain(10s));
  EXPECT_EQ(streaming.rest(), "data: last\n\n");
  EXPECT_TRUE(idle.at_end());
  EXPECT_TRUE(fresh.at_end());
  EXPECT_EQ(server->connections(), 0U);
  EXPECT_FALSE(client().connected());
}

TEST_F(EventsTest, DrainingLetsRequestsFinish) {
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send(get("/slow")));
  entered.get_future().wait();
  auto drained = std::async(std::launch::async, [&] { return server->drain(10s); });
  while (client().connected()) std::this_thread::yield();
  EXPECT_EQ(drained.wait_for(0s), std::future_status::timeout);
  released.set_value();
  const HttpAnswer answer = one.answer();
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.fields.at("connection"), "close");
  one.close();
  EXPECT_TRUE(drained.get());
}

TEST_F(EventsTest, DrainingDoesNotWaitForever) {
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send(get("/slow")));
  entered.get_future().wait();
  EXPECT_FALSE(server->drain(10ms));
  released.set_value();
  server.reset();
  EXPECT_EQ(one.answer().status, 0);
}

TEST(EventTextTest, SeveralLinesAreSeveralFields) {
  EXPECT_EQ(event_text("7", "row", "a\nb\r\nc\rd"), "id: 7\nevent: row\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(event_text("", "", ""), "data: \n\n");
  EXPECT_EQ(event_text("1\n2", "a\rb", "x\n"), "id: 1 2\nevent: a b\ndata: x\ndata: \n\n");
}

}  // namespace
}  // namespace lade::http
