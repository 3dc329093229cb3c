// RFC 9309, with its examples.
#include "harvest/robots.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace lade::harvest {
namespace {

bool allows(std::string_view text, std::string_view target, std::string_view product = "ExampleBot") {
  return RobotsRules::parse(text, product).allows(target);
}

// Section 5.1
constexpr std::string_view kSimple =
    "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"
    "User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
    "User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n"
    "User-Agent: quxbot\n\nEOF\n";

TEST(Robots, SimpleExample) {
  EXPECT_FALSE(allows(kSimple, "/a/b.gif"));
  EXPECT_TRUE(allows(kSimple, "/a/b.gift"));
  EXPECT_FALSE(allows(kSimple, "/example/x"));
  EXPECT_TRUE(allows(kSimple, "/publications/x"));
  EXPECT_TRUE(allows(kSimple, "/else"));
  EXPECT_FALSE(allows(kSimple, "/", "foobot"));
  EXPECT_TRUE(allows(kSimple, "/example/page.html", "FooBot"));
  EXPECT_TRUE(allows(kSimple, "/example/allowed.gif", "foobot"));
  EXPECT_FALSE(allows(kSimple, "/example/page.html", "barbot"));
  EXPECT_FALSE(allows(kSimple, "/example/page.html", "bazbot"));
  EXPECT_TRUE(allows(kSimple, "/example/else.gif", "bazbot"));
  EXPECT_TRUE(allows(kSimple, "/example/page.html", "quxbot"));
}

// Section 5.2
TEST(Robots, TheLongestMatchDecides) {
  constexpr std::string_view text =
      "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
  EXPECT_FALSE(allows(text, "/example/page/disallowed.gif", "foobot"));
  EXPECT_TRUE(allows(text, "/example/page/else", "foobot"));
  EXPECT_TRUE(allows("User-agent: *\nDisallow: /a\nAllow: /a\n", "/a"));
  EXPECT_TRUE(allows("User-agent: *\nAllow: /a\nDisallow: /a\n", "/a"));
  EXPECT_FALSE(allows("User-agent: *\nDisallow: /aa\nAllow: /a\n", "/aab"));
}

// Section 2.2.1
TEST(Robots, GroupsOfOneCrawlerAreOne) {
  constexpr std::string_view text =
      "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
  EXPECT_FALSE(allows(text, "/foo"));
  EXPECT_FALSE(allows(text, "/baz"));
  EXPECT_TRUE(allows(text, "/foo", "OtherBot"));
  EXPECT_FALSE(allows("User-agent: ExampleBot/2.1\nDisallow: /\n", "/"));
  EXPECT_TRUE(allows("User-agent: Example\nDisallow: /\n", "/"));
  EXPECT_TRUE(allows("User-agent: ExampleBotX\nDisallow: /\n", "/"));
}

// Section 2.2.2
TEST(Robots, PathsAreComparedByOctets) {
  const auto disallows = [](std::string_view rule, std::string_view target) {
    return !allows("User-agent: *\nDisallow: " + std::string(rule) + "\n", target);
  };
  EXPECT_TRUE(disallows("/foo/bar?baz=quz", "/foo/bar?baz=quz"));
  EXPECT_TRUE(disallows("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"));
  EXPECT_TRUE(disallows("/foo/bar/ツ", "/foo/bar/%E3%83%84"));
  EXPECT_TRUE(disallows("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"));
  EXPECT_TRUE(disallows("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"));
  EXPECT_TRUE(disallows("/foo/bar/%62%61%7A", "/foo/bar/baz"));
  EXPECT_FALSE(disallows("/Foo", "/foo"));
  EXPECT_FALSE(disallows("/a%2Fb", "/a/b"));
  EXPECT_FALSE(disallows("", "/"));
}

// Section 2.2.3
TEST(Robots, SpecialCharacters) {
  const auto disallows = [](std::string_view rule, std::string_view target) {
    return !allows("User-agent: *\nDisallow: " + std::string(rule) + " # why\n", target);
  };
  EXPECT_TRUE(disallows("/path/file-with-a-%2A.html", "/path/file-with-a-%2A.html"));
  EXPECT_TRUE(disallows("/path/foo-%24", "/path/foo-%24"));
  EXPECT_TRUE(disallows("/*.php", "/a/b.php?x"));
  EXPECT_FALSE(disallows("/*.php$", "/a/b.php?x"));
  EXPECT_TRUE(disallows("/*.php$", "/a.php/b.php"));
  EXPECT_TRUE(disallows("/fish*", "/fishheads"));
  EXPECT_TRUE(disallows("/a*b*c", "/a--b--c"));
  EXPECT_FALSE(disallows("/a*b*c", "/a--c--b"));
  EXPECT_TRUE(disallows("/$", "/"));
  EXPECT_FALSE(disallows("/$", "/a"));
  EXPECT_FALSE(disallows("/a*aa$", "/aa"));
}

TEST(Robots, IsReadForgivingly) {
  EXPECT_FALSE(allows("\xEF\xBB\xBFUser-agent : *\r\nDISALLOW :/a\rSitemap: https://x/y\r\n", "/a"));
  EXPECT_FALSE(allows("User-agent: a\nCrawl-delay: 5\nUser-agent: ExampleBot\nDisallow: /a", "/a"));
  EXPECT_TRUE(allows("Disallow: /\n", "/a"));  // of no group
  EXPECT_TRUE(allows("<html><body>Not found: /</body></html>", "/a"));
  EXPECT_TRUE(allows("", "/"));
  EXPECT_TRUE(allows("User-agent: *\nDisallow: /\n", "/robots.txt"));
  EXPECT_TRUE(allows(std::string_view("User-agent: *\nDisallow: /a\0b\n", 28), "/a"));
}

TEST(Robots, OnlyTheFront) {
  std::string text = "User-agent: *\nDisallow: /front\n";
  text += std::string(600 << 10, '#');
  text += "\nDisallow: /back\n";
  EXPECT_FALSE(allows(text, "/front"));
  EXPECT_TRUE(allows(text, "/back"));
}

TEST(Robots, MadeToBeExpensive) {
  std::string text = "User-agent: *\n";
  while (text.size() < 500'000) text += "Disallow: /*" + std::string(1000, 'a') + "*b\n";
  const std::string target = "/" + std::string(8000, 'a');
  const std::clock_t begin = std::clock();
  EXPECT_FALSE(allows(text, target));
  EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);  // minutes without a bound
}

}  // namespace
}  // namespace lade::harvest
