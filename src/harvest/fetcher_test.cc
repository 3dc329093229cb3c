// Pages of a real server that behaves well, badly, or not at all.
#include "harvest/fetcher.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <ctime>
#include <mutex>

#include "base/sha256.h"
#include "harvest/politeness.h"
#include "testing/dns_server.h"
#include "testing/page_server.h"
#include "testing/results.h"

namespace lade::harvest {
namespace {

using namespace std::chrono_literals;
using lade::testing::DnsServer;
using lade::testing::PageServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Request = PageServer::Request;
using Peer = PageServer::Peer;

constexpr PolitenessRules kHurried{.per_minute = 0, .burst = 1, .host_at_once = 100, .all_at_once = 100};

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

class Fetching : public ::testing::Test {
 protected:
  void serve(PageServer::Answer answer, bool keeps = false) {
    server_ = std::make_unique<PageServer>(std::move(answer), keeps);
    FetcherOptions options{.guard = {.allow = {"127.0.0.1", "site.test", "other.test"},
                                     .ports = {static_cast<std::uint16_t>(server_->port())}},
                           .resolver = {.servers = names_.address()}};
    options.user_agent = "tester/1";
    auto fetcher = Fetcher::open(options, gate_);
    ASSERT_OK(fetcher);
    fetcher_ = std::move(*fetcher);
  }
  void serve_bytes(std::string bytes) {
    serve([bytes = std::move(bytes)](const Request&, const Peer& peer) { peer.send(bytes); });
  }
  FetchRequest request(std::string_view path = "/page") {
    FetchRequest request{.url = server_->url(path), .body = &body_};
    request.respect_robots = false;
    return request;
  }
  FetchFailure failure_of(const FetchRequest& asked) {
    auto outcome = fetcher_->fetch(asked);
    EXPECT_FALSE(outcome.has_value());
    return outcome ? FetchFailure{} : outcome.error();
  }

