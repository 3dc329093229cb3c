// What a bucket does beyond what every storage promises (storage_test.cc): parts, blocks, links, and a storage that
// fails.
#include "storage/bucket.h"

#include <gtest/gtest.h>

#include <random>

#include "base/id.h"
#include "storage/s3_transfer.h"
#include "testing/results.h"
#include "testing/s3_server.h"
#include "testing/temporary_folder.h"

namespace lade::storage {
namespace {

using namespace std::chrono_literals;

class BucketTest : public ::testing::Test {
 protected:
  BucketTest() { server.fail("none"); }
  ~BucketTest() override { server.fail("none"); }

  BucketOptions options() const {
    BucketOptions made{.prefix = prefix, .cache = temporary.path()};
    made.s3.endpoint = server.endpoint();
    made.s3.bucket = "lade-test";
    made.s3.keys = {server.access(), server.secret()};
    made.s3.pause = 1ms;
    made.s3.longest_pause = 20ms;
    made.settle = 0ms;
    made.part_bytes = 5 * 1024 * 1024;
    return made;
  }
  static std::string bytes_of(std::size_t count, unsigned seed = 1) {
    std::string bytes(count, '\0');
    std::minstd_rand random(seed);
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }
  static Result<StoredFile> store(const Storage& storage, std::string_view bytes) {
    MemorySource source(bytes);
    return storage.store(source);
  }
  static S3Answer send(const std::string& method, const std::string& url, std::string_view body = {}) {
    return S3Connections("").send({.method = method, .url = url, .body = body});
  }

