#include "harvest/extractor.h"

#include <gmock/gmock.h>

#include <ctime>

#include "harvest/charset.h"
#include "testing/results.h"

namespace lade::harvest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using By = FieldRule::By;
using Kind = Transform::Kind;

constexpr std::string_view kPage = R"(<html><head><title>A &lt;b&gt; page</title>
<script type="application/ld+json">{"name": "<b>x</b>"}</script></head><body>
<h1>  Endaro&nbsp;<b>mahanubhavulu</b> </h1>
<p class="composer"><a href="/composers/1?a=b&amp;c">Tyagaraja</a>, <a href="/composers/2">Other</a></p>
<div class="lyrics">pallavi<br>second line<p>anupallavi</p><script>var x = 1;</script></div>
<p class="tags">Sri; Adi ;; Telugu</p><p class="empty"> </p><pre>a
  b</pre>
<table><tr><td>1<td>2</tr><tr><td>3<td>4</table></body></html>)";

std::vector<std::string> values(const FieldRule& rule, std::string_view page = kPage,
                                std::string_view type = "text/html; charset=utf-8") {
  const auto extractor = Extractor::compile({rule});
  EXPECT_OK(extractor);
  if (!extractor) return {"cannot be compiled"};
  const auto extracted = extractor->extract(page, type);
  EXPECT_OK(extracted);
  return extracted ? extracted->fields.at(0).values : std::vector<std::string>{"cannot be extracted"};
}

FieldRule css(std::string selector, std::vector<Transform> transforms = {}) {
  return {.name = "f", .by = By::css, .selector = std::move(selector), .transforms = std::move(transforms)};
}
FieldRule list(FieldRule rule) {
  rule.is_list = true;
  return rule;
}

TEST(Extract, TextsAsAReaderSeesThem) {
  EXPECT_THAT(values(css("h1")), ElementsAre("Endaro\xC2\xA0mahanubhavulu"));
  EXPECT_THAT(values(css("title")), ElementsAre("A <b> page"));
  EXPECT_THAT(values(css(".lyrics")), ElementsAre("pallavi\nsecond line\nanupallavi"));
  EXPECT_THAT(values(css("pre")), ElementsAre("a\n  b"));
  EXPECT_THAT(values(css("table")), ElementsAre("1 2\n3 4"));
  EXPECT_THAT(values(list(css("td"))), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values(css("script[type='application/ld+json']")), ElementsAre("{\"name\": \"<b>x</b>\"}"));
}

TEST(Extract, AttributesAndLists) {
  FieldRule rule = css(".composer a");
  EXPECT_THAT(values(rule), ElementsAre("Tyagaraja"));
  rule.attribute = "href";
  EXPECT_THAT(values(rule), ElementsAre("/composers/1?a=b&c"));
  EXPECT_THAT(values(list(rule)), ElementsAre("/composers/1?a=b&c", "/composers/2"));
  rule.attribute = "title";
  EXPECT_THAT(values(rule), IsEmpty());
}

TEST(Extract, ByXpath) {
  const auto xpath = [](const char* selector) { return list({.name = "f", .by = By::xpath, .selector = selector}); };
  EXPECT_THAT(values(xpath("//a/@href")), ElementsAre("/composers/1?a=b&c", "/composers/2"));
  EXPECT_THAT(values(xpath("//p[@class='tags']/text()")), ElementsAre("Sri; Adi ;; Telugu"));
  EXPECT_THAT(values(xpath("count(//td)")), ElementsAre("4"));
  EXPECT_THAT(values(xpath("normalize-space(//h1/b)")), ElementsAre("mahanubhavulu"));
  EXPECT_THAT(values(xpath("//td = '3'")), ElementsAre("true"));
}

TEST(Extract, Transforms) {
  EXPECT_THAT(values(list(css(".tags", {{Kind::split, ";"}, {Kind::trim}}))), ElementsAre("Sri", "Adi", "Telugu"));
  EXPECT_THAT(values(list(css("td", {{Kind::join, "+"}}))), ElementsAre("1+2+3+4"));
  EXPECT_THAT(values(css(".composer", {{Kind::regex, "(\\w+)$"}})), ElementsAre("Other"));
  EXPECT_THAT(values(css(".composer", {{Kind::regex, "[A-Z]\\w+"}})), ElementsAre("Tyagaraja"));
  EXPECT_THAT(values(list(css("td", {{Kind::regex, "[13]"}}))), ElementsAre("1", "3"));
  EXPECT_THAT(values(css(".composer", {{Kind::replace, "(\\w+), (\\w+)", "\\2 & \\1"}})),
              ElementsAre("Other & Tyagaraja"));
  EXPECT_THAT(values(css("h1", {{Kind::trim}, {Kind::replace, "\\s", "_"}})),
              ElementsAre("Endaro\xC2\xA0mahanubhavulu"));
  EXPECT_EQ(trimmed_text(" \xC2\xA0\xE3\x80\x80x y\n\xC2\xA0"), "x y");
}

