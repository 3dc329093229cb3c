#include "harvest/url.h"

#include <gmock/gmock.h>

#include "testing/results.h"

namespace lade::harvest {
namespace {

using ::testing::HasSubstr;

TEST(Url, HasOneNormalForm) {
  struct Case {
    const char* given;
    const char* normal;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"http://example.com", "http://example.com/"},
           {"HTTP://EXAMPLE.com:80/A?b#c", "http://example.com/A?b"},
           {"https://example.com:443/", "https://example.com/"},
           {"https://example.com:8443/", "https://example.com:8443/"},
           {"http://example.com./", "http://example.com/"},
           {"http://example.com/a/../b", "http://example.com/b"},
           {"http://example.com/a b", "http://example.com/a%20b"},
           {"http://bücher.example/ä", "http://xn--bcher-kva.example/%c3%a4"},
           {"http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"},
           {"http://0x08.8.8.8/", "http://8.8.8.8/"},
           {"http://134744072/", "http://8.8.8.8/"},
           {"http://%65xample.com/", "http://example.com/"},
       }) {
    const auto url = Url::parse(each.given);
    ASSERT_OK(url) << each.given;
    EXPECT_EQ(url->text, each.normal) << each.given;
    const auto again = Url::parse(url->text);
    ASSERT_OK(again);
    EXPECT_EQ(again->text, url->text);
  }
}

TEST(Url, KnowsItsParts) {
  const auto url = Url::parse("https://[::1]:8443/a/b?c=d");
  ASSERT_OK(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->target, "/a/b?c=d");
  EXPECT_TRUE(url->is_address);
  EXPECT_EQ(Url::parse("http://a.example/")->origin(), "http://a.example:80");
}

TEST(Url, SaysWhatIsWrong) {
  const auto refused = [](const std::string& text) {
    const auto url = Url::parse(text);
    EXPECT_FAILS(url, "unreachable_url");
    return url ? "" : url.error().message;
  };
  EXPECT_THAT(refused("ftp://example.com/"), HasSubstr("begins with 'ftp'"));
  EXPECT_THAT(refused("http://u:p@example.com/"), HasSubstr("user or a password"));
  EXPECT_THAT(refused("http://1.2.3.4.5/"), HasSubstr("a number, but no address"));
  EXPECT_THAT(refused("http://a\nb/"), HasSubstr("control character"));
  EXPECT_THAT(refused("http://example.com/" + std::string(9000, 'x')), HasSubstr("at most 8192"));
  EXPECT_THAT(refused(""), HasSubstr("no address of a page"));
}

TEST(Url, JoinsReferences) {
  const auto base = Url::parse("https://example.com/a/b?c#d");
  ASSERT_OK(base);
  EXPECT_EQ(base->join("e")->text, "https://example.com/a/e");
  EXPECT_EQ(base->join("/e")->text, "https://example.com/e");
  EXPECT_EQ(base->join("?e")->text, "https://example.com/a/b?e");
  EXPECT_EQ(base->join("../../../e")->text, "https://example.com/e");
  EXPECT_EQ(base->join("//other.example/e")->text, "https://other.example/e");
  EXPECT_EQ(base->join("http://other.example")->text, "http://other.example/");
  EXPECT_FAILS(base->join("javascript:alert(1)"), "unreachable_url");
  EXPECT_FAILS(base->join("//user@other.example/"), "unreachable_url");
}

}  // namespace
}  // namespace lade::harvest