  DnsServer names_{[](const std::string& name, int) {
    if (name == "site.test" || name == "other.test") return std::vector<std::string>{"127.0.0.1"};
    if (name == "two.test") return std::vector<std::string>{"127.0.0.9", "127.0.0.1"};
    return std::vector<std::string>{};
  }};
  Politeness gate_{kHurried};
  StringSink body_;
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<Fetcher> fetcher_;
};

// Many at once, again and again with none under way between: on the connections of the first time.
TEST_F(Fetching, ConnectionsAreKept) {
  constexpr int kAtOnce = 16, kTimes = 4;
  std::barrier together(kAtOnce), ended(kAtOnce + 1);
  serve(
      [&](const Request&, const Peer& peer) {
        together.arrive_and_wait();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello");
      },
      true);
  for (int time = 0; time < kTimes; ++time) {
    std::atomic<int> good = 0;
    for (int i = 0; i < kAtOnce; ++i) {
      FetchRequest asked = request(fmt::format("/{}", i));
      asked.body = nullptr;
      fetcher_->start(asked, {}, [&](const FetchOutcome& outcome) {
        good += outcome.has_value() ? 1 : 0;
        (void)ended.arrive();
      });
    }
    ended.arrive_and_wait();
    EXPECT_EQ(good, kAtOnce);
  }
  EXPECT_EQ(server_->connections(), kAtOnce);
  fetcher_.reset();  // its thread may still be leaving the barrier
}

TEST_F(Fetching, TellsAllOfAPage) {
  Request seen;
  serve([&](const Request& request, const Peer& peer) {
    seen = request;
    peer.send(PageServer::page("<p>hello</p>",
                               "Content-Type: text/html; charset=utf-8\r\nETag: \"1\"\r\nX-A: 1\r\nx-a: 2\r\n"));
  });
  const auto page = fetcher_->fetch(request("/page?a=b#part"));
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->url, server_->url("/page?a=b"));
  EXPECT_THAT(page->hops, ElementsAre(page->url));
  EXPECT_EQ(page->header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page->header("etag"), "\"1\"");
  EXPECT_EQ(page->header("x-a"), "2");
  EXPECT_EQ(page->header("x-b"), "");
  EXPECT_EQ(page->address, "127.0.0.1");
  EXPECT_EQ(body_.text, "<p>hello</p>");
  EXPECT_EQ(page->sha256, sha256_of(body_.text));
  EXPECT_EQ(page->wire_bytes, 12u);
  EXPECT_EQ(page->body_bytes, 12u);
  EXPECT_FALSE(page->not_modified);
  EXPECT_EQ(seen.headers["user-agent"], "tester/1");
  EXPECT_EQ(seen.headers["accept-language"], "en,*;q=0.5");
  EXPECT_FALSE(seen.headers.contains("cookie"));
  EXPECT_FALSE(seen.headers.contains("if-none-match"));
}

TEST_F(Fetching, InflatesAndCountsBoth) {
  const std::string text(100'000, 'x');
  const std::string small = gzipped(text);
  serve_bytes(PageServer::page(small, "Content-Encoding: gzip\r\n"));
  const auto page = fetcher_->fetch(request());
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_EQ(body_.text, text);
  EXPECT_EQ(page->wire_bytes, small.size());
  EXPECT_EQ(page->body_bytes, text.size());
  EXPECT_EQ(page->sha256, sha256_of(text));
}

TEST_F(Fetching, StopsAPageThatInflatesTooMuch) {
  serve_bytes(PageServer::page(gzipped(std::string(50'000'000, '0')), "Content-Encoding: gzip\r\n"));
  const auto failure = failure_of(request());
  EXPECT_EQ(failure.error.code, "scrape_failed");
  EXPECT_EQ(failure.reason, "inflates_too_much");
  EXPECT_TRUE(failure.is_final);
  EXPECT_LT(body_.text.size(), 3'000'000u);
}

TEST_F(Fetching, StopsAPageThatIsTooLarge) {
  serve_bytes(PageServer::page(gzipped(std::string(500'000, 'a')), "Content-Encoding: gzip\r\n"));
  auto asked = request();
  asked.limits.body_bytes = 400'000;
  EXPECT_EQ(failure_of(asked).reason, "too_large");
}

TEST_F(Fetching, StopsABodyWithoutEnd) {
  serve([](const Request&, const Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (peer.send("400\r\n" + std::string(1024, 'x') + "\r\n")) {
    }
  });
  auto asked = request();
  asked.limits.wire_bytes = 1'000'000;
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.reason, "too_large");
  EXPECT_TRUE(failure.is_final);
  EXPECT_LT(body_.text.size(), 1'200'000u);
}

TEST_F(Fetching, StopsHeadersWithoutEnd) {
  serve([](const Request&, const Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\n");
    while (peer.send("X-A: " + std::string(1000, 'x') + "\r\n")) {
    }
  });
  EXPECT_EQ(failure_of(request()).reason, "headers_too_large");
}

TEST_F(Fetching, GivesUpOnASlowFirstByte) {
  serve([](const Request&, const Peer& peer) { peer.wait_closed(); });
  auto asked = request();
  asked.limits.first_byte = 100ms;
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.error.code, "scrape_failed");
  EXPECT_EQ(failure.reason, "first_byte_timeout");
  EXPECT_FALSE(failure.is_final);
  EXPECT_EQ(failure.url, server_->url("/page"));
  EXPECT_EQ(failure.http_status, 0);
}

TEST_F(Fetching, GivesUpOnAStalledBody) {
  serve([](const Request&, const Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    peer.wait_closed();
  });
  auto asked = request();
  asked.limits.slow_for = 100ms;
  EXPECT_EQ(failure_of(asked).reason, "too_slow");
  asked.limits = {};
  asked.limits.total = 150ms;
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.reason, "timeout");
  EXPECT_FALSE(failure.is_final);
}

TEST_F(Fetching, TellsBrokenAnswersApart) {
  struct Case {
    std::string bytes;
    bool resets;
    std::string reason;
    bool is_final;
  };
  const std::vector<Case> cases = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", false, "incomplete", false},
      {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", true, "connection_broken", false},
      {"", false, "connection_broken", false},
      {"", true, "connection_broken", false},
      {"SSH-2.0-OpenSSH_9.2\r\n", false, "not_http", true},
      {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nno gzip..", false, "encoding_invalid",
       true},
  };
  for (const Case& each : cases) {
    serve([each](const Request&, const Peer& peer) {
      peer.send(each.bytes);
      if (each.resets) peer.reset();
    });
    const auto failure = failure_of(request());
    EXPECT_EQ(failure.error.code, "scrape_failed");
    EXPECT_EQ(failure.reason, each.reason) << failure.error.message;
    EXPECT_EQ(failure.is_final, each.is_final) << each.reason;
  }
}

TEST_F(Fetching, FinalOrWorthAnotherTryByStatus) {
  std::atomic<int> status = 0;
  serve([&](const Request&, const Peer& peer) { peer.send(PageServer::page("no", "", status)); });
  for (const int each :
       {400, 401, 403, 404, 405, 408, 410, 418, 425, 429, 451, 500, 501, 502, 503, 504, 505, 520, 599}) {
    status = each;
    const auto failure = failure_of(request());
    EXPECT_EQ(failure.error.code, "scrape_failed");
    EXPECT_EQ(failure.http_status, each);
    EXPECT_EQ(failure.reason, fmt::format("http_{}", each));
    const bool passes = each == 408 || each == 425 || each == 429 || (each >= 500 && each != 501 && each != 505);
    EXPECT_EQ(failure.is_final, !passes) << each;
  }
  EXPECT_EQ(body_.text, "");
}

TEST_F(Fetching, TellsHowLongTheServerWantsToBeLeftAlone) {
  std::string headers;
  int status = 429;
  serve([&](const Request&, const Peer& peer) { peer.send(PageServer::page("", headers, status)); });
  const auto ask = [&](int answer, const std::string& value) {
    headers = "Retry-After: " + value + "\r\n";
    status = answer;
    Politeness gate(kHurried);  // its own: a host that asked for peace would not be asked again
    auto fetcher = Fetcher::open(
        {.guard = {.allow = {"127.0.0.1"}, .ports = {static_cast<std::uint16_t>(server_->port())}}}, gate);
    return (*fetcher)->fetch(request()).error();
  };
  EXPECT_EQ(ask(429, "120").retry_after, 120s);
  EXPECT_EQ(ask(503, "5").retry_after, 5s);
  EXPECT_EQ(ask(404, "5").retry_after, std::nullopt);
  const std::time_t later = std::time(nullptr) + 100;
  char date[64];
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&later));
  const auto wait = ask(503, date).retry_after;
  ASSERT_TRUE(wait.has_value());
  EXPECT_GE(*wait, 90s);
  EXPECT_LE(*wait, 100s);
}

TEST_F(Fetching, LeavesAHostAloneThatAsksForIt) {
  serve([&](const Request& request, const Peer& peer) {
    peer.send(request.path == "/busy" ? PageServer::page("", "Retry-After: 3600\r\n", 503) : PageServer::page("ok"));
  });
  EXPECT_EQ(failure_of(request("/busy")).retry_after, 3600s);
  EXPECT_EQ(gate_.ask("127.0.0.1").answer, Permit::Answer::wait);
  auto elsewhere = request();
  elsewhere.url = server_->url("/fine", "site.test");
  EXPECT_TRUE(fetcher_->fetch(elsewhere).has_value());
}

TEST_F(Fetching, AsksOnlyForWhatHasChanged) {
  serve([](const Request& request, const Peer& peer) {
    const auto etag = request.headers.find("if-none-match");
    const auto since = request.headers.find("if-modified-since");
    const bool is_same = (etag != request.headers.end() && etag->second == "\"7\"") ||
                         (since != request.headers.end() && since->second == "Sat, 01 Jan 2022 00:00:00 GMT");
    peer.send(is_same ? "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n" : PageServer::page("new"));
  });
  auto asked = request();
  asked.etag = "\"7\"";
  auto page = fetcher_->fetch(asked);
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_TRUE(page->not_modified);
  EXPECT_EQ(page->status, 304);
  asked.etag = "";
  asked.last_modified = "Sat, 01 Jan 2022 00:00:00 GMT";
  EXPECT_TRUE(fetcher_->fetch(asked).value().not_modified);
  asked.last_modified = "x\r\nHost: evil";  // not sent
  EXPECT_FALSE(fetcher_->fetch(asked).value().not_modified);
  EXPECT_EQ(body_.text, "new");
}

TEST_F(Fetching, AsksOnlyThePageWhoseVersionIsKnownWhetherItHasChanged) {
  serve([&](const Request& request, const Peer& peer) {
    const bool is_conditional =
        request.headers.contains("if-none-match") || request.headers.contains("if-modified-since");
    if (request.path == "/new") {
      peer.send(PageServer::page(is_conditional ? "asked whether" : "asked for"));
    } else if (is_conditional) {
      peer.send(PageServer::page("", "", 304));
    } else {
      peer.send(PageServer::page("moved", "Location: " + server_->url("/new", "site.test") + "\r\n", 302));
    }
  });
  auto asked = request("/old");
  asked.etag = "\"7\"";
  asked.last_modified = "Sat, 01 Jan 2022 00:00:00 GMT";
  asked.version_url = server_->url("/new", "site.test");
  auto page = fetcher_->fetch(asked);
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_FALSE(page->not_modified);
  EXPECT_EQ(body_.text, "asked whether");
  asked.version_url = "";
  page = fetcher_->fetch(asked);
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_TRUE(page->not_modified);
}

TEST_F(Fetching, TakesNoWordForWhatItHasNotAsked) {
  serve([](const Request& request, const Peer& peer) {
    peer.send(request.path == "/old" ? PageServer::page("", "Location: /new\r\n", 302) : PageServer::page("", "", 304));
  });
  auto asked = request("/old");
  asked.etag = "\"7\"";
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.reason, "http_304");
  EXPECT_TRUE(failure.is_final);
  asked.url = server_->url("/");
  asked.etag = "x\r\nHost: evil";  // not sent
  EXPECT_EQ(failure_of(asked).reason, "http_304");
}