TEST(Extract, FromJson) {
  constexpr std::string_view page =
      R"({"items": [{"name": "a\u00e9\n", "price": 12.50}, {"name": "b", "price": 1e3, "x": null}], "a/b": true, "n": {"7": "seven"}, "big": 12345678901234567890123})";
  const auto json = [&](const char* selector) {
    return values(list({.name = "f", .by = By::json, .selector = selector}), page, "application/json");
  };
  EXPECT_THAT(json("/items/0/name"), ElementsAre("a\xC3\xA9\n"));
  EXPECT_THAT(json("items[1].name"), ElementsAre("b"));
  EXPECT_THAT(json("$.items[*].price"), ElementsAre("12.50", "1e3"));
  EXPECT_THAT(json("items[*].x"), IsEmpty());
  EXPECT_THAT(json("/a~1b"), ElementsAre("true"));
  EXPECT_THAT(json("/n/7"), ElementsAre("seven"));
  EXPECT_THAT(json("n[*]"), ElementsAre("seven"));
  EXPECT_THAT(json("big"), ElementsAre("12345678901234567890123"));
  EXPECT_THAT(json("n"), ElementsAre("{\"7\": \"seven\"}"));
  EXPECT_THAT(json("items[9].name"), IsEmpty());
  EXPECT_THAT(json("items.name"), IsEmpty());
  EXPECT_THAT(values({.name = "f", .by = By::json, .selector = "$"}, " 12.0 ", "application/json"),
              ElementsAre("12.0"));
  EXPECT_THAT(values({.name = "f", .by = By::json, .selector = "$"}, "\"x\"", "text/json"), ElementsAre("x"));
}

TEST(Extract, FromPlainText) {
  const FieldRule rule{.name = "f", .by = By::regex, .selector = R"((?m)^Raga:\s*(.*)$)", .is_list = true};
  EXPECT_THAT(values(rule, "Raga: Sri\nTala: Adi\nRaga: Kalyani\n", "text/plain"), ElementsAre("Sri", "Kalyani"));
  EXPECT_THAT(values(list({.name = "f", .by = By::regex, .selector = "a*"}), "baab", "text/plain"), ElementsAre("aa"));
}

TEST(Extract, RequiredFieldsAndIssues) {
  const auto extractor = Extractor::compile({
      {.name = "title", .by = By::css, .selector = "h1", .is_required = true},
      {.name = "raga", .by = By::css, .selector = ".raga", .is_required = true},
      {.name = "blank", .by = By::css, .selector = ".empty", .is_required = true},
      {.name = "optional", .by = By::css, .selector = ".raga"},
      {.name = "json", .by = By::json, .selector = "x"},
  });
  ASSERT_OK(extractor);
  const auto extracted = extractor->extract(kPage, "text/html");
  ASSERT_OK(extracted);
  ASSERT_EQ(extracted->fields.size(), 5u);
  ASSERT_EQ(extracted->issues.size(), 3u);
  EXPECT_EQ(extracted->issues[0].code, "field_missing");
  EXPECT_EQ(extracted->issues[0].column, "raga");
  EXPECT_THAT(extracted->issues[0].message, HasSubstr("css '.raga': the page has nothing there"));
  EXPECT_EQ(extracted->issues[1].column, "blank");
  EXPECT_THAT(extracted->issues[1].message, HasSubstr("1 found, all blank"));
  EXPECT_EQ(extracted->issues[2].code, "selector_not_applicable");
  EXPECT_EQ(extracted->issues[2].severity, model::Severity::warning);
}

