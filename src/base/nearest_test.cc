#include "base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace lade {
namespace {

const std::vector<std::string_view> kKeys = {"required", "type", "from", "default", "severity", "min", "max"};

TEST(Nearest, FindsTypos) {
  EXPECT_EQ(nearest("requird", kKeys), "required");
  EXPECT_EQ(nearest("tpye", kKeys), "type");
  EXPECT_EQ(nearest("form", kKeys), "from");
  EXPECT_EQ(nearest("DEFAULT", kKeys), "default");
  EXPECT_EQ(nearest("mx", kKeys), "max");
}

TEST(Nearest, IgnoresCaseAndSeparators) {
  const std::vector<std::string> headers = {"Component Code", "Quantity"};
  EXPECT_EQ(nearest("component_code", headers), "Component Code");
  EXPECT_EQ(nearest("ComponentCode", headers), "Component Code");
  EXPECT_EQ(nearest("Quantty", headers), "Quantity");
}

TEST(Nearest, ProposesNothingFarAway) {
  EXPECT_EQ(nearest("colour", kKeys), "");
  EXPECT_EQ(nearest("x", kKeys), "");
  EXPECT_EQ(nearest("", kKeys), "");
  EXPECT_EQ(nearest("type", std::span<const std::string_view>{}), "");
}

TEST(Nearest, PrefersTheSmallestDistanceThenTheFirst) {
  const std::vector<std::string_view> names = {"prices", "price", "pric"};
  EXPECT_EQ(nearest("price", names), "price");
  EXPECT_EQ(nearest("pricee", names), "prices");
}

TEST(Nearest, LongTextIsCut) {
  const std::string longer(10000, 'a');
  const std::vector<std::string> names = {longer + "b"};
  EXPECT_EQ(nearest(longer, names), names[0]);
}

}  // namespace
}  // namespace lade