TEST_F(Fetching, FollowsRedirects) {
  serve([&](const Request& request, const Peer& peer) {
    const auto to = [&](int status, const std::string& where) {
      peer.send(PageServer::page("moved", "Location: " + where + "\r\n", status));
    };
    if (request.path == "/1") return to(301, "/2");
    if (request.path == "/2") return to(302, "3?x=ä b");
    if (request.path == "/3?x=%c3%a4+b") return to(303, server_->url("/4", "site.test"));
    if (request.path == "/4") return to(307, "//site.test:" + std::to_string(server_->port()) + "/5");
    if (request.path == "/5") return to(308, "?six");
    peer.send(PageServer::page("end"));
  });
  const auto page = fetcher_->fetch(request("/1"));
  ASSERT_TRUE(page.has_value()) << page.error().error.message << page.error().url;
  EXPECT_EQ(page->hops.size(), 6u);
  EXPECT_EQ(page->url, server_->url("/5?six", "site.test"));
  EXPECT_EQ(page->hops.back(), page->url);
  EXPECT_EQ(body_.text, "end");
}

TEST_F(Fetching, RefusesRedirectsThatLeadNowhere) {
  std::string location;
  serve([&](const Request& request, const Peer& peer) {
    if (request.path == "/a") return (void)peer.send(PageServer::page("", "Location: /b\r\n", 302));
    if (request.path == "/b") return (void)peer.send(PageServer::page("", "Location: /a\r\n", 302));
    if (request.path.starts_with("/n"))
      return (void)peer.send(PageServer::page("", "Location: " + request.path + "n\r\n", 302));
    peer.send(PageServer::page("", location, 302));
  });
  const auto expect = [&](std::string_view path, std::string_view reason) {
    const auto failure = failure_of(request(path));
    EXPECT_EQ(failure.error.code, "unreachable_url") << path;
    EXPECT_EQ(failure.reason, reason) << failure.error.message;
    EXPECT_TRUE(failure.is_final);
  };
  expect("/a", "redirect_loop");
  expect("/n", "too_many_redirects");
  EXPECT_EQ(std::ranges::count_if(server_->asked(), [](const std::string& path) { return path.starts_with("/n"); }), 6);
  location = "Location: ftp://example.com/\r\n";
  expect("/x", "redirect_invalid");
  location = "Location: http://user@127.0.0.1/\r\n";
  expect("/x", "redirect_invalid");
  location = "Location: http://10.0.0.1/\r\n";
  expect("/x", "address_refused");
  location = "Location: http://127.0.0.1:1/\r\n";
  expect("/x", "address_refused");
  location = "Location: http://nowhere.test/\r\n";
  expect("/x", "unknown_host");
  location = "";
  EXPECT_EQ(failure_of(request("/x")).error.code, "scrape_failed");  // 302 without a place
}

