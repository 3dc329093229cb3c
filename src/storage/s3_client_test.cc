// The client of S3 against a real server, and against one that fails.
#include "storage/s3_client.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/id.h"
#include "testing/results.h"
#include "testing/s3_server.h"

namespace lade::storage {
namespace {

using namespace std::chrono_literals;

class S3ClientTest : public ::testing::Test {
 protected:
  S3ClientTest() { server.fail("none"); }
  ~S3ClientTest() override { server.fail("none"); }

  S3Options options() const {
    S3Options made;
    made.endpoint = server.endpoint();
    made.bucket = "lade-test";
    made.keys = {server.access(), server.secret()};
    made.pause = 1ms;
    made.longest_pause = 5ms;
    return made;
  }
  static std::string bytes_of(std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(i * 31 + i / 256);
    return bytes;
  }

  testing::S3Server& server = testing::S3Server::shared();
  const std::string key = "client/" + new_uuid();
};

TEST_F(S3ClientTest, PutsGetsAndRemoves) {
  const S3Client client(options());
  EXPECT_EQ(client.get(key).value(), std::nullopt);
  EXPECT_EQ(client.size(key).value(), std::nullopt);
  const std::string bytes = bytes_of(100'000);
  EXPECT_TRUE(client.put(key, bytes).value());
  EXPECT_EQ(client.get(key).value(), bytes);
  EXPECT_EQ(client.size(key).value(), 100'000u);
  EXPECT_EQ(client.get(key, 500, 1'000).value(), bytes.substr(500, 1'000));
  EXPECT_EQ(client.get(key, 99'999, 1).value(), bytes.substr(99'999));
  EXPECT_EQ(client.get(key + "x", 0, 1).value(), std::nullopt);
  EXPECT_OK(client.remove(key));
  EXPECT_OK(client.remove(key));
  EXPECT_EQ(client.get(key).value(), std::nullopt);
}

TEST_F(S3ClientTest, KeepsAnEmptyObject) {
  const S3Client client(options());
  ASSERT_OK(client.put(key, ""));
  EXPECT_EQ(client.get(key).value(), "");
  EXPECT_EQ(client.size(key).value(), 0u);
  EXPECT_EQ(client.get(key, 0, 0).value(), "");
}

TEST_F(S3ClientTest, EscapesKeys) {
  const S3Client client(options());
  const std::string odd = key + "/a b+c%d&e=f'g";
  ASSERT_OK(client.put(odd, "odd"));
  EXPECT_EQ(client.get(odd).value(), "odd");
  std::vector<std::string> listed;
  ASSERT_OK(client.list(key + "/", [&](const S3Object& object) -> Result<void> {
    listed.push_back(object.key);
    return {};
  }));
  EXPECT_EQ(listed, std::vector<std::string>{odd});
}

TEST_F(S3ClientTest, ListsMoreThanAPage) {
  S3Options small = options();
  small.page_keys = 4;
  const S3Client client(small);
  for (int i = 0; i < 14; ++i) ASSERT_OK(client.put(fmt::format("{}/{:04}", key, i), "x"));
  int count = 0;
  const auto before = std::chrono::system_clock::now() - 1h;
  ASSERT_OK(client.list(key + "/", [&](const S3Object& object) -> Result<void> {
    EXPECT_EQ(object.key, fmt::format("{}/{:04}", key, count++));
    EXPECT_EQ(object.bytes, 1u);
    EXPECT_GT(object.modified, before);
    EXPECT_LT(object.modified, before + 2h);
    return {};
  }));
  EXPECT_EQ(count, 14);
  EXPECT_FAILS(client.list(key + "/", [](const S3Object&) -> Result<void> { return lade::fail("enough", "enough"); }),
               "enough");
}

TEST_F(S3ClientTest, UploadsPartByPart) {
  const S3Client client(options());
  const std::string bytes = bytes_of(5 * 1024 * 1024 + 17);
  const auto upload = client.begin_upload(key);
  ASSERT_OK(upload);
  const auto first = client.put_part(key, *upload, 1, std::string_view(bytes).substr(0, 5 * 1024 * 1024));
  const auto second = client.put_part(key, *upload, 2, std::string_view(bytes).substr(5 * 1024 * 1024));
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_EQ(client.size(key).value(), std::nullopt);
  ASSERT_OK(client.finish_upload(key, *upload, {*first, *second}, bytes.size()));
  EXPECT_EQ(client.size(key).value(), bytes.size());
  EXPECT_EQ(client.get(key, 0, bytes.size()).value(), bytes);
}

TEST_F(S3ClientTest, AnEndWhoseAnswerIsLostIsRecognised) {
  const S3Client client(options());
  const auto upload = client.begin_upload(key);
  ASSERT_OK(upload);
  const auto tag = client.put_part(key, *upload, 1, "the only part");
  ASSERT_OK(tag);
  S3Options once = options();
  once.attempts = 1;
  const S3Client hasty(once);
  ASSERT_OK(hasty.size(key));
  server.fail("lost", 1, "uploadId");
  const auto lost = hasty.finish_upload(key, *upload, {*tag}, 13);
  EXPECT_OK(lost);
  server.fail("none");
  EXPECT_EQ(client.get(key).value(), "the only part");
}

TEST_F(S3ClientTest, AnErrorAfterTheStatusIsAnError) {
  const S3Client client(options());
  const auto upload = client.begin_upload(key);
  ASSERT_OK(upload);
  const auto tag = client.put_part(key, *upload, 1, "the only part");
  ASSERT_OK(tag);
  server.fail("late", 1, "uploadId");
  EXPECT_FAILS(client.finish_upload(key, *upload, {*tag}, 13), "storage_unreachable");
  server.fail("none");
  EXPECT_OK(client.finish_upload(key, *upload, {*tag}, 13));
}

TEST_F(S3ClientTest, WhatLooksLikeAnErrorInAFileIsNone) {
  const S3Client client(options());
  const std::string bytes = "<Error><Code>SlowDown</Code></Error>";
  ASSERT_OK(client.put(key, bytes));
  EXPECT_EQ(client.get(key).value(), bytes);
}

TEST_F(S3ClientTest, BusyServersAreAskedAgain) {
  const S3Client client(options());
  ASSERT_OK(client.put(key, "x"));
  server.fail("busy", 0.3);
  for (int i = 0; i < 20; ++i) EXPECT_OK(client.size(key)) << i;
  server.fail("busy");
  const auto refused = client.size(key);
  ASSERT_FAILS(refused, "storage_unreachable");
  EXPECT_EQ(refused.error().kind, ErrorKind::cannot_connect);
  EXPECT_NE(server.seen().find("\"calls\": 10, \"failed\": 10"), std::string::npos);
  const auto busy = client.get(key);
  ASSERT_FAILS(busy, "storage_unreachable");
  EXPECT_EQ(busy.error().message, server.endpoint() + ": it answers 503 SlowDown");
}

TEST_F(S3ClientTest, BodiesThatAreCutAreFetchedAgain) {
  const S3Client client(options());
  const std::string bytes = bytes_of(300'000);
  ASSERT_OK(client.put(key, bytes));
  server.fail("cut", 0.3);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get(key, 100, 200'000).value(), bytes.substr(100, 200'000));
  EXPECT_EQ(server.seen().find("\"failed\": 0"), std::string::npos);
  server.fail("cut");
  EXPECT_FAILS(client.get(key, 100, 200'000), "storage_unreachable");
}

TEST_F(S3ClientTest, DifferentClocksAreNamed) {
  server.fail("skewed");
  const auto refused = S3Client(options()).get(key);
  ASSERT_FAILS(refused, "storage_clock_skew");
  EXPECT_NE(refused.error().message.find("there it is 2001-02-03T04:05:06Z"), std::string::npos);
}

TEST_F(S3ClientTest, AMissingBucketIsNamed) {
  S3Options other = options();
  other.bucket = "no-such-bucket";
  const auto refused = S3Client(other).get(key);
  ASSERT_FAILS(refused, "storage_bucket_missing");
  EXPECT_EQ(refused.error().message, server.endpoint() + ": there is no bucket no-such-bucket");
}

TEST_F(S3ClientTest, WrongKeysAreRefusedAndNeverTold) {
  S3Options other = options();
  other.keys = {"NOBODY", "a-very-secret-secret"};
  const auto refused = S3Client(other).get(key);
  ASSERT_FAILS(refused, "storage_refused");
  EXPECT_NE(refused.error().message.find("the access key is not known there"), std::string::npos);
  EXPECT_EQ((refused.error().message + refused.error().hint).find("a-very-secret-secret"), std::string::npos);
}

TEST_F(S3ClientTest, AWrongSecretIsRefused) {
  if (!testing::S3Server::is_foreign()) GTEST_SKIP() << "s3rver does not verify signatures; tests/slow/radosgw.py does";
  S3Options other = options();
  other.keys.secret += "x";
  const auto refused = S3Client(other).get(key);
  ASSERT_FAILS(refused, "storage_refused");
  EXPECT_NE(refused.error().message.find("the secret key is wrong"), std::string::npos);
}

TEST_F(S3ClientTest, UploadsThatNobodyFinishedAreListedAndAborted) {
  if (!testing::S3Server::is_foreign()) GTEST_SKIP() << "s3rver does not list uploads; tests/slow/radosgw.py does";
  const S3Client client(options());
  const auto upload = client.begin_upload(key);
  ASSERT_OK(upload);
  ASSERT_OK(client.put_part(key, *upload, 1, "x"));
  const auto found = client.unfinished_uploads(key);
  ASSERT_OK(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().key, key);
  EXPECT_EQ(found->front().id, *upload);
  EXPECT_OK(client.abort_upload(key, *upload));
  EXPECT_OK(client.abort_upload(key, *upload));
  EXPECT_TRUE(client.unfinished_uploads(key).value().empty());
}

TEST_F(S3ClientTest, AnOddAnswerIsAnError) {
  const S3Client client(options());
  ASSERT_OK(client.put(key, "x"));
  const auto beyond = client.get(key, 100, 10);
  ASSERT_FAILS(beyond, "storage_failed");
  EXPECT_NE(beyond.error().message.find("416 InvalidRange"), std::string::npos) << beyond.error().message;
}

TEST_F(S3ClientTest, WhereNobodyListensIsToldSoon) {
  S3Options nowhere = options();
  nowhere.endpoint = "http://127.0.0.1:9";
  nowhere.pause = nowhere.longest_pause = 20ms;
  const auto began = std::chrono::steady_clock::now();
  const auto refused = S3Client(nowhere).get(key);
  ASSERT_FAILS(refused, "storage_unreachable");
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
}

}  // namespace
}  // namespace lade::storage
