#include "harvest/json_syntax.h"

#include <gtest/gtest.h>

#include <string>

namespace lade::harvest {
namespace {

TEST(JsonSyntax, TakesWhatTheRfcTakes) {
  for (const char* text :
       {"0", "-0", "-12.50e+3", "1E5", "123456789012345678901234567890", "\"\"", "\"a\\u00e9\\n\\\"\"", "true", "null",
        "[]", "{}", "[ ]", " { \"a\" : [ 1 , { } , [ [ ] , 2 ] ] , \"b\" : \"}\" } ", "[[],[[]],{}]",
        "{\"a\":{\"b\":[]}}"})
    EXPECT_EQ(json_fault(text), std::nullopt) << text;
  EXPECT_EQ(json_fault(std::string(500, '[') + std::string(500, ']')), std::nullopt);
}

TEST(JsonSyntax, SaysWhereItStops) {
  struct Case {
    const char* text;
    std::size_t at;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"", 0},
           {" ", 1},
           {"{", 1},
           {"[", 1},
           {"[1", 2},
           {"[1,", 3},
           {"[1,]", 3},
           {"{\"a\"}", 4},
           {"{\"a\":}", 5},
           {"{\"a\":1,}", 7},
           {"{a:1}", 1},
           {"01", 1},
           {"1.", 2},
           {"1.e5", 2},
           {"1e", 2},
           {"+1", 0},
           {".5", 0},
           {"nul", 0},
           {"truex", 4},
           {"\"", 1},
           {"\"\\x\"", 2},
           {"\"\\u12\"", 5},
           {"\"\n\"", 1},
           {"1 2", 2},
           {"[1 2]", 3},
           {"[1}", 2},
           {"{\"a\":1]", 6},
           {"]", 0},
           {"\"\\", 2},
           {"[],", 2},
           {"{\"a\":1 \"b\":2}", 7},
           {"NaN", 0},
       })
    EXPECT_EQ(json_fault(each.text), each.at) << each.text;
  EXPECT_EQ(json_fault(std::string(501, '[')), 500u);
}

}  // namespace
}  // namespace lade::harvest
