#include <gtest/gtest.h>

#include <string>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

std::string boolean_of(std::string_view text, std::string_view format = {}) {
  bool value = false;
  const auto words = BooleanFormat::parse(format);
  EXPECT_TRUE(words) << format;
  if (const CastFault fault = words->boolean(text, value)) return fault.code;
  return value ? "1" : "0";
}

std::string uuid_of(std::string_view text) {
  unsigned char value[16];
  if (const CastFault fault = uuid(text, value)) return fault.code;
  std::string out;
  append_uuid(out, value);
  return out;
}

TEST(CastBoolean, TakesTheUsualWords) {
  for (const char* text : {"true", "TRUE", "True", "yes", "Y", "1", "t", "on", "ON"})
    EXPECT_EQ(boolean_of(text), "1") << text;
  for (const char* text : {"false", "FALSE", "no", "N", "0", "f", "off"}) EXPECT_EQ(boolean_of(text), "0") << text;
  for (const char* text : {"", "2", "-1", "00", "01", "tru", "truee", "yes ", " yes", "ja", "x", "null", "ｙｅｓ"})
    EXPECT_EQ(boolean_of(text), "not_a_boolean") << text;
}

TEST(CastBoolean, TakesOnlyTheFormatsWords) {
  EXPECT_EQ(boolean_of("ja", "ja/nein"), "1");
  EXPECT_EQ(boolean_of("JA", "ja/nein"), "1");
  EXPECT_EQ(boolean_of("nein", "Ja/Nein"), "0");
  EXPECT_EQ(boolean_of("ДА", "да/нет"), "1");
  for (const char* text : {"", "true", "1", "yes", "ja/nein", "j"})
    EXPECT_EQ(boolean_of(text, "ja/nein"), "not_a_boolean") << text;
  for (const char* format : {"ja", "/", "ja/", "/nein", "ja/nein/vielleicht", "ja/JA", "ja,x/nein,X", "ja,/nein"}) {
    const auto words = BooleanFormat::parse(format);
    ASSERT_FALSE(words) << format;
    EXPECT_EQ(words.error().code, "format_invalid");
  }
  EXPECT_EQ(BooleanFormat::parse("ja/nein")->accepted(), "ja or nein");
}

TEST(CastBoolean, TakesSeveralWordsASide) {
  for (const char* text : {"ja", "J", "x", "OUI"})
    EXPECT_EQ(boolean_of(text, "ja, j, x, oui / nein,n,-,Ö"), "1") << text;
  for (const char* text : {"nein", "N", "-", "ö"})
    EXPECT_EQ(boolean_of(text, "ja, j, x, oui / nein,n,-,Ö"), "0") << text;
  for (const char* text : {"ja,j", ",", "", "o", "yes"})
    EXPECT_EQ(boolean_of(text, "ja,j,x/nein,n,-"), "not_a_boolean") << text;
  EXPECT_EQ(BooleanFormat::parse("Ja,j/nein")->accepted(), "ja, j or nein");
}

TEST(CastUuid, TakesTheCommonWritings) {
  const std::string canonical = "0123abcd-ef01-2345-6789-abcdef012345";
  for (const char* text : {"0123abcd-ef01-2345-6789-abcdef012345", "0123ABCD-EF01-2345-6789-ABCDEF012345",
                           "{0123abcd-ef01-2345-6789-abcdef012345}", "0123abcdef0123456789abcdef012345",
                           "{0123ABCDEF0123456789abcdef012345}"})
    EXPECT_EQ(uuid_of(text), canonical) << text;
  for (const char* text : {"", "{}", "{", "0123abcd-ef01-2345-6789-abcdef01234",
                           "0123abcd-ef01-2345-6789-abcdef0123456", "0123abcdef01-2345-6789-abcdef012345-",
                           "0123abcd-ef01-2345-6789-abcdef01234g", "{0123abcd-ef01-2345-6789-abcdef012345",
                           "0123abcd-ef01-2345-6789-abcdef012345}", "0123abcd--f01-2345-6789-abcdef012345",
                           "urn:uuid:0123abcd-ef01-2345-6789-abcdef012345", "0123abcd-ef01-2345-6789_abcdef012345"})
    EXPECT_EQ(uuid_of(text), "not_a_uuid") << text;
}

TEST(CastJson, TakesWhatRfc8259Takes) {
  for (const char* text :
       {"0", "-0", "1.5e-3", "\"\"", "true", "false", "null", "[]", "{}", " [ 1 , 2 ] ", "{\"a\":{\"b\":[]}}",
        "\"\\u00e9\\n\\\"\"", "[[[]],{}]", "\t\n\r 1", "{\"\":0,\"\":1}", "\"\xC3\xA9\"", "1e999", "-1E+5"})
    EXPECT_FALSE(json(text)) << text;
}

TEST(CastJson, RefusesTheRest) {
  for (const char* text : {"",          " ",
                           "01",        "-",
                           "+1",        ".5",
                           "1.",        "1e",
                           "1e+",       "NaN",
                           "Infinity",  "True",
                           "nul",       "'a'",
                           "\"",        "\"\\\"",
                           "\"\\x41\"", "\"\\u12g4\"",
                           "\"\\u12\"", "\"a\nb\"",
                           "[",         "]",
                           "[1",        "[1,]",
                           "[,1]",      "[1 2]",
                           "{",         "{\"a\"}",
                           "{\"a\":}",  "{\"a\":1,}",
                           "{a:1}",     "{1:1}",
                           "{\"a\":1]", "[1}",
                           "1 2",       "[]]",
                           "// c\n1",   "{\"a\":1 \"b\":2}",
                           "truefalse", "\xEF\xBB\xBF{}",
                           "[1:2]"})
    EXPECT_EQ(std::string(json(text).code ? json(text).code : "accepted"), "not_json") << text;
}

TEST(CastJson, CountsLevelsInsteadOfRecursing) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_FALSE(json(nested(1024)));
  EXPECT_TRUE(json(nested(1025)));
  EXPECT_TRUE(json(std::string(1'000'000, '[')));
  EXPECT_TRUE(json(std::string(1'000'000, '{')));
}

}  // namespace
}  // namespace lade::analysis