TEST_F(Fetching, AnUnknownHostIsFinalAtOnce) {
  serve_bytes("");
  auto asked = request();
  asked.url = "http://nowhere.test/";
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.error.code, "unreachable_url");
  EXPECT_EQ(failure.reason, "unknown_host");
  EXPECT_TRUE(failure.is_final);
  EXPECT_THAT(failure.error.message, HasSubstr("nowhere.test"));
}

TEST_F(Fetching, ASilentNameServerIsNot) {
  serve_bytes("");
  auto fetcher = Fetcher::open({.resolver = {.servers = "127.0.0.1:1", .timeout = 50ms, .tries = 1}}, gate_);
  ASSERT_OK(fetcher);
  const auto outcome = (*fetcher)->fetch({.url = "http://site.test/", .respect_robots = false});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().error.code, "scrape_failed");
  EXPECT_EQ(outcome.error().reason, "dns_failed");
  EXPECT_FALSE(outcome.error().is_final);
}

TEST_F(Fetching, TriesTheNextAddress) {
  serve_bytes(PageServer::page("second"));
  auto fetcher =
      Fetcher::open({.guard = {.allow = {"two.test"}, .ports = {static_cast<std::uint16_t>(server_->port())}},
                     .resolver = {.servers = names_.address()}},
                    gate_);
  ASSERT_OK(fetcher);
  auto asked = request();
  asked.url = server_->url("/", "two.test");
  const auto page = (*fetcher)->fetch(asked);
  ASSERT_TRUE(page.has_value()) << page.error().error.message;
  EXPECT_EQ(page->address, "127.0.0.1");
}

