// Requests and answers over real sockets.
#include "http/server.h"

#include <zlib.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "testing/http_server.h"

namespace lade::http {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;

class ServerTest : public testing::HttpServerTest {};

std::string unzipped(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(1'000'000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST_F(ServerTest, AHandlerSeesTheRequest) {
  Request seen;
  on_request = [&](Request& request) {
    seen = request;
    return text("hello");
  };
  start();
  const HttpAnswer answer =
      ask("LADE /a%20b//c?x=1&y=%2F?z HTTP/1.1\r\nhOST: test:80\r\nX-Two:  words and\ttab \r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.fields.at("content-length"), "5");
  EXPECT_EQ(answer.fields.at("date").size(), 29U);
  EXPECT_EQ(answer.fields.at("x-request-id"), seen.id);
  EXPECT_EQ(seen.method, "LADE");
  EXPECT_EQ(seen.path, "/a%20b//c");
  EXPECT_EQ(seen.query, "x=1&y=%2F?z");
  EXPECT_EQ(seen.headers.get("x-two"), "words and\ttab");
  EXPECT_EQ(seen.peer, "127.0.0.1");
  EXPECT_FALSE(seen.secure);
}

TEST_F(ServerTest, ManyRequestsShareAConnection) {
  start();
  HttpClient one = client();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(one.ask(post("/", std::to_string(i))).body, std::to_string(i));
  // Sent at once, answered one after another.
  EXPECT_TRUE(one.send(post("/", "first") + "\r\n" + get("/") + post("/", "third")));
  EXPECT_EQ(one.answer().body, "first");
  EXPECT_EQ(one.answer().body, "");
  EXPECT_EQ(one.answer().body, "third");
  EXPECT_EQ(one.ask(post("/", "last", "Connection: Close\r\n")).fields.at("connection"), "close");
  EXPECT_TRUE(one.at_end());
  EXPECT_EQ(wait_for_done(24).size(), 24U);
}

TEST_F(ServerTest, RequestsMayComeByteByByte) {
  start();
  HttpClient one = client();
  for (const char c : post("/", "slow", "Transfer-Foo: x\r\n")) EXPECT_TRUE(one.send({&c, 1}));
  EXPECT_EQ(one.answer().body, "slow");
  for (const char c : std::string("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "3;name=\"value\"\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"))
    EXPECT_TRUE(one.send({&c, 1}));
  EXPECT_EQ(one.answer().body, "abc0123456789");
  EXPECT_EQ(one.ask(post("/", "after")).body, "after");
}

TEST_F(ServerTest, HttpOneZero) {
  start();
  HttpClient one = client();
  EXPECT_EQ(one.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").fields.at("connection"), "keep-alive");
  EXPECT_EQ(one.ask("POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok").body, "ok");
  EXPECT_TRUE(one.at_end());
}

TEST_F(ServerTest, HeadHasTheFieldsOfGetAndNoBody) {
  on_request = [](Request&) { return text("hello"); };
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send("HEAD / HTTP/1.1\r\nHost: t\r\n\r\n" + get("/")));
  const HttpAnswer head = one.answer(true);
  EXPECT_EQ(head.fields.at("content-length"), "5");
  EXPECT_EQ(one.answer().body, "hello");
}

TEST_F(ServerTest, NoContentHasNoLength) {
  on_request = [](Request& request) { return Response{.status = request.path == "/304" ? 304 : 204, .body = "lost"}; };
  start();
  HttpClient one = client();
  for (const std::string path : {"/204", "/304"}) {
    const HttpAnswer answer = one.ask(get(path));
    EXPECT_EQ(answer.status, std::stoi(path.substr(1)));
    EXPECT_FALSE(answer.fields.contains("content-length"));
  }
  EXPECT_EQ(one.ask(get("/")).status, 204) << "nothing of the bodies was sent";
}

TEST_F(ServerTest, AClientMayNameItsRequest) {
  start();
  const auto id = [&](const std::string& given) {
    return ask(get("/", "X-Request-Id: " + given + "\r\n")).fields.at("x-request-id");
  };
  EXPECT_EQ(id("job-7_a.B"), "job-7_a.B");
  EXPECT_EQ(id("no spaces").size(), 36U);
  EXPECT_EQ(id(std::string(65, 'x')).size(), 36U);
  std::set<std::string> ids;
  for (int i = 0; i < 10; ++i) ids.insert(id(""));
  EXPECT_EQ(ids.size(), 10U);
}

TEST_F(ServerTest, FieldsCannotBreakOutOfTheirLine) {
  on_request = [](Request&) {
    Response response;
    response.headers.set("X-Name", "a\r\nSet-Cookie: b");
    return response;
  };
  start();
  const HttpAnswer answer = ask(get("/"));
  EXPECT_EQ(answer.fields.at("x-name"), "a  Set-Cookie: b");
  EXPECT_FALSE(answer.fields.contains("set-cookie"));
}

TEST_F(ServerTest, AWaitingClientIsToldToSendItsBody) {
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_EQ(one.answer().status, 100);
  EXPECT_EQ(one.ask("ok").body, "ok");
  EXPECT_EQ(one.ask(get("/")).status, 200);
}

TEST_F(ServerTest, AWaitingClientIsRefusedBeforeItSends) {
  on_request = [](Request&) { return Response{.status = 401, .body = "who are you"}; };
  start();
  HttpClient one = client();
  const HttpAnswer answer = one.ask("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_TRUE(one.at_end());
}

TEST_F(ServerTest, ARefusedUploadIsNotReadAndTheClientSeesWhy) {
  on_request = [](Request&) { return Response{.status = 401, .body = "who are you"}; };
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 2000000000\r\n\r\n" + std::string(100'000, 'x')));
  const HttpAnswer answer = one.answer();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "who are you");
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_TRUE(one.at_end());
  EXPECT_EQ(wait_for_done(1)[0].bytes_in, 0U);
}

TEST_F(ServerTest, ASmallRefusedBodyCostsNoConnection) {
  on_request = [](Request& request) { return Response{.status = 404, .body = request.path}; };
  start();
  HttpClient one = client();
  EXPECT_EQ(one.ask(post("/a", std::string(60'000, 'x'))).status, 404);
  EXPECT_EQ(one.ask(get("/b")).body, "/b");
}

TEST_F(ServerTest, TooLargeBodiesAreRefused) {
  on_request = [](Request&) {
    return WholeBody{10, [](std::string body) { return Response{.body = std::move(body)}; }};
  };
  start();
  HttpClient one = client();
  EXPECT_EQ(one.ask(post("/", "0123456789")).body, "0123456789");
  EXPECT_EQ(one.ask(post("/", "0123456789+")).body, "body_too_large");
  EXPECT_EQ(one.ask(post("/", "0123")).body, "0123") << "so little does not cost the connection";
  const HttpAnswer waiting = ask("PUT / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(waiting.status, 413) << "without asking for it first";
  const HttpAnswer chunked =
      ask("PUT / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n6\r\n01234");
  EXPECT_EQ(chunked.status, 413) << "before it is whole: " << chunked.body;
}

TEST_F(ServerTest, LargeTextsAreCompressedForThoseWhoTakeIt) {
  const std::string large(5000, 'x');
  on_request = [&](Request& request) {
    auto response = std::get<Response>(text(request.path == "/small" ? "small" : large,
                                            request.path == "/image" ? "image/png" : "application/problem+json"));
    response.headers.set("ETag", "\"7\"");
    response.headers.set("Vary", "Cookie");
    return response;
  };
  start();
  const HttpAnswer zipped = ask(get("/", "Accept-Encoding: br, gzip;q=0.5\r\n"));
  EXPECT_EQ(zipped.fields.at("content-encoding"), "gzip");
  EXPECT_EQ(zipped.fields.at("vary"), "Cookie, Accept-Encoding");
  EXPECT_EQ(zipped.fields.at("etag"), "W/\"7\"");
  EXPECT_LT(zipped.body.size(), 200U);
  EXPECT_EQ(unzipped(zipped.body), large);
  for (const std::string fields : {"", "Accept-Encoding: br, gzip;q=0.0\r\n", "Accept-Encoding: *;q=0\r\n"}) {
    const HttpAnswer plain = ask(get("/", fields));
    EXPECT_EQ(plain.body, large);
    EXPECT_EQ(plain.fields.at("etag"), "\"7\"");
    EXPECT_EQ(plain.fields.at("vary"), "Cookie, Accept-Encoding");
  }
  for (const std::string path : {"/small", "/image"})
    EXPECT_FALSE(ask(get(path, "Accept-Encoding: gzip\r\n")).fields.contains("content-encoding")) << path;
}

TEST_F(ServerTest, AHandlerThatThrowsCostsOneAnswer) {
  on_request = [&](Request& request) -> Reception {
    if (request.path == "/receive") throw std::runtime_error("oh");
    return WholeBody{10, [](std::string) -> Response { throw 7; }};
  };
  start();
  HttpClient one = client();
  EXPECT_EQ(one.ask(get("/receive")).fields.at("x-message"), "a handler threw: oh");
  EXPECT_EQ(one.ask(post("/", "x")).body, "internal_error");
  refusal_throws = true;
  EXPECT_EQ(one.ask(post("/", "x")).status, 500);
  EXPECT_EQ(wait_for_done(3)[2].status, 500);
}

TEST_F(ServerTest, DoneTellsWhatWentOverTheWire) {
  on_request = [](Request&) {
    return WholeBody{100, [](std::string) { return Response{.status = 201, .body = "yes"}; }};
  };
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send(post("/it", "12345", "Connection: close\r\n")));
  const std::string all = one.rest();
  const auto done = wait_for_done(1);
  EXPECT_EQ(done[0].path, "/it");
  EXPECT_EQ(done[0].status, 201);
  EXPECT_EQ(done[0].bytes_in, 5U);
  EXPECT_EQ(done[0].bytes_out, all.size());
}

TEST_F(ServerTest, ManyClientsAtOnceOnSeveralThreads) {
  start({.io_threads = 3, .handler_threads = 4});
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      HttpClient one = client();
      for (int i = 0; i < 50; ++i) {
        const std::string body = std::string(static_cast<std::size_t>(i * 100), 'x') + std::to_string(t * 1000 + i);
        right += one.ask(post("/", body)).body == body;
      }
    });
  threads.clear();
  EXPECT_EQ(right, 400);
}

TEST_F(ServerTest, AnAddressThatIsNotOursIsRefused) {
  start();
  EXPECT_FAILS(Server::start({.port = server->port()}, *this), "cannot_listen");
  const auto refused = Server::start({.address = "localhost"}, *this);
  ASSERT_FAILS(refused, "cannot_listen");
  EXPECT_EQ(refused.error().message, "cannot listen on localhost port 8080: Invalid argument");
}

}  // namespace
}  // namespace lade::http
