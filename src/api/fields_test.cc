#include "api/fields.h"

#include <gtest/gtest.h>

#include "testing/results.h"

namespace lade::api {
namespace {

Fields body(std::string_view text) {
  auto fields = Fields::of_body(text);
  EXPECT_OK(fields);
  return std::move(*fields);
}

TEST(Fields, GiveWhatWasSent) {
  Fields fields = body(R"({"name": "x", "count": 3, "force": true, "scopes": ["a", "b"], "none": null})");
  EXPECT_EQ(fields.text("name"), "x");
  EXPECT_EQ(fields.integer("count", 1, 5), 3);
  EXPECT_EQ(fields.flag("force"), true);
  EXPECT_EQ(fields.texts("scopes"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(fields.text("none"), std::nullopt);
  EXPECT_EQ(fields.text("absent"), std::nullopt);
  EXPECT_OK(fields.finish());
}

TEST(Fields, ReadQueriesByTheSameNames) {
  auto fields = Fields::of_query("limit=20&force=false&file=a%20b+c");
  ASSERT_OK(fields);
  EXPECT_EQ(fields->integer("limit", 1, 100), 20);
  EXPECT_EQ(fields->flag("force"), false);
  EXPECT_EQ(fields->text("file"), "a b c");
  EXPECT_OK(fields->finish());
}

TEST(Fields, AnUnknownNameIsNamedWithThoseThatAreKnown) {
  Fields fields = body(R"({"definition": "prices", "defnition": "x"})");
  fields.text("definition");
  const auto finished = fields.finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, "option_unknown");
  EXPECT_NE(finished.error().message.find("defnition"), std::string::npos);
  EXPECT_NE(finished.error().hint.find("definition"), std::string::npos);
}

TEST(Fields, AWrongValueIsShownWithWhatIsExpected) {
  for (const std::string_view text : {R"({"limit": 0})", R"({"limit": 101})", R"({"limit": "x"})", R"({"limit": 1.5})",
                                      R"({"limit": ""})", R"({"limit": [1]})"}) {
    Fields fields = body(text);
    EXPECT_EQ(fields.integer("limit", 1, 100), std::nullopt) << text;
    const auto finished = fields.finish();
    ASSERT_FALSE(finished) << text;
    EXPECT_EQ(finished.error().code, "request_invalid");
    EXPECT_NE(finished.error().hint.find("1 to 100"), std::string::npos);
  }
}

TEST(Fields, AMissingNameIsAskedFor) {
  Fields fields = body("");
  EXPECT_EQ(fields.required_text("email"), "");
  const auto finished = fields.finish();
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message.find("'email' is missing"), std::string::npos);
}

TEST(Fields, WhatIsNoObjectIsRefused) {
  for (const std::string_view text : {"[1]", "1", "\"x\"", "{", "{\"a\":1}x", "{\"a\":\"\xff\"}"}) {
    const auto fields = Fields::of_body(text);
    ASSERT_FALSE(fields) << text;
    EXPECT_EQ(fields.error().code, "request_invalid");
  }
  EXPECT_FALSE(Fields::of_body(std::string(100, '[')));
}

TEST(Fields, QueriesWithDoubtsAreRefused) {
  EXPECT_FALSE(Fields::of_query("a=1&a=2"));
  EXPECT_FALSE(Fields::of_query("a=%zz"));
  auto invalid = Fields::of_query("a=%ff");
  ASSERT_OK(invalid);
  EXPECT_EQ(invalid->text("a"), std::nullopt);
  EXPECT_FALSE(invalid->finish());
}

}  // namespace
}  // namespace lade::api