  testing::S3Server& server = testing::S3Server::shared();
  testing::TemporaryFolder temporary;
  const std::string prefix = "bucket/" + new_uuid() + "/";
};

TEST_F(BucketTest, FetchesOnlyTheBlocksThatAreReadAndEachOnce) {
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const std::string bytes = bytes_of(20'000'000);
  const auto stored = store(**bucket, bytes);
  ASSERT_OK(stored);
  const auto file = (*bucket)->read(stored->id, stored->bytes);
  ASSERT_OK(file);
  server.seen();
  std::string piece(1'000, '\0');
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(file->read_at(9'000'000 + 10 * i, piece));
    EXPECT_EQ(piece, bytes.substr(9'000'000 + 10 * i, 1'000));
  }
  EXPECT_NE(server.seen().find("\"calls\": 1,"), std::string::npos);
}

TEST_F(BucketTest, ACacheOfOneBlockIsEnough) {
  BucketOptions small = options();
  small.cache_bytes = 1;
  const auto bucket = Bucket::open(small);
  ASSERT_OK(bucket);
  const auto stored = store(**bucket, bytes_of(20'000'000));
  ASSERT_OK(stored);
  EXPECT_OK((*bucket)->verify(*stored));
}

TEST_F(BucketTest, AFileOutlivesItsBucket) {
  auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const auto stored = store(**bucket, "still here");
  ASSERT_OK(stored);
  const auto file = (*bucket)->read(stored->id, 10);
  ASSERT_OK(file);
  bucket->reset();
  std::string text(10, '\0');
  ASSERT_OK(file->read_at(0, text));
  EXPECT_EQ(text, "still here");
}

TEST_F(BucketTest, EveryFifthCallMayFail) {
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  server.fail("mixed", 0.2);
  for (unsigned i = 0; i < 30; ++i) {
    const std::string bytes = bytes_of(i % 10 == 0 ? 12'000'000 : 50'000 * i, i + 1);
    const auto stored = store(**bucket, bytes);
    ASSERT_OK(stored);
    EXPECT_EQ(stored->sha256, sha256_of(bytes));
    EXPECT_OK((*bucket)->verify(*stored));
  }
  const std::string seen = server.seen();
  EXPECT_EQ(seen.find("\"failed\": 0,"), std::string::npos);
}

TEST_F(BucketTest, WhenNothingGoesAnyMoreItIsToldAndNothingIsSeen) {
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  auto upload = (*bucket)->begin();
  ASSERT_OK(upload);
  ASSERT_OK(upload->write(bytes_of(6'000'000)));
  server.fail("busy");
  EXPECT_FAILS(upload->finish(), "storage_unreachable");
  EXPECT_FAILS((*bucket)->check(), "storage_unreachable");
  EXPECT_FAILS(Bucket::open(options()), "storage_unreachable");
  server.fail("none");
  EXPECT_FAILS((*bucket)->read(upload->id(), 6'000'000), "stored_file_missing");
  EXPECT_OK((*bucket)->check());
}

TEST_F(BucketTest, ADamagedStorageIdIsNotReplaced) {
  const S3Client client(options().s3);
  for (const char* text : {"", "x", "0189abcd-0000-7000-8000-000000000001 and"}) {
    ASSERT_OK(client.put(prefix + "storage_id", text));
    EXPECT_FAILS(Bucket::open(options()), "storage_damaged") << text;
  }
}

TEST_F(BucketTest, GivesAddressesThatExpire) {
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const auto stored = store(**bucket, "the results");
  ASSERT_OK(stored);
  const auto link = (*bucket)->link_to(
      stored->id, {.expires = 60s, .disposition = "attachment; filename=\"a b.csv\"", .type = "text/csv"});
  ASSERT_TRUE(link);
  const S3Answer answer = send("GET", *link);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "the results");
  const S3Answer expired = send("GET", (*bucket)->link_to(stored->id, {.expires = -10s}).value());
  EXPECT_TRUE(expired.status == 400 || expired.status == 403) << expired.status;
  EXPECT_EQ(expired.body.find("the results"), std::string::npos);
}

TEST_F(BucketTest, OthersPutAFileByAnAddress) {
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const std::string id = new_uuid(), bytes = bytes_of(100'000);
  const auto link = (*bucket)->link_to_upload(id, 60s);
  ASSERT_TRUE(link);
  EXPECT_FAILS((*bucket)->measure(id), "stored_file_missing");
  EXPECT_EQ(send("PUT", *link, bytes).status, 200);
  const auto measured = (*bucket)->measure(id);
  ASSERT_OK(measured);
  EXPECT_EQ(measured->bytes, bytes.size());
  EXPECT_EQ(measured->sha256, sha256_of(bytes));
}

TEST_F(BucketTest, PartsThatNobodyFinishedGoWithTheOrphans) {
  if (!testing::S3Server::is_foreign()) GTEST_SKIP() << "s3rver does not list uploads; tests/slow/radosgw.py does";
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const S3Client client(options().s3);
  const std::string key = prefix + new_uuid();
  const auto upload = client.begin_upload(key);
  ASSERT_OK(upload);
  ASSERT_OK(client.put_part(key, *upload, 1, "left behind"));
  const auto all = [](const std::string&) -> Result<bool> { return true; };
  EXPECT_EQ(Bucket::open(options()).value()->remove_orphans(1h, all).value(), 0);
  EXPECT_EQ(client.unfinished_uploads(prefix).value().size(), 1u);
  EXPECT_EQ(Bucket::open(options()).value()->remove_orphans(-1h, all).value(), 1);
  EXPECT_TRUE(client.unfinished_uploads(prefix).value().empty());
}

TEST_F(BucketTest, AnUploadThatIsGivenUpLeavesNoParts) {
  if (!testing::S3Server::is_foreign()) GTEST_SKIP() << "s3rver does not list uploads; tests/slow/radosgw.py does";
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const S3Client client(options().s3);
  {
    auto upload = (*bucket)->begin();
    ASSERT_OK(upload);
    ASSERT_OK(upload->write(bytes_of(12'000'000)));
    EXPECT_EQ(client.unfinished_uploads(prefix).value().size(), 1u);
  }
  EXPECT_TRUE(client.unfinished_uploads(prefix).value().empty());
}

TEST_F(BucketTest, OrphansAreLookedForNotMoreThanOnceAnHour) {
  const auto bucket = Bucket::open(options());
  ASSERT_OK(bucket);
  const auto none = [](const std::string&) -> Result<bool> { return false; };
  EXPECT_EQ((*bucket)->remove_orphans(-1h, none).value(), 0);
  ASSERT_OK(store(**bucket, "x"));
  server.seen();
  EXPECT_EQ((*bucket)->remove_orphans(-1h, none).value(), 0);
  EXPECT_NE(server.seen().find("\"calls\": 0,"), std::string::npos);
}

}  // namespace
}  // namespace lade::storage