TEST(Extract, FaultsNameTheFieldAndThePlace) {
  const auto refused = [](FieldRule rule, const std::string& code, const std::string& message) {
    rule.name = "composer";
    const auto extractor = Extractor::compile({std::move(rule)});
    ASSERT_FAILS(extractor, code);
    EXPECT_THAT(extractor.error().message, HasSubstr("field 'composer'"));
    EXPECT_THAT(extractor.error().message, HasSubstr(message));
  };
  refused(css("a["), "selector_invalid", "css 'a[' at character 3");
  refused({.by = By::xpath, .selector = "//a["}, "selector_invalid", "xpath '//a['");
  refused({.by = By::json, .selector = "a[x]"}, "selector_invalid", "json 'a[x]' at character 3");
  refused({.by = By::json, .selector = "a..b"}, "selector_invalid", "at character 3");
  refused({.by = By::json, .selector = "/a~2"}, "selector_invalid", "at character 4");
  refused({.by = By::regex, .selector = "("}, "pattern_invalid", "regex '('");
  refused(css("a", {{Kind::regex, "["}}), "pattern_invalid", "regex '['");
  refused(css("a", {{Kind::split}}), "transform_invalid", "split");
  refused(css("a", {{Kind::replace, "a", "\\1"}}), "transform_invalid", "replace");
  refused(css(""), "field_invalid", "no selector");
  refused({.by = By::json, .selector = "a", .attribute = "b"}, "field_invalid", "attributes");
  EXPECT_FAILS(Extractor::compile({css("a"), css("b")}), "field_invalid");
}

TEST(Extract, OtherPagesAreRefused) {
  const auto extractor = Extractor::compile({css("a")});
  ASSERT_OK(extractor);
  EXPECT_FAILS(extractor->extract("%PDF-1.7", "application/pdf"), "content_unsupported");
  EXPECT_FAILS(extractor->extract("{", "application/json"), "not_json");
  EXPECT_FAILS(extractor->extract("{\"a\": 1,}", "application/json"), "not_json");
  EXPECT_FAILS(extractor->extract("", "application/json"), "not_json");
  EXPECT_FAILS(extractor->extract("<p>", "text/html; charset=klingon"), "charset_unknown");
  EXPECT_FAILS(extractor->extract(std::string((16 << 20) + 1, 'x'), "text/html"), "page_too_complex");
  EXPECT_EQ(kind_of_page("", " <html>"), PageKind::html);
  EXPECT_EQ(kind_of_page("", "[1]"), PageKind::json);
  EXPECT_EQ(kind_of_page("", "hello"), PageKind::text);
  EXPECT_EQ(kind_of_page("", std::string_view("\x89PNG\0", 5)), PageKind::other);
  EXPECT_EQ(kind_of_page("TEXT/HTML;charset=x", ""), PageKind::html);
  EXPECT_EQ(kind_of_page("application/ld+json", ""), PageKind::json);
}

