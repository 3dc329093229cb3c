#include "webhooks/signature.h"

#include "testing/results.h"
#include "webhooks/printable.h"

namespace lade::webhooks {
namespace {

// The example that the libraries of Standard Webhooks are tested with.
TEST(Signature, IsThatOfStandardWebhooks) {
  const auto signature = sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                              R"({"test": 2432232314})");
  ASSERT_OK(signature);
  EXPECT_EQ(*signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, CoversIdTimeAndBody) {
  const std::string secret = new_secret();
  const std::string whole = sign(secret, "a", 1, "b").value();
  EXPECT_NE(sign(secret, "c", 1, "b").value(), whole);
  EXPECT_NE(sign(secret, "a", 2, "b").value(), whole);
  EXPECT_NE(sign(secret, "a", 1, "c").value(), whole);
  EXPECT_NE(sign(new_secret(), "a", 1, "b").value(), whole);
  EXPECT_EQ(sign(secret, "a", 1, "b").value(), whole);
}

TEST(Signature, SecretsAreRandomAndOfOneForm) {
  const std::string one = new_secret();
  EXPECT_TRUE(one.starts_with("whsec_"));
  EXPECT_EQ(one.size(), 6u + 44u) << "32 bytes in base64";
  EXPECT_NE(one, new_secret());
  for (const char* wrong : {"", "whsec_", "whsec_***", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
    EXPECT_FAILS(sign(wrong, "a", 1, "b"), "webhook_secret_invalid") << wrong;
}

TEST(Printable, IsOneLineWithoutTheSecret) {
  EXPECT_EQ(printable("", "s"), "");
  EXPECT_EQ(printable(" a\r\n\tb  c\n", "s3"), "a b c");
  EXPECT_EQ(printable(std::string("\0\x1b[1m\xff", 6), "s3"), "..[1m.");
  EXPECT_EQ(printable("key s3s3 and s3", "s3"), "key ****** and ***");
}

}  // namespace
}  // namespace lade::webhooks
