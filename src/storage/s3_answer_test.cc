// Answers of a storage, good and bad, as people are told of them.
#include "storage/s3_answer.h"

#include <gtest/gtest.h>

namespace lade::storage {
namespace {

S3Answer refused(long status, std::string_view code, std::string_view more = "") {
  S3Answer answer;
  answer.status = status;
  answer.body = "<?xml version=\"1.0\"?><Error><Code>" + std::string(code) + "</Code>" + std::string(more) + "</Error>";
  return answer;
}

Error error(const S3Answer& answer) {
  return s3_error(answer, "http://storage", "imports");
}

TEST(S3Answer, ReadsElements) {
  const std::string xml =
      "<List><Key>a &amp; b&lt;&gt;&quot;&apos;&#39;&#x27; &nbsp;&</Key><Key>c</Key><Empty></Empty><Open>x</List>";
  EXPECT_EQ(element_of(xml, "Key"), "a & b<>\"''' &nbsp;&");
  EXPECT_EQ(elements_of(xml, "Key").size(), 2u);
  EXPECT_EQ(element_of(xml, "Empty"), "");
  EXPECT_EQ(element_of(xml, "Open"), "");
  EXPECT_EQ(element_of(xml, "None"), "");
  EXPECT_TRUE(elements_of("", "Key").empty());
}

TEST(S3Answer, KnowsWhatPasses) {
  for (const long status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(passes(refused(status, ""))) << status;
  EXPECT_TRUE(passes(refused(400, "RequestTimeout")));
  EXPECT_TRUE(passes({.broken = "connection reset"}));
  EXPECT_FALSE(passes({.broken = "wrong certificate", .is_about_tls = true}));
  for (const long status : {200, 301, 400, 403, 404, 411, 416})
    EXPECT_FALSE(passes(refused(status, "Other"))) << status;
}

TEST(S3Answer, TellsWhatIsWrong) {
  EXPECT_EQ(error(refused(403, "SignatureDoesNotMatch")).message,
            "http://storage: bucket imports: the secret key is wrong (SignatureDoesNotMatch)");
  EXPECT_EQ(error(refused(403, "AccessDenied")).code, "storage_refused");
  EXPECT_EQ(error(refused(403, "ExpiredToken")).message,
            "http://storage: bucket imports: the session's token is not valid any more (ExpiredToken)");
  EXPECT_EQ(error(refused(404, "NoSuchBucket")).code, "storage_bucket_missing");
  EXPECT_EQ(error(refused(503, "SlowDown")).code, "storage_unreachable");
  EXPECT_EQ(error({.broken = "no route"}).message, "http://storage: no route");
  EXPECT_EQ(error(refused(301, "PermanentRedirect", "<Message>use another\nendpoint</Message>")).message,
            "http://storage: bucket imports: it answers 301 PermanentRedirect use another endpoint");
}

TEST(S3Answer, DifferentClocksAreToldWithTheServersTime) {
  EXPECT_NE(error(refused(403, "RequestTimeTooSkewed", "<ServerTime>2001-02-03T04:05:06Z</ServerTime>"))
                .message.find("there it is 2001-02-03T04:05:06Z"),
            std::string::npos);
  S3Answer dated = refused(403, "RequestTimeTooSkewed");
  dated.date = "Sat, 03 Feb 2001 04:05:06 GMT";
  EXPECT_EQ(error(dated).code, "storage_clock_skew");
  EXPECT_NE(error(dated).message.find("there it is Sat, 03 Feb 2001"), std::string::npos);
}

TEST(S3Answer, AStrangersTextIsShortAndFlat) {
  const Error told =
      error(refused(400, std::string(10'000, 'x'), "<Message>\x01\x02" + std::string(10'000, 'y') + "</Message>"));
  EXPECT_LT(told.message.size(), 500u);
  EXPECT_EQ(told.message.find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace lade::storage