TEST_F(Fetching, AClosedPortIsWorthAnotherTry) {
  serve_bytes("");
  const std::string url = server_->url();
  server_.reset();
  const auto failure = failure_of({.url = url, .respect_robots = false});
  EXPECT_EQ(failure.error.code, "scrape_failed");
  EXPECT_EQ(failure.reason, "connect_failed");
  EXPECT_FALSE(failure.is_final);
}

TEST_F(Fetching, PlainServersSpeakNoTls) {
  serve_bytes(PageServer::page("x"));
  auto asked = request();
  asked.url.replace(0, 4, "https");
  EXPECT_EQ(failure_of(asked).reason, "tls_failed");
}

TEST_F(Fetching, StopsAtOnce) {
  std::stop_source stop;
  serve([&](const Request&, const Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    stop.request_stop();
    peer.wait_closed();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto stopped = fetcher_->fetch(request(), stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().error.code, "cancelled");
  EXPECT_FALSE(stopped.error().is_final);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  // Before it began, too.
  const auto never = fetcher_->fetch(request(), stop.get_token());
  ASSERT_FALSE(never.has_value());
  EXPECT_EQ(never.error().error.code, "cancelled");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Fetching, AFullStorageIsToldAsSuch) {
  class FullSink final : public ByteSink {
    Result<void> write(std::string_view) override { return fail("disk_full", "no space"); }
  };
  serve_bytes(PageServer::page("x"));
  FullSink full;
  auto asked = request();
  asked.body = &full;
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.error.code, "disk_full");
  EXPECT_FALSE(failure.is_final);
}

TEST_F(Fetching, UsesNoProxyOfTheEnvironment) {
  serve_bytes(PageServer::page("x"));
  PageServer proxy{[](const Request&, const Peer&) {}};
  ASSERT_EQ(setenv("http_proxy", proxy.url().c_str(), 1), 0);
  const auto page = fetcher_->fetch(request());
  ASSERT_EQ(unsetenv("http_proxy"), 0);
  EXPECT_TRUE(page.has_value());
  EXPECT_EQ(proxy.connections(), 0);
}

// Counts what ends, and waits for it.
class Tally {
 public:
  Fetcher::Done done() {
    return [this](const FetchOutcome& outcome) {
      const std::lock_guard lock(mutex_);
      ++(outcome ? fetched : outcome.error().error.code == "cancelled" ? cancelled : failed);
      changed_.notify_all();
    };
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [&] { return fetched + failed + cancelled >= count; });
  }
  int fetched = 0, failed = 0, cancelled = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

TEST_F(Fetching, ManyAtOnceWithinTheGate) {
  std::atomic<int> now = 0, most = 0;
  serve([&](const Request&, const Peer& peer) {
    const int here = ++now;
    for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
    }
    --now;  // before the client can know: it may begin the next as soon as it has all
    peer.send(PageServer::page("x"));
  });
  Politeness narrow({.per_minute = 0, .burst = 1, .host_at_once = 4, .all_at_once = 6});
  auto fetcher = Fetcher::open({.guard = {.allow = {"127.0.0.1", "site.test", "other.test"},
                                          .ports = {static_cast<std::uint16_t>(server_->port())}},
                                .resolver = {.servers = names_.address()}},
                               narrow);
  ASSERT_OK(fetcher);
  Tally tally;
  for (int page = 0; page < 300; ++page) {
    const char* host = page % 3 == 0 ? "127.0.0.1" : page % 3 == 1 ? "site.test" : "other.test";
    (*fetcher)->start({.url = server_->url(fmt::format("/{}", page), host), .respect_robots = false}, {}, tally.done());
  }
  ASSERT_TRUE(tally.wait_for(300));
  EXPECT_EQ(tally.fetched, 300);
  EXPECT_LE(most, 6);
  EXPECT_EQ(server_->asked().size(), 300u);
}

