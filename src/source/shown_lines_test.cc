#include "source/shown_lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/input_of.h"

namespace lade::source {
namespace {

class ShownLinesTest : public ::testing::Test {
 protected:
  ShownLines shown(const std::string& text, ShownPlace place, std::uint64_t counted = kCountedBytes) {
    const Input input = folder_.open(text).value();
    return shown_lines(input, recognise(input, {}).value(), place, counted).value();
  }
  static std::string many(int rows) {
    std::string text = "number,name\n";
    for (int i = 1; i <= rows; ++i) text += fmt::format("{},name {}\n", i, i);
    return text;
  }
  lade::testing::InputFolder folder_;
};

TEST_F(ShownLinesTest, TheBeginningHasTheHeaderAndWhatStandsAboveIt) {
  const ShownLines found = shown("List of things\n\nnumber;name;note\n1;a;x\n2;b;\"y\nz\"\n3;c\n", ShownPlace::start);
  ASSERT_EQ(found.lines.size(), 5U);
  EXPECT_EQ(found.lines[0].kind, ShownLine::Kind::above);
  EXPECT_EQ(found.lines[1].kind, ShownLine::Kind::header);
  EXPECT_EQ(found.lines[1].line, 3);
  EXPECT_EQ(found.lines[2].row, 1);
  EXPECT_EQ(found.lines[4].line, 7);
  EXPECT_EQ(found.lines[4].kind, ShownLine::Kind::odd);
  EXPECT_EQ(found.lines[4].cells, (std::vector<std::string>{"3", "c"}));
  EXPECT_EQ(found.rows, 3);
  EXPECT_EQ(found.odd, 1);
}

TEST_F(ShownLinesTest, MiddleAndEndHaveTheirLines) {
  const ShownLines middle = shown(many(1000), ShownPlace::middle), end = shown(many(1000), ShownPlace::end);
  ASSERT_EQ(middle.lines.size(), kMostShownLines);
  EXPECT_NEAR(static_cast<double>(middle.lines[0].row), 500, 60);
  EXPECT_EQ(middle.lines[0].line, middle.lines[0].row + 1);
  ASSERT_EQ(end.lines.size(), kMostShownLines);
  EXPECT_EQ(end.lines.back().cells, (std::vector<std::string>{"1000", "name 1000"}));
  EXPECT_EQ(end.lines.back().line, 1001);
}

TEST_F(ShownLinesTest, OddLinesAreFoundWhereverTheyStand) {
  const ShownLines found = shown(many(5000) + "5001,a,b\n" + many(3).substr(12), ShownPlace::odd);
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_EQ(found.lines[0].line, 5002);
  EXPECT_EQ(found.lines[0].cells.size(), 3U);
}

TEST_F(ShownLinesTest, ALargeFileIsCountedInPartAndStillShownAtItsEnd) {
  const std::string text = many(50'000);
  const ShownLines end = shown(text, ShownPlace::end, 100'000), middle = shown(text, ShownPlace::middle, 100'000);
  EXPECT_FALSE(end.complete);
  EXPECT_LT(end.rows, 50'000);
  ASSERT_EQ(end.lines.size(), kMostShownLines);
  EXPECT_EQ(end.lines.back().cells[0], "50000");
  EXPECT_EQ(end.lines.back().line, 0);
  EXPECT_EQ(middle.lines.size(), kMostShownLines);
}

}  // namespace
}  // namespace lade::source
