#include "analysis/locale_tag.h"

#include <gtest/gtest.h>

#include "analysis/fold_case.h"

namespace lade::analysis {
namespace {

TEST(LocaleTag, ReadsLanguageAndRegion) {
  const struct {
    const char* text;
    const char* name;
  } cases[] = {{"de", "de"},
               {"de-DE", "de-de"},
               {"DE_at", "de-at"},
               {"zh-Hant-TW", "zh-tw"},
               {"sr-Latn", "sr"},
               {"es-419", "es-419"},
               {"de-CH-1996", "de-ch"},
               {"de-1996", "de"},
               {"sl-rozaj-biske", "sl"},
               {"de-DE-u-co-phonebk", "de-de"},
               {"en-US-u-hc-h12-x-private", "en-us"},
               {"de-x-y", "de"},
               {"fil-PH", "fil-ph"}};
  for (const auto& c : cases) {
    const auto tag = parse_locale_tag(c.text);
    ASSERT_TRUE(tag) << c.text;
    EXPECT_EQ(tag->name(), c.name);
  }
  for (const char* text : {"", "d", "-", "de-", "-de", "de--DE", "de-DE-", "deutsch", "d1", "de DE", "de-u",
                           "de-DE-u-x", "de-Deutschland", "de-DE-AT", "dé"})
    EXPECT_FALSE(parse_locale_tag(text)) << text;
}

TEST(FoldCase, LeavesNoCase) {
  EXPECT_EQ(folded_case("JA"), "ja");
  EXPECT_EQ(folded_case("ÉTÉ"), "été");
  EXPECT_EQ(folded_case("Straße"), folded_case("STRASSE"));
  EXPECT_EQ(folded_case("ДА"), "да");
  EXPECT_TRUE(folds_to("NeIn", "nein"));
  EXPECT_TRUE(folds_to("Über", "über"));
  EXPECT_FALSE(folds_to("neinn", "nein"));
  EXPECT_FALSE(folds_to("", "x"));
}

}  // namespace
}  // namespace lade::analysis