TEST_F(Fetching, OneStopEndsAllThatWait) {
  serve([](const Request&, const Peer& peer) { peer.wait_closed(); });
  Politeness narrow({.per_minute = 1, .burst = 1, .host_at_once = 1, .all_at_once = 1});
  auto fetcher = Fetcher::open(
      {.guard = {.allow = {"127.0.0.1"}, .ports = {static_cast<std::uint16_t>(server_->port())}}}, narrow);
  ASSERT_OK(fetcher);
  std::stop_source stop;
  Tally tally;
  for (int page = 0; page < 20'000; ++page)
    (*fetcher)->start({.url = server_->url(), .respect_robots = false}, stop.get_token(), tally.done());
  stop.request_stop();
  ASSERT_TRUE(tally.wait_for(20'000));
  EXPECT_EQ(tally.cancelled, 20'000);
}

TEST_F(Fetching, ItsEndCancelsWhatIsUnderWay) {
  serve([](const Request&, const Peer& peer) { peer.wait_closed(); });
  Tally tally;
  for (int page = 0; page < 50; ++page) fetcher_->start(request(), {}, tally.done());
  fetcher_.reset();
  EXPECT_EQ(tally.cancelled, 50);
}

TEST_F(Fetching, RobotsAreHeeded) {
  serve([](const Request& request, const Peer& peer) {
    peer.send(PageServer::page(request.path == "/robots.txt" ? "User-agent: *\nDisallow: /private\n" : "page"));
  });
  auto asked = request("/private/1");
  asked.respect_robots = true;
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.error.code, "robots_disallowed");
  EXPECT_TRUE(failure.is_final);
  asked.url = server_->url("/public");
  EXPECT_TRUE(fetcher_->fetch(asked).has_value());
  EXPECT_THAT(server_->asked(), ElementsAre("/robots.txt", "/public"));
}

TEST_F(Fetching, RobotsAreAskedForOnceByMany) {
  serve([](const Request& request, const Peer& peer) {
    peer.send(request.path == "/robots.txt" ? PageServer::page("none", "", 404) : PageServer::page("page"));
  });
  Tally tally;
  for (int page = 0; page < 50; ++page)
    fetcher_->start({.url = server_->url(fmt::format("/{}", page))}, {}, tally.done());
  ASSERT_TRUE(tally.wait_for(50));
  EXPECT_EQ(tally.fetched, 50);
  EXPECT_EQ(server_->asked().front(), "/robots.txt");
  EXPECT_EQ(server_->asked().size(), 51u);
}

TEST_F(Fetching, RobotsThatCannotBeReadForbidAllForNow) {
  int status = 0;
  std::string location;
  const PageServer::Answer answer = [&](const Request& request, const Peer& peer) {
    peer.send(PageServer::page("page", location, request.path == "/robots.txt" ? status : 200));
  };
  for (const int each : {500, 503, 429}) {
    status = each;
    serve(answer);
    auto asked = request();
    asked.respect_robots = true;
    const auto failure = failure_of(asked);
    EXPECT_EQ(failure.error.code, "robots_unavailable");
    EXPECT_FALSE(failure.is_final);
    EXPECT_EQ(failure.http_status, each);
    EXPECT_THAT(server_->asked(), ElementsAre("/robots.txt"));
  }
  for (const int each : {401, 403, 404, 410}) {
    status = each;
    serve(answer);
    auto asked = request();
    asked.respect_robots = true;
    EXPECT_TRUE(fetcher_->fetch(asked).has_value()) << each;
  }
}

TEST_F(Fetching, RobotsThatRedirectsLeadAwayFrom) {
  std::string location;
  const PageServer::Answer answer = [&](const Request& request, const Peer& peer) {
    if (request.path == "/page") return (void)peer.send(PageServer::page("page"));
    peer.send(PageServer::page("", "Location: " + (location.empty() ? request.path + "x" : location) + "\r\n", 302));
  };
  const auto fetch = [&](const std::string& to) {
    location = to;
    serve(answer);
    auto asked = request("/page");
    asked.respect_robots = true;
    return fetcher_->fetch(asked);
  };
  // There is none: a circle, too many, nowhere.
  for (const char* to : {"/robots.txt", "", "ftp://example.com/"}) EXPECT_TRUE(fetch(to).has_value()) << to;
  // There may be one somewhere else that cannot be read now.
  for (const char* to : {"http://nowhere.test/robots.txt", "http://10.0.0.1/robots.txt"}) {
    const auto page = fetch(to);
    ASSERT_FALSE(page.has_value()) << to;
    EXPECT_EQ(page.error().error.code, "robots_unavailable") << to;
    EXPECT_FALSE(page.error().is_final) << to;
  }
  auto elsewhere = request();
  elsewhere.url = "http://nowhere.test/";
  elsewhere.respect_robots = true;
  EXPECT_EQ(failure_of(elsewhere).reason, "unknown_host") << "where there is no host, there is no page either";
}

TEST_F(Fetching, ARedirectIsHeldAgainstTheRobotsOfItsPlace) {
  serve([&](const Request& request, const Peer& peer) {
    const bool is_other = request.headers.at("host").starts_with("other.test");
    if (request.path == "/robots.txt")
      return (void)peer.send(PageServer::page(is_other ? "User-agent: lade\nDisallow: /\n" : ""));
    peer.send(PageServer::page("", "Location: " + server_->url("/x", "other.test") + "\r\n", 301));
  });
  auto asked = request();
  asked.url = server_->url("/go", "site.test");
  asked.respect_robots = true;
  const auto failure = failure_of(asked);
  EXPECT_EQ(failure.error.code, "robots_disallowed");
  EXPECT_EQ(failure.url, server_->url("/x", "other.test"));
}

}  // namespace
}  // namespace lade::harvest
