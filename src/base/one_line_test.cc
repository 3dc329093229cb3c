#include "base/one_line.h"

#include <gtest/gtest.h>

namespace lade {
namespace {

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(OneLine, HasNoControlCharactersAndNoEnd) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("plain"), "plain");
  EXPECT_EQ(one_line("a\r\n\tb\x7F"
                     "c\n\n"),
            "a   b c");
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a b");
}

TEST(OneLine, HasAtMost500Characters) {
  EXPECT_EQ(one_line(std::string(500, 'x')), std::string(500, 'x'));
  EXPECT_EQ(one_line(std::string(501, 'x')), std::string(499, 'x') + "…");
  EXPECT_EQ(one_line(times(500, "€")), times(500, "€"));
  EXPECT_EQ(one_line(times(2000, "€")), times(499, "€") + "…");
  EXPECT_EQ(one_line(times(501, "𝄞")), times(499, "𝄞") + "…");
}

TEST(OneLine, IsUtf8WhateverWasSaid) {
  EXPECT_EQ(one_line("Ärger"), "Ärger");
  for (const std::string& bytes : std::initializer_list<std::string>{
           "\xC4", "\xFF", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
           "\xF5\x80\x80\x80", "\x80", "\xE2\x82"})
    EXPECT_EQ(one_line("a" + bytes), "a" + std::string(bytes.size(), '?'));
}

}  // namespace
}  // namespace lade