TEST(Charset, IsSaidByMarkHeaderMetaOrContent) {
  struct Case {
    std::string bytes;
    const char* type;
    const char* charset;
    const char* evidence;
  };
  const std::string utf16_le("\xFF\xFE<\0p\0>\0\xE4\0", 10);
  for (const Case& each : std::initializer_list<Case>{
           {"\xEF\xBB\xBF<p>\xC3\xA4", "text/html; charset=iso-8859-1", "utf-8", "byte order mark"},
           {utf16_le, "text/html", "utf-16le", "byte order mark"},
           {"<p>\xE4", "text/html; charset=\"ISO-8859-1\"", "windows-1252", "header"},
           {"<p>\xC3\xA4", "text/html;CHARSET=utf8", "utf-8", "header"},
           {"<meta charset=windows-1252><p>\xE4", "text/html", "windows-1252", "meta"},
           {"<meta http-equiv='Content-Type' content='text/html; charset=koi8-r'><p>\xC4", "text/html", "koi8-r",
            "meta"},
           {"<meta charset='utf-16'><p>\xC3\xA4", "text/html", "utf-8", "meta"},
           {"<p>\xC3\xA4", "text/html", "utf-8", "content"},
           {"<p>\xE4", "text/html", "windows-1252", "default"},
       }) {
    const auto decoded = decode_page(each.bytes, each.type, true);
    ASSERT_OK(decoded);
    EXPECT_EQ(decoded->charset, each.charset) << each.bytes;
    EXPECT_EQ(decoded->evidence, each.evidence) << each.bytes;
    EXPECT_TRUE(decoded->text.ends_with("\xC3\xA4") || decoded->text.ends_with("\xD0\xB4")) << decoded->text;
  }
  EXPECT_EQ(decode_page("a\xFF z", "text/plain; charset=utf-8", false)->text, "a\xEF\xBF\xBD z");
  EXPECT_EQ(decode_page("<meta charset=koi8-r>\xC3\xA4", "text/plain", false)->charset, "utf-8");
  const std::string long_text(100'000, '\xE4');
  EXPECT_EQ(decode_page(long_text, "text/plain; charset=latin1", false)->text.size(), 200'000u);
}

// Pages that were made to take time or memory.
class Hostile : public ::testing::Test {
 protected:
  static std::string repeated(std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
  }
  static Result<Extracted> extract(std::string_view page, std::vector<FieldRule> rules) {
    const std::clock_t begin = std::clock();
    for (std::size_t at = 0; at < rules.size(); ++at) rules[at].name = "f" + std::to_string(at);
    const auto extractor = Extractor::compile(rules);
    if (!extractor) return fail(extractor.error());
    auto extracted = extractor->extract(page, "text/html; charset=utf-8");
    // Of the processor, with sanitizers; what is not linear takes hours.
    EXPECT_LT(std::clock() - begin, 30 * CLOCKS_PER_SEC);
    return extracted;
  }
};

TEST_F(Hostile, NestedDeeply) {
  EXPECT_FAILS(extract(repeated("<div>", 1'000'000), {css("div")}), "page_too_complex");
  EXPECT_FAILS(extract(repeated("<b><i>", 500'000), {css("b")}), "page_too_complex");
}

TEST_F(Hostile, ManyElements) {
  EXPECT_FAILS(extract(repeated("<p>", 3'000'000), {css("p")}), "page_too_complex");
  const auto extracted = extract(repeated("<p>x", 400'000), {list(css("p"))});
  ASSERT_OK(extracted);
  EXPECT_EQ(extracted->issues.at(0).code, "field_too_large");
}

TEST_F(Hostile, ALongAttribute) {
  const auto extracted = extract("<p title=\"" + std::string(10'000'000, 'x') + "\">y</p>", {css("p[title]")});
  ASSERT_OK(extracted);
  EXPECT_THAT(extracted->fields[0].values, ElementsAre("y"));
  EXPECT_OK(extract("<p title=\"" + std::string(2'000'000, '<'), {css("p")}));
}

TEST_F(Hostile, ManyAttributes) {
  std::string tag = "<p ";
  for (int at = 0; at < 500'000; ++at) tag += "a" + std::to_string(at) + " ";
  const auto extracted = extract(tag + ">y</p>", {css("p[a1]"), css("p[a400000]")});
  ASSERT_OK(extracted);
  EXPECT_THAT(extracted->fields[0].values, ElementsAre("y"));
  EXPECT_THAT(extracted->fields[1].values, IsEmpty());
  // Hidden from a reader that takes comments for tags.
  EXPECT_OK(extract("<!-- <a x=\" -->" + tag + ">", {css("p")}));
}

TEST_F(Hostile, WhatIsNotClosed) {
  for (const char* piece : {"<", "</", "<!--", "<p ", "<p a=\"", "&", "&#", "&#x110000;", "<script>", "<title><", "]]>",
                            "<?", "</p>", "<table><tr><td>", "<a b='", "\xF0\x9F", "<select><option>"})
    (void)extract(repeated(piece, 200'000), {css("p")});
}

TEST_F(Hostile, AnExpensiveExpression) {
  const std::string page = repeated("<p>x</p>", 200'000);
  const auto extracted =
      extract(page, {{.name = "f", .by = By::xpath, .selector = "//p[count(//p[count(//p) > 1]) > 1]"}});
  ASSERT_OK(extracted);
  EXPECT_EQ(extracted->issues.at(0).code, "page_too_complex");
}

TEST_F(Hostile, TheSameTextAgainAndAgain) {
  std::string page;
  for (int depth = 0; depth < 200; ++depth) page += "<div>";
  const auto extracted = extract(page + std::string(1'000'000, 'x'), {list(css("*"))});
  ASSERT_OK(extracted);
  EXPECT_EQ(extracted->issues.at(0).code, "field_too_large");
}

TEST_F(Hostile, NothingIsLoaded) {
  const auto extracted = extract(
      "<!DOCTYPE html [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><html><body><p class=x>&x;</p>"
      "<img src='file:///etc/passwd'></body></html>",
      {css("p.x")});
  ASSERT_OK(extracted);
  EXPECT_THAT(extracted->fields[0].values, ElementsAre("&x;"));
}

TEST_F(Hostile, NulBytesDoNotEndAPage) {
  const auto extracted = extract(std::string_view("<p>a\0b</p><h1>c</h1>", 21), {css("p"), css("h1")});
  ASSERT_OK(extracted);
  EXPECT_THAT(extracted->fields[0].values, ElementsAre("a\xEF\xBF\xBD"
                                                       "b"));
  EXPECT_THAT(extracted->fields[1].values, ElementsAre("c"));
}

}  // namespace
}  // namespace lade::harvest
