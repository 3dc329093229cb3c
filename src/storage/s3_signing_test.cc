// Signatures, compared with the examples that AWS publishes for Signature Version 4 of S3.
#include "storage/s3_signing.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace lade::storage {
namespace {

const S3Keys kKeys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
const S3Time kTime = std::chrono::sys_days(std::chrono::year(2013) / 5 / 24);
const std::string kHost = "examplebucket.s3.amazonaws.com";

std::string signed_by(const S3Request& request, const std::string& body = "") {
  const std::string line = signed_headers(request, kKeys, "us-east-1", sha256_of(body), kTime).back().second;
  return line.substr(line.find("Signature=") + 10);
}

TEST(S3Signing, SignsAGetWithARange) {
  const S3Request request{"GET", kHost, "/test.txt", {}, {{"range", "bytes=0-9"}}};
  EXPECT_EQ(signed_by(request), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  const S3Fields headers = signed_headers(request, kKeys, "us-east-1", sha256_of(""), kTime);
  EXPECT_EQ(headers.back().second,
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(S3Signing, SignsAPutWithABodyAndAnEscapedName) {
  const S3Request request{"PUT",
                          kHost,
                          s3_escaped("/test$file.text", true),
                          {},
                          {{"date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}};
  EXPECT_EQ(request.path, "/test%24file.text");
  EXPECT_EQ(signed_by(request, "Welcome to Amazon S3."),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(S3Signing, SignsQueries) {
  EXPECT_EQ(signed_by({"GET", kHost, "/", {{"lifecycle", ""}}}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signed_by({"GET", kHost, "/", {{"prefix", "J"}, {"max-keys", "2"}}}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(S3Signing, PresignsAnAddress) {
  EXPECT_EQ(presigned_query({"GET", kHost, "/test.txt"}, kKeys, "us-east-1", std::chrono::hours(24), kTime),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256"
            "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(S3Signing, SignsTheTokenOfTemporaryKeys) {
  S3Keys keys = kKeys;
  keys.session = "a token/of a session";
  const S3Request request{"GET", kHost, "/test.txt"};
  const std::string line = signed_headers(request, keys, "us-east-1", sha256_of(""), kTime).back().second;
  EXPECT_NE(line.find("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"), std::string::npos);
  EXPECT_NE(presigned_query(request, keys, "us-east-1", std::chrono::hours(1), kTime)
                .find("X-Amz-Security-Token=a%20token%2Fof%20a%20session"),
            std::string::npos);
}

TEST(S3Signing, EscapesAllButWhatIsPlain) {
  EXPECT_EQ(s3_escaped("aZ09-_.~/ +ä"), "aZ09-_.~%2F%20%2B%C3%A4");
  EXPECT_EQ(s3_query({{"b", "2"}, {"a", "x y"}, {"uploads", ""}}), "a=x%20y&b=2&uploads=");
}

}  // namespace
}  // namespace lade::storage
