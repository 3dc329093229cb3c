#include "analysis/suggestions.h"

#include <gtest/gtest.h>

namespace lade::analysis {
namespace {

std::vector<std::string> channels() {
  return {"Retail", "Wholesale", "Online"};
}

TEST(Suggestions, ProposeTheNearestName) {
  Suggestions suggestions;
  EXPECT_EQ(suggestions.hint("Retial", channels), "did you mean 'Retail'? ");
  EXPECT_EQ(suggestions.hint("wholesale", channels), "did you mean 'Wholesale'? ");
  EXPECT_EQ(suggestions.hint("Export", channels), "");
  EXPECT_EQ(suggestions.hint(std::string(1000, 'R'), channels), "");
}

TEST(Suggestions, AskForTheNamesOnce) {
  Suggestions suggestions;
  int asked = 0;
  const auto names = [&] { return ++asked, channels(); };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(suggestions.hint("Onlin", names), "did you mean 'Online'? ");
  EXPECT_EQ(suggestions.hint("Ritail", names), "did you mean 'Retail'? ");
  EXPECT_EQ(asked, 1);
}

TEST(Suggestions, SpendABoundedEffort) {
  Suggestions suggestions;
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) names.push_back("code" + std::to_string(i));
  int proposed = 0;
  for (int i = 0; i < 100'000; ++i)
    proposed += suggestions.hint("kode" + std::to_string(i), [&] { return names; }).empty() ? 0 : 1;
  EXPECT_EQ(proposed, 20) << "400,000 comparisons";
  EXPECT_NE(suggestions.hint("kode0", [&] { return names; }), "") << "what was met before is remembered";
}

TEST(Suggestions, OfTooManyNamesNoneIsProposed) {
  Suggestions suggestions;
  EXPECT_EQ(suggestions.hint("a1", [] { return std::vector<std::string>(Suggestions::kMaxNames + 1, "a2"); }), "");
}

}  // namespace
}  // namespace lade::analysis
