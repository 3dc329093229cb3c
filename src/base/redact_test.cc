#include "base/redact.h"

#include <gtest/gtest.h>

namespace lade {
namespace {

TEST(Redacted, HidesWhoAsksInUrls) {
  EXPECT_EQ(redacted("cannot fetch http://ada:secret@example.org/a?b=c"), "cannot fetch http://***@example.org/a?b=c");
  EXPECT_EQ(redacted("http://token@example.org"), "http://***@example.org");
  EXPECT_EQ(redacted("http://a:b@c@example.org/x@y"), "http://***@example.org/x@y") << "the last one ends the user";
}

TEST(Redacted, HidesSecretParameters) {
  EXPECT_EQ(redacted("https://x/y?page=2&api_key=12&Access-Token=34#top"),
            "https://x/y?page=2&api_key=***&Access-Token=***#top");
  EXPECT_EQ(redacted("https://x/?key=1;sig=2 and more"), "https://x/?key=***;sig=*** and more");
  EXPECT_EQ(redacted("https://x/?monkey=1&keyboard=2"), "https://x/?monkey=1&keyboard=2");
  EXPECT_EQ(redacted("{\"url\":\"https://x/?password=p\"}"), "{\"url\":\"https://x/?password=***\"}");
}

TEST(Redacted, HidesWhatHeadersProve) {
  EXPECT_EQ(redacted("Authorization: Bearer abc.def"), "Authorization: Bearer ***");
  EXPECT_EQ(redacted("basic dXNlcg=="), "basic ***");
  EXPECT_EQ(redacted("the forbearer of it"), "the forbearer of it");
}

TEST(Redacted, LeavesTheRestAsItIs) {
  for (const char* text : {"", "a & b ? c", "http://", "what? yes&no", "://@", "?", "a=b"}) {
    const std::string expected = std::string(text) == "://@" ? "://***@" : text;
    EXPECT_EQ(redacted(text), expected);
  }
}

}  // namespace
}  // namespace lade
