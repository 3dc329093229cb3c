#include "http/message.h"

#include <gtest/gtest.h>

namespace lade::http {
namespace {

TEST(HeadersTest, NamesHaveNoCase) {
  Headers headers;
  headers.add("Content-Type", "a");
  headers.add("content-type", "b");
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "a");
  headers.set("Content-type", "c");
  EXPECT_EQ(headers.all().size(), 1U);
  EXPECT_EQ(headers.get("content-type"), "c");
  EXPECT_TRUE(headers.has("content-TYPE"));
  EXPECT_FALSE(headers.has("content"));
  EXPECT_EQ(headers.get("content"), "");
}

TEST(SegmentsTest, AreDecodedOneByOne) {
  using Segments = std::vector<std::string>;
  EXPECT_EQ(segments_of("/"), Segments{""});
  EXPECT_EQ(segments_of("/jobs/7"), (Segments{"jobs", "7"}));
  EXPECT_EQ(segments_of("/a%2Fb//%c3%A9+/"), (Segments{"a/b", "", "\xC3\xA9+", ""}));
  EXPECT_EQ(segments_of("/.%2e/.."), (Segments{"..", ".."})) << "text; whoever makes paths of it looks";
  for (const char* const path : {"/%", "/%4", "/%zz", "/a%00b", "/x/%0"})
    EXPECT_EQ(segments_of(path), std::nullopt) << path;
}

TEST(ParametersTest, AreDecodedInTheirOrder) {
  EXPECT_EQ(parameters_of(""), Parameters());
  EXPECT_EQ(parameters_of("b=1&a=x+y%2B&b=&c&&=d&e=f=g"),
            (Parameters{{"b", "1"}, {"a", "x y+"}, {"b", ""}, {"c", ""}, {"", "d"}, {"e", "f=g"}}));
  EXPECT_EQ(parameters_of("a=%"), std::nullopt);
  EXPECT_EQ(parameters_of("%4=1"), std::nullopt);
}

}  // namespace
}  // namespace lade::http
