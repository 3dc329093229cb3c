// Where no fetch may lead, in every spelling.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "harvest/address_guard.h"
#include "harvest/fetcher.h"
#include "harvest/politeness.h"
#include "testing/dns_server.h"
#include "testing/page_server.h"
#include "testing/results.h"

namespace lade::harvest {
namespace {

using lade::testing::DnsServer;
using lade::testing::PageServer;
using ::testing::HasSubstr;

constexpr PolitenessRules kHurried{.per_minute = 0, .burst = 1, .host_at_once = 100, .all_at_once = 100};

Address address(const char* text) {
  return Address::parse(text).value();
}

TEST(Guard, AllowsThePublicInternetOnly) {
  const auto guard = AddressGuard::make({});
  ASSERT_OK(guard);
  EXPECT_TRUE(guard->allows("example.com", address("93.184.216.34")));
  EXPECT_TRUE(guard->allows("example.com", address("2606:4700::1111")));
  EXPECT_FALSE(guard->allows("example.com", address("10.0.0.1")));
  EXPECT_FALSE(guard->allows("example.com", address("::ffff:10.0.0.1")));
  EXPECT_FALSE(guard->allows("example.com", address("fd00::1")));
}

TEST(Guard, AllowsWhatTheOperatorNames) {
  const auto guard =
      AddressGuard::make({.allow = {"10.1.0.0/16", "fd00::/12", "127.0.0.1", "wiki.intern", "*.example.com"}});
  ASSERT_OK(guard);
  EXPECT_TRUE(guard->allows("x", address("10.1.255.255")));
  EXPECT_TRUE(guard->allows("x", address("::ffff:10.1.2.3")));
  EXPECT_FALSE(guard->allows("x", address("10.2.0.0")));
  EXPECT_TRUE(guard->allows("x", address("fd0f::1")));
  EXPECT_FALSE(guard->allows("x", address("fd10::1")));
  EXPECT_TRUE(guard->allows("x", address("127.0.0.1")));
  EXPECT_FALSE(guard->allows("x", address("127.0.0.2")));
  EXPECT_TRUE(guard->allows("wiki.intern", address("192.168.1.1")));
  EXPECT_FALSE(guard->allows("a.wiki.intern", address("192.168.1.1")));
  EXPECT_TRUE(guard->allows("a.example.com", address("192.168.1.1")));
  EXPECT_FALSE(guard->allows("example.com", address("192.168.1.1")));
  EXPECT_FALSE(guard->allows("evilexample.com", address("192.168.1.1")));
}

TEST(Guard, RefusesRulesThatMeanNothing) {
  for (const char* entry :
       {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "::/129", "http://wiki", "a b", ""})
    EXPECT_FAILS(AddressGuard::make({.allow = {entry}}), "harvest_allow_invalid") << entry;
}

TEST(Guard, AllowsOnlyPortsOfPages) {
  const auto guard = AddressGuard::make({.ports = {8080}});
  ASSERT_OK(guard);
  EXPECT_OK(guard->check(*Url::parse("http://example.com/")));
  EXPECT_OK(guard->check(*Url::parse("https://example.com/")));
  EXPECT_OK(guard->check(*Url::parse("http://example.com:8080/")));
  EXPECT_FAILS(guard->check(*Url::parse("http://example.com:22/")), "unreachable_url");
  EXPECT_FAILS(guard->check(*Url::parse("http://example.com:6379/")), "unreachable_url");
}

TEST(Guard, OnePrivateAddressRefusesAll) {
  const auto guard = AddressGuard::make({});
  ASSERT_OK(guard);
  EXPECT_OK(guard->check("x", {address("1.1.1.1"), address("8.8.8.8")}));
  EXPECT_FAILS(guard->check("x", {address("1.1.1.1"), address("127.0.0.1")}), "unreachable_url");
}

// The names that the table uses, all of them leading to this machine.
std::vector<std::string> addresses_of_table(const std::string& name) {
  if (name == "rebind.test" || name == "loop.test" || name == "xn--bcher-kva.test") return {"127.0.0.1"};
  if (name == "loop6.test") return {"::1"};
  if (name == "mapped.test") return {"::ffff:127.0.0.1"};
  if (name == "mixed.test") return {"93.184.216.34", "127.0.0.1"};
  if (name == "zero.test") return {"0.0.0.0"};
  if (name == "nat64.test") return {"64:ff9b::7f00:1"};
  if (name == "sixtofour.test") return {"2002:7f00:1::"};
  return {};
}

std::string with_port(std::string url, int port) {
  for (std::size_t at; (at = url.find("PORT")) != std::string::npos;) url.replace(at, 4, std::to_string(port));
  return url;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\\x") == 0) {
      result += static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16));
      at += 3;
    } else {
      result += text[at];
    }
  }
  return result;
}

