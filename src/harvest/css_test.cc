#include "harvest/css.h"

#include <gmock/gmock.h>

#include "harvest/html_page.h"
#include "testing/results.h"

namespace lade::harvest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kPage = R"(<!doctype html>
<html><body>
<div id="main" class="box big" data-x="one two" lang="en-GB"><p>1</p><p class="note">2</p><span>3</span><p>4</p></div>
<ul><li>a<li class="b c">b<li>c<li>d<li>e</ul>
<a href="https://example.com/x.pdf" title="it's &quot;so&quot;">link</a><a name="n"></a>
</body></html>)";

std::vector<std::string> found(const std::string& css) {
  const auto page = HtmlPage::parse(kPage);
  EXPECT_OK(page);
  const auto xpath = xpath_of_css(css);
  EXPECT_OK(xpath);
  if (!xpath) return {};
  const auto values = page->select(*xpath, "");
  EXPECT_OK(values) << *xpath;
  return values.value_or(std::vector<std::string>{});
}

TEST(Css, SimpleSelectors) {
  EXPECT_THAT(found("p"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(found("P"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(found(".note"), ElementsAre("2"));
  EXPECT_THAT(found("li.b.c"), ElementsAre("b"));
  EXPECT_THAT(found("li.b.x"), IsEmpty());
  EXPECT_THAT(found("#main > span"), ElementsAre("3"));
  EXPECT_THAT(found("div.big *"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(found(".bo"), IsEmpty());
}

TEST(Css, Attributes) {
  EXPECT_THAT(found("a[href]"), ElementsAre("link"));
  EXPECT_THAT(found("[data-x~=two] > p:first-child"), ElementsAre("1"));
  EXPECT_THAT(found("[data-x~=tw] > p"), IsEmpty());
  EXPECT_THAT(found("[lang|=en] > span"), ElementsAre("3"));
  EXPECT_THAT(found("a[href^='https:']"), ElementsAre("link"));
  EXPECT_THAT(found("a[href$=\".pdf\"]"), ElementsAre("link"));
  EXPECT_THAT(found("a[href$=\".pd\"]"), IsEmpty());
  EXPECT_THAT(found("a[href*=example]"), ElementsAre("link"));
  EXPECT_THAT(found("a[href*='']"), IsEmpty());
  EXPECT_THAT(found("a[ title = 'it\\'s \"so\"' ]"), ElementsAre("link"));
  EXPECT_THAT(found("a[HREF]"), ElementsAre("link"));
}

TEST(Css, Combinators) {
  EXPECT_THAT(found("body p"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(found("body > p"), IsEmpty());
  EXPECT_THAT(found("p + p"), ElementsAre("2"));
  EXPECT_THAT(found("p ~ p"), ElementsAre("2", "4"));
  EXPECT_THAT(found("span+p"), ElementsAre("4"));
  EXPECT_THAT(found("span, .note ,li:last-child"), ElementsAre("2", "3", "e"));
}

TEST(Css, Pseudos) {
  EXPECT_THAT(found("li:first-child"), ElementsAre("a"));
  EXPECT_THAT(found("li:nth-child(2)"), ElementsAre("b"));
  EXPECT_THAT(found("li:nth-child(odd)"), ElementsAre("a", "c", "e"));
  EXPECT_THAT(found("li:nth-child(even)"), ElementsAre("b", "d"));
  EXPECT_THAT(found("li:nth-child(2n+1)"), ElementsAre("a", "c", "e"));
  EXPECT_THAT(found("li:nth-child( -n + 2 )"), ElementsAre("a", "b"));
  EXPECT_THAT(found("li:nth-child(n+4)"), ElementsAre("d", "e"));
  EXPECT_THAT(found("li:nth-child(3n-1)"), ElementsAre("b", "e"));
  EXPECT_THAT(found("li:nth-last-child(1)"), ElementsAre("e"));
  EXPECT_THAT(found("li:not(.b)"), ElementsAre("a", "c", "d", "e"));
  EXPECT_THAT(found("li:not(:first-child):not(:last-child)"), ElementsAre("b", "c", "d"));
  EXPECT_THAT(found("#main > :not(p, .x)"), ElementsAre("3"));
  EXPECT_THAT(found("#main > :not(p.note)"), ElementsAre("1", "3", "4"));
  EXPECT_THAT(found("a:empty"), ElementsAre(""));
  EXPECT_THAT(found("ul:only-child"), IsEmpty());
}

TEST(Css, FaultsHaveAPlace) {
  struct Case {
    const char* css;
    const char* message;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"", "at character 1, its end: a selector is expected"},
           {"a >", "at character 4, its end: a selector is expected"},
           {"a,", "at character 3, its end"},
           {"a[b", "at character 4, its end: '=' or ']'"},
           {"a[b=", "a name is expected"},
           {"a[b='c]", "the quote is not closed"},
           {"a:hover", "at character 3, 'h': ':hover' is not understood"},
           {"a::before", "a name is expected"},
           {"li:nth-child(x)", "2n+1"},
           {"li:nth-child(2", "the parenthesis is not closed"},
           {"li:nth-child(--2)", "2n+1"},
           {":not()", "a simple selector is expected"},
           {":not(a b)", "')' is expected"},
           {"a $ b", "a selector is expected"},
           {".", "a name is expected"},
           {"a\"b", "a combinator"},
           {"'] | //*", "a selector is expected"},
       }) {
    const auto xpath = xpath_of_css(each.css);
    ASSERT_FAILS(xpath, "selector_invalid") << each.css;
    EXPECT_THAT(xpath.error().message, HasSubstr(each.message)) << each.css;
  }
  for (const std::string_view css : {"a\\`", "1a", "ü", "a\x01", "\xC3", "a[b='\xFF']", "a[b='\xEF\xBF\xBF']"})
    EXPECT_FAILS(xpath_of_css(css), "selector_invalid") << css;
  EXPECT_OK(xpath_of_css("a[b='ü\t']"));
  EXPECT_FAILS(xpath_of_css(std::string(5000, 'a')), "selector_invalid");
  std::string nested = ":not(";
  for (int depth = 0; depth < 10; ++depth) nested += ":not(";
  EXPECT_FAILS(xpath_of_css(nested), "selector_invalid");
}

}  // namespace
}  // namespace lade::harvest
