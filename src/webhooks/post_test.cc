// One request to a stranger: what is sent, what is refused, and what a stranger cannot do.
#include "webhooks/post.h"

#include <gmock/gmock.h>

#include "testing/receiver.h"
#include "testing/results.h"

namespace lade::webhooks {
namespace {

using namespace std::chrono_literals;
using lade::testing::Receiver;
using ::testing::HasSubstr;

constexpr PostLimits kLoopback{.connect_timeout = 5s, .timeout = 20s, .allow_private = true};

PostRequest to(const std::string& url) {
  return {.url = url, .headers = {"Content-Type: text/plain", "x-one: 1"}, .body = "hello\r\n\r\n\xc3\xa4"};
}

TEST(Post, SendsHeadersAndBody) {
  Receiver receiver;
  receiver.serve_statuses({204});
  const auto answer = post(to(receiver.url()), kLoopback, {});
  ASSERT_OK(answer);
  EXPECT_EQ(answer->status, 204);
  ASSERT_EQ(receiver.requests().size(), 1u);
  const Receiver::Request request = receiver.requests().front();
  EXPECT_EQ(request.line, "POST /hook HTTP/1.1");
  EXPECT_EQ(request.body, "hello\r\n\r\n\xc3\xa4");
  EXPECT_EQ(request.headers.at("content-type"), "text/plain");
  EXPECT_EQ(request.headers.at("x-one"), "1");
  EXPECT_FALSE(request.headers.contains("expect"));
}

TEST(Post, ReadsLittleOfWhatComesBack) {
  Receiver receiver;
  receiver.serve([](const Receiver::Request&) { return Receiver::answer(500, std::string(1'000'000, 'x')); });
  const auto answer = post(to(receiver.url()), kLoopback, {});
  ASSERT_OK(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->excerpt, std::string(4096, 'x'));
}

TEST(Post, DoesNotFollowRedirects) {
  Receiver elsewhere, receiver;
  elsewhere.serve_statuses({200});
  receiver.serve(
      [&](const Receiver::Request&) { return Receiver::answer(307, "", "Location: " + elsewhere.url() + "\r\n"); });
  const auto answer = post(to(receiver.url()), kLoopback, {});
  ASSERT_OK(answer);
  EXPECT_EQ(answer->status, 307);
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(Post, ConnectsToNoPrivateAddress) {
  Receiver receiver;
  receiver.serve_statuses({200});
  const std::string port = receiver.url().substr(receiver.url().rfind(':'));
  for (const char* host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"}) {
    const auto refused = post(to("http://" + std::string(host) + port), {}, {});
    EXPECT_FAILS(refused, "delivery_address_refused") << host;
  }
  EXPECT_TRUE(receiver.requests().empty());
}

TEST(Post, UsesNoProxyOfTheEnvironment) {
  Receiver proxy, receiver;
  proxy.serve_statuses({200});
  receiver.serve_statuses({202});
  ASSERT_EQ(setenv("http_proxy", proxy.url().c_str(), 1), 0);
  const auto answer = post(to(receiver.url()), kLoopback, {});
  ASSERT_EQ(unsetenv("http_proxy"), 0);
  ASSERT_OK(answer);
  EXPECT_EQ(answer->status, 202);
  EXPECT_TRUE(proxy.requests().empty());
}

TEST(Post, GivesUpOnASlowReceiver) {
  Receiver receiver;
  receiver.serve([](const Receiver::Request&) { return std::nullopt; });
  PostLimits limits = kLoopback;
  limits.timeout = 200ms;
  const auto late = post(to(receiver.url()), limits, {});
  ASSERT_FAILS(late, "delivery_failed");
  EXPECT_THAT(late.error().message, HasSubstr("Timeout"));
}

TEST(Post, StopsWhenAsked) {
  Receiver receiver;
  std::stop_source stop;
  receiver.serve([&](const Receiver::Request&) {
    stop.request_stop();
    return std::nullopt;
  });
  EXPECT_FAILS(post(to(receiver.url()), kLoopback, stop.get_token()), "cancelled");
}

TEST(Post, TellsWhenNobodyListens) {
  std::string url;
  {
    const Receiver gone;
    url = gone.url();
  }
  EXPECT_FAILS(post(to(url), kLoopback, {}), "delivery_failed");
  Receiver rude;
  rude.serve([](const Receiver::Request&) { return ""; });
  EXPECT_FAILS(post(to(rude.url()), kLoopback, {}), "delivery_failed");
  EXPECT_FAILS(post(to("file:///etc/hostname"), kLoopback, {}), "delivery_failed");
}

TEST(Url, IsHttpWithoutCredentials) {
  for (const char* url : {"https://example.com", "http://example.com:8080/a?b=c#d", "HTTPS://EXAMPLE.COM/x",
                          "https://[2606:4700::1111]/x"})
    EXPECT_OK(check_url(url)) << url;
  EXPECT_OK(check_url("https://example.com/" + std::string(2048 - 20, 'x')));
  for (const std::string url :
       {"", "example.com", "/hook", "ftp://example.com", "file:///etc/passwd", "gopher://example.com", "https://",
        "http://ada@example.com", "http://ada:secret@example.com/", "http://:secret@example.com/",
        "http://example.com/a b", "http://example.com/\r\nx: y", "http://example.com:99999/", "javascript:alert(1)"})
    EXPECT_FAILS(check_url(url), "webhook_url_invalid") << url;
  EXPECT_FAILS(check_url("https://example.com/" + std::string(2048, 'x')), "webhook_url_invalid");
}

}  // namespace
}  // namespace lade::webhooks