std::vector<std::string> forms() {
  const char* folder = std::getenv("LADE_SOURCE_DIR");
  std::ifstream file(std::string(folder == nullptr ? "." : folder) + "/src/harvest/ssrf_forms.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(unescaped(line));
  return lines;
}

// The port is allowed on purpose: only the address keeps them out.
class Ssrf : public ::testing::Test {
 protected:
  PageServer listener_{
      [](const PageServer::Request&, const PageServer::Peer& peer) { peer.send(PageServer::page("secret")); }};
  DnsServer names_{[](const std::string& name, int) { return addresses_of_table(name); }};
  Politeness gate_{kHurried};

  std::unique_ptr<Fetcher> open(std::vector<std::string> allow = {}) {
    auto fetcher =
        Fetcher::open({.guard = {.allow = std::move(allow), .ports = {static_cast<std::uint16_t>(listener_.port())}},
                       .resolver = {.servers = names_.address()}},
                      gate_);
    EXPECT_OK(fetcher);
    return std::move(*fetcher);
  }
};

TEST_F(Ssrf, NoFormReachesThisMachine) {
  const auto fetcher = open();
  const auto lines = forms();
  EXPECT_GE(lines.size(), 120u);
  for (const std::string& line : lines) {
    StringSink body;
    const auto outcome = fetcher->fetch({.url = with_port(line, listener_.port()), .body = &body});
    ASSERT_FALSE(outcome.has_value()) << line;
    EXPECT_EQ(outcome.error().error.code, "unreachable_url") << line << ": " << outcome.error().error.message;
    EXPECT_TRUE(outcome.error().is_final) << line;
    EXPECT_TRUE(body.text.empty()) << line;
  }
  EXPECT_EQ(listener_.connections(), 0);
}

TEST_F(Ssrf, NoRedirectReachesThisMachine) {
  std::string location;
  PageServer open_site{[&](const PageServer::Request&, const PageServer::Peer& peer) {
    peer.send(PageServer::page("", "Location: " + location + "\r\n", 302));
  }};
  // The site itself is allowed by its name; where it leads to is not.
  DnsServer names{[](const std::string& name, int) {
    return name == "site.test" ? std::vector<std::string>{"127.0.0.1"} : addresses_of_table(name);
  }};
  auto fetcher = Fetcher::open(
      {.guard = {.allow = {"site.test"},
                 .ports = {static_cast<std::uint16_t>(listener_.port()), static_cast<std::uint16_t>(open_site.port())}},
       .resolver = {.servers = names.address()}},
      gate_);
  ASSERT_OK(fetcher);
  int tried = 0;
  for (const std::string& line : forms()) {
    if (std::ranges::any_of(line, [](char letter) { return static_cast<unsigned char>(letter) <= ' '; })) continue;
    location = with_port(line, listener_.port());
    if (location.starts_with("/") || location.find("://") == std::string::npos) continue;  // leads to the site itself
    const auto outcome =
        (*fetcher)->fetch({.url = open_site.url("/go", "site.test"), .respect_robots = false, .body = nullptr});
    ASSERT_FALSE(outcome.has_value()) << line;
    EXPECT_EQ(outcome.error().error.code, "unreachable_url") << line << ": " << outcome.error().error.message;
    ++tried;
  }
  EXPECT_GE(tried, 100);
  EXPECT_EQ(listener_.connections(), 0);
  EXPECT_EQ(open_site.connections(), tried);
}

// Allowed when it is checked, refused when it is connected to: the second answer must never be asked for. (The first
// one is of this machine, too, where nobody listens: tests send nothing elsewhere.)
TEST_F(Ssrf, AnAnswerThatChangesGainsNothing) {
  DnsServer rebinding{
      [](const std::string&, int time) { return std::vector<std::string>{time == 0 ? "127.0.0.9" : "127.0.0.1"}; }};
  auto fetcher =
      Fetcher::open({.guard = {.allow = {"127.0.0.9"}, .ports = {static_cast<std::uint16_t>(listener_.port())}},
                     .resolver = {.servers = rebinding.address()}},
                    gate_);
  ASSERT_OK(fetcher);
  FetchRequest request{.url = listener_.url("/", "rebind.test"), .respect_robots = false};
  const auto first = (*fetcher)->fetch(request);
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().error.code, "scrape_failed") << first.error().error.message;
  EXPECT_EQ(rebinding.times("rebind.test"), 1);
  for (int time = 0; time < 20; ++time) {
    const auto later = (*fetcher)->fetch(request);
    ASSERT_FALSE(later.has_value());
    EXPECT_EQ(later.error().reason, "address_refused");
  }
  EXPECT_EQ(listener_.connections(), 0);
}

TEST_F(Ssrf, TheListenerIsThereForThoseWhoMay) {
  const auto fetcher = open({"loop.test"});
  StringSink body;
  const auto outcome = fetcher->fetch({.url = listener_.url("/", "loop.test"), .body = &body});
  ASSERT_TRUE(outcome.has_value()) << outcome.error().error.message;
  EXPECT_EQ(body.text, "secret");
  EXPECT_EQ(outcome->address, "127.0.0.1");
}

}  // namespace
}  // namespace lade::harvest
