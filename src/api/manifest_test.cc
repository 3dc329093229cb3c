#include "api/manifest.h"

#include <gtest/gtest.h>

namespace lade::api {
namespace {

TEST(Manifest, FindsTheDefinitionOfAFile) {
  const auto manifest = Manifest::parse(
      R"({"Accounts-Payable.xlsx": {"type": "ap", "sheetName": "AP Data"},
          "Budget-Forecast.xlsx": {"type": "budgetForecast"},
          "prices.csv": {"definition": "price_list"}})",
      "m");
  ASSERT_TRUE(manifest) << manifest.error().message;
  const ManifestEntry* entry = manifest->find("Accounts-Payable.xlsx");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->definition, "ap");
  EXPECT_EQ(entry->sheet, "AP Data");
  EXPECT_EQ(manifest->find("Budget-Forecast.xlsx")->definition, "budget_forecast");
  EXPECT_EQ(manifest->find("Budget-Forecast.xlsx")->type, "budgetForecast");
  EXPECT_EQ(manifest->find("prices.csv")->type, "price_list");
  EXPECT_EQ(manifest->find("accounts-payable.xlsx"), nullptr);
  EXPECT_EQ(manifest->names(), "Accounts-Payable.xlsx, Budget-Forecast.xlsx, prices.csv");
}

TEST(Manifest, NamesWhatIsWrong) {
  for (const auto& [text, part] : {std::pair("[", "no valid JSON"), std::pair("[]", "no JSON object"),
                                   std::pair(R"({"a.xlsx": 1})", "'a.xlsx' is no object"),
                                   std::pair(R"({"a.xlsx": {}})", "neither type nor definition"),
                                   std::pair(R"({"a.xlsx": {"type": 1}})", "type is no text"),
                                   std::pair(R"({"a.xlsx": {"typ": "x"}})", "has 'typ'")}) {
    const auto manifest = Manifest::parse(text, "m.json");
    ASSERT_FALSE(manifest) << text;
    EXPECT_EQ(manifest.error().code, "manifest_invalid");
    EXPECT_NE(manifest.error().message.find(part), std::string::npos) << manifest.error().message;
  }
}

TEST(Manifest, AFileThatIsNotThereIsEmpty) {
  const auto manifest = Manifest::read("/nonexistent/import-manifest.json");
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->names(), "none");
}

TEST(FileName, IsAPlainName) {
  EXPECT_TRUE(check_file_name("Accounts Payable (März).xlsx"));
  for (const char* name : {"", ".", "..", "a/b.xlsx", "/etc/passwd", "..\\x.xlsx", "a..b.xlsx", ".hidden", "a\nb"})
    EXPECT_FALSE(check_file_name(name)) << name;
}

}  // namespace
}  // namespace lade::api
