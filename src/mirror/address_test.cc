#include "mirror/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/results.h"

namespace lade::mirror {
namespace {

TEST(RedisAddress, HasHostPortDatabaseUserAndPassword) {
  const auto address = parse_address("redis://mona:p%40ss:w%2Frd@redis.example:6390/3");
  ASSERT_OK(address);
  EXPECT_EQ(address->host, "redis.example");
  EXPECT_EQ(address->port, 6390);
  EXPECT_EQ(address->database, 3);
  EXPECT_EQ(address->user, "mona");
  EXPECT_EQ(address->password, "p@ss:w/rd");
  EXPECT_EQ(to_text(*address), "redis://redis.example:6390/3");
}

TEST(RedisAddress, NeedsOnlyAHost) {
  const auto address = parse_address("redis://localhost");
  ASSERT_OK(address);
  EXPECT_EQ(to_text(*address), "redis://localhost:6379/0");
  EXPECT_EQ(to_text(*parse_address("redis://:secret@[::1]:1/")), "redis://[::1]:1/0");
  EXPECT_EQ(parse_address("redis://:secret@[::1]:1/")->password, "secret");
}

TEST(RedisAddress, MayBeASocket) {
  const auto address = parse_address("unix:/run/redis/redis.sock");
  ASSERT_OK(address);
  EXPECT_EQ(address->path, "/run/redis/redis.sock");
  EXPECT_EQ(to_text(*address), "unix:/run/redis/redis.sock");
}

TEST(RedisAddress, IsRefusedWithoutShowingThePassword) {
  for (const char* url : {"",
                          "redis://",
                          "redis:secret",
                          "http://:secret@host",
                          "rediss://:secret@host",
                          "localhost:6379",
                          "redis://:secret@",
                          "redis://secret@host",
                          "redis://:secret%2@host",
                          "redis://:secret@host:0",
                          "redis://:secret@host:65536",
                          "redis://:secret@host:x",
                          "redis://:secret@host/-1",
                          "redis://:secret@host/one",
                          "redis://:secret@ho st",
                          "redis://:secret@[::1",
                          "redis://:secret",
                          "redis://user:secret",
                          "unix:",
                          "unix:relative.sock",
                          "unix://host/secret"}) {
    const auto address = parse_address(url);
    ASSERT_FAILS(address, "redis_url_invalid") << url;
    EXPECT_THAT(address.error().message, ::testing::Not(::testing::HasSubstr("secret"))) << url;
  }
  EXPECT_FAILS(parse_address("unix:/" + std::string(200, 'a')), "redis_url_invalid");
  EXPECT_THAT(parse_address("rediss://host").error().message, ::testing::HasSubstr("TLS"));
}

}  // namespace
}  // namespace lade::mirror
