// What every storage promises: the same suite for a folder and for a bucket.
#include "storage/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "base/id.h"
#include "storage/bucket.h"
#include "storage/folder.h"
#include "storage/storage_id.h"
#include "testing/results.h"
#include "testing/s3_server.h"
#include "testing/temporary_folder.h"

namespace lade::storage {
namespace {

constexpr std::size_t kPart = 5 * 1024 * 1024;

class StorageTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "bucket") testing::S3Server::shared().fail("none");
  }

  std::unique_ptr<Storage> open() const {
    if (GetParam() == "folder") {
      auto folder = Folder::open(temporary.path());
      EXPECT_OK(folder);
      return std::make_unique<Folder>(std::move(*folder));
    }
    const testing::S3Server& server = testing::S3Server::shared();
    BucketOptions options{.prefix = prefix, .cache = temporary.path()};
    options.s3.endpoint = server.endpoint();
    options.s3.bucket = "lade-test";
    options.s3.keys = {server.access(), server.secret()};
    options.s3.pause = std::chrono::milliseconds(1);
    options.settle = {};
    options.part_bytes = kPart;
    auto bucket = Bucket::open(options);
    EXPECT_OK(bucket);
    return std::move(*bucket);
  }
  static StoredFile stored(const Storage& storage, std::string_view bytes) {
    MemorySource source(bytes);
    auto file = storage.store(source);
    EXPECT_OK(file);
    return std::move(*file);
  }
  static std::string content(const File& file) {
    std::string text(file.size().value(), '\0');
    EXPECT_EQ(file.read_at(0, text).value(), text.size());
    return text;
  }
  static std::string bytes_of(std::size_t count) {
    std::string bytes(count, '\0');
    std::minstd_rand random(static_cast<unsigned>(count) + 1);
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }

  testing::TemporaryFolder temporary;
  const std::string prefix = "storage/" + new_uuid() + "/";
};

// A stream that breaks.
class BrokenSource final : public ByteSource {
 public:
  explicit BrokenSource(std::size_t whole_bytes) : left_(whole_bytes) {}
  Result<std::size_t> read(std::span<char> into) override {
    if (left_ < into.size()) return fail("client_gone", "the client went away");
    left_ -= into.size();
    std::fill(into.begin(), into.end(), 'x');
    return into.size();
  }

 private:
  std::size_t left_;
};

TEST_P(StorageTest, GivesBackWhatWasStored) {
  const auto storage = open();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{262'143}, std::size_t{262'144}, kPart - 1,
                                 kPart, kPart + 1, 2 * kPart, 2 * kPart + 77}) {
    const std::string bytes = bytes_of(size);
    const StoredFile file = stored(*storage, bytes);
    EXPECT_EQ(file.bytes, size);
    EXPECT_EQ(file.sha256, sha256_of(bytes));
    EXPECT_TRUE(is_id(file.id));
    auto opened = storage->read(file.id, size);
    ASSERT_OK(opened);
    EXPECT_TRUE(content(*opened) == bytes) << size;
    EXPECT_OK(storage->verify(file));
  }
}

TEST_P(StorageTest, NothingIsSeenBeforeTheEndAndNothingStaysWithoutIt) {
  const auto storage = open();
  std::string id;
  for (const std::size_t size : {std::size_t{1'000}, 2 * kPart}) {
    {
      auto upload = storage->begin();
      ASSERT_OK(upload);
      id = upload->id();
      ASSERT_OK(upload->write(std::string(size, 'x')));
      EXPECT_FAILS(storage->read(id, size), "stored_file_missing");
      const Upload moved = std::move(*upload);
      EXPECT_EQ(moved.id(), id);
    }
    EXPECT_FAILS(storage->read(id, size), "stored_file_missing");
  }
  BrokenSource soon(1'000'000), late(2 * kPart);
  EXPECT_FAILS(storage->store(soon), "client_gone");
  EXPECT_FAILS(storage->store(late), "client_gone");
  std::set<std::string> asked;
  ASSERT_OK(storage->remove_orphans(std::chrono::seconds(-3600), [&](const std::string& left) -> Result<bool> {
    asked.insert(left);
    return true;
  }));
  EXPECT_TRUE(asked.empty());
}

TEST_P(StorageTest, ALargerFileThanAllowedIsRefused) {
  const auto storage = open();
  MemorySource fits("0123456789"), large("0123456789+");
  EXPECT_OK(storage->store(fits, {.max_bytes = 10}));
  const auto refused = storage->store(large, {.max_bytes = 10});
  ASSERT_FAILS(refused, "upload_too_large");
  EXPECT_EQ(refused.error().message, "the file is larger than 10 bytes");
}

TEST_P(StorageTest, AFileWithoutChecksumIsNotHashed) {
  const auto storage = open();
  MemorySource source("abc");
  const auto file = storage->store(source, {.checksum = false});
  ASSERT_OK(file);
  EXPECT_EQ(file->sha256, "");
  EXPECT_OK(storage->read(file->id, 3));
}

TEST_P(StorageTest, IsReadByThoseWhoDoNotKnowItsSize) {
  const auto storage = open();
  const StoredFile file = stored(*storage, "the bytes of a file");
  const auto read = storage->read(file.id, std::nullopt);
  ASSERT_OK(read);
  EXPECT_EQ(content(*read), "the bytes of a file");
  EXPECT_OK(storage->remove(file.id));
  EXPECT_FAILS(storage->read(file.id, std::nullopt), "stored_file_missing");
}

TEST_P(StorageTest, AnotherSizeOrChecksumIsDamage) {
  const auto storage = open();
  StoredFile file = stored(*storage, "the bytes of a file");
  const auto longer = storage->read(file.id, 20);
  ASSERT_FAILS(longer, "stored_file_damaged");
  EXPECT_EQ(longer.error().message, "file " + file.id + " is not as it was stored: it has 19 bytes instead of 20");
  file.sha256 = sha256_of("other bytes");
  EXPECT_FAILS(storage->verify(file), "stored_file_damaged");
  EXPECT_OK(storage->remove(file.id));
  EXPECT_FAILS(storage->read(file.id, 19), "stored_file_missing");
  EXPECT_FAILS(storage->verify(file), "stored_file_missing");
  EXPECT_FAILS(storage->measure(file.id), "stored_file_missing");
}

TEST_P(StorageTest, MeasuresWhatIsThere) {
  const auto storage = open();
  const std::string bytes = bytes_of(1'000'003);
  const StoredFile file = stored(*storage, bytes);
  const auto measured = storage->measure(file.id);
  ASSERT_OK(measured);
  EXPECT_EQ(measured->bytes, bytes.size());
  EXPECT_EQ(measured->sha256, sha256_of(bytes));
}

TEST_P(StorageTest, ReadsAtAnyPlaceFromSeveralThreads) {
  const auto storage = open();
  const std::string bytes = bytes_of(13'000'000);
  const StoredFile file = stored(*storage, bytes);
  const auto opened = storage->read(file.id, bytes.size());
  ASSERT_OK(opened);
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::minstd_rand random(thread + 1);
      for (int i = 0; i < 25; ++i) {
        const std::size_t offset = random() % (bytes.size() + 10), count = random() % 3'000'000;
        std::string piece(count, '\0');
        const auto read = opened->read_at(offset, piece);
        ASSERT_OK(read);
        const std::size_t expected = offset >= bytes.size() ? 0 : std::min(count, bytes.size() - offset);
        ASSERT_EQ(*read, expected);
        ASSERT_TRUE(std::equal(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(expected),
                               bytes.begin() + static_cast<std::ptrdiff_t>(std::min(offset, bytes.size()))));
      }
    });
}

TEST_P(StorageTest, ReadsFrontToBack) {
  const auto storage = open();
  const std::string bytes = bytes_of(5'000'001);
  const StoredFile file = stored(*storage, bytes);
  auto opened = storage->read(file.id, bytes.size());
  ASSERT_OK(opened);
  std::string all;
  std::string block(700'000, '\0');
  for (;;) {
    const auto count = opened->read(block);
    ASSERT_OK(count);
    if (*count == 0) break;
    all.append(block, 0, *count);
  }
  EXPECT_TRUE(all == bytes);
}

TEST_P(StorageTest, TextThatIsNoIdLeadsNowhere) {
  const auto storage = open();
  for (const std::string& id :
       {std::string("storage_id"), std::string(), std::string("/etc/passwd"), std::string("../storage_id"),
        std::string("0189ABCD-0000-7000-8000-000000000001"), std::string("0189abcd-0000-7000-8000-00000000000/")}) {
    EXPECT_FAILS(storage->read(id, 37), "stored_file_missing") << id;
    EXPECT_FAILS(storage->remove(id), "stored_file_missing") << id;
    EXPECT_FAILS(storage->measure(id), "stored_file_missing") << id;
  }
  EXPECT_EQ(open()->id(), storage->id());
}

TEST_P(StorageTest, RemovingTwiceIsFine) {
  const auto storage = open();
  const StoredFile file = stored(*storage, "x");
  EXPECT_OK(storage->remove(file.id));
  EXPECT_OK(storage->remove(file.id));
}

TEST_P(StorageTest, OnlyFilesThatNobodyWantsAreOrphans) {
  const auto storage = open();
  const StoredFile wanted = stored(*storage, "wanted"), orphan = stored(*storage, "orphan");
  const auto is_wanted = [&](const std::string& id) -> Result<bool> { return id == wanted.id; };
  EXPECT_EQ(open()->remove_orphans(std::chrono::hours(1), is_wanted).value(), 0);
  EXPECT_OK(storage->read(orphan.id, 6));
  EXPECT_EQ(open()->remove_orphans(std::chrono::seconds(-3600), is_wanted).value(), 1);
  EXPECT_OK(storage->read(wanted.id, 6));
  EXPECT_FAILS(storage->read(orphan.id, 6), "stored_file_missing");
}

TEST_P(StorageTest, AFileLiesWhereOthersLookForIt) {
  const auto storage = open();
  const std::string folder = "uploads/imports/" + new_uuid();
  const std::string bytes = bytes_of(2 * kPart + 1);
  for (const std::string& path : {folder + "/failed.csv", folder + "/1/failed.csv"}) {
    {
      auto given_up = storage->begin({.path = path});
      ASSERT_OK(given_up);
      ASSERT_OK(given_up->write(bytes));
    }
    EXPECT_FAILS(storage->measure(path), "stored_file_missing");
    MemorySource source(bytes);
    const auto file = storage->store(source, {.path = path});
    ASSERT_OK(file);
    EXPECT_EQ(file->id, path);
    EXPECT_EQ(content(storage->read(path, bytes.size()).value()), bytes);
    EXPECT_OK(storage->verify(*file));
  }
  // An attempt that died after its end is written over as a whole.
  MemorySource again("again");
  ASSERT_OK(storage->store(again, {.path = folder + "/failed.csv"}));
  EXPECT_EQ(content(open()->read(folder + "/failed.csv", 5).value()), "again");
  EXPECT_OK(storage->remove(folder + "/failed.csv"));
  EXPECT_OK(storage->remove(folder + "/failed.csv"));
  EXPECT_FAILS(storage->read(folder + "/failed.csv", 5), "stored_file_missing");
  EXPECT_OK(storage->read(folder + "/1/failed.csv", bytes.size()));
}

TEST_P(StorageTest, FilesWithPathsAreOrphansToo) {
  const auto storage = open();
  const std::string wanted = "a/" + new_uuid() + "/failed.csv", orphan = "a/" + new_uuid() + "/3/failed.csv";
  for (const std::string& path : {wanted, orphan}) {
    MemorySource source("x");
    ASSERT_OK(storage->store(source, {.path = path}));
  }
  std::set<std::string> asked;
  const auto is_wanted = [&](const std::string& id) -> Result<bool> {
    asked.insert(id);
    return id == wanted;
  };
  EXPECT_EQ(open()->remove_orphans(std::chrono::hours(1), is_wanted).value(), 0);
  EXPECT_EQ(open()->remove_orphans(std::chrono::seconds(-3600), is_wanted).value(), 1);
  EXPECT_EQ(asked, (std::set<std::string>{wanted, orphan}));
  EXPECT_OK(storage->read(wanted, 1));
  EXPECT_FAILS(storage->read(orphan, 1), "stored_file_missing");
}

TEST(StorageNames, ArePathsWithAnIdAndNothingElse) {
  const std::string id = new_uuid();
  for (const std::string& path :
       {id + "/failed.csv", "uploads/imports/" + id + "/a-b_c.failed.xlsx", "uploads/imports/" + id + "/12/failed.csv"})
    EXPECT_TRUE(is_path(path)) << path;
  for (const std::string& path : std::initializer_list<std::string>{
           "", "failed.csv", "uploads/failed.csv", id + "/", "/" + id + "/failed.csv", id + "/../failed.csv",
           "../" + id + "/failed.csv", id + "/..", id + "/./failed.csv", id + "//failed.csv", id + "/a b.csv",
           id + "/a\\b.csv", id + "/x/failed.csv", id + "/1/2/failed.csv", id + "/" + std::string(201, 'a'),
           id + std::string("/a\0b", 4), "12/failed.csv"})
    EXPECT_FALSE(is_name(path)) << path;
  for (const char* prefix : {"", "a", "a/", "uploads/imports/", "a.b/c_d-e"}) EXPECT_TRUE(is_prefix(prefix)) << prefix;
  for (const char* prefix : {"/", "/a", "a//", "a//b", "..", "a/../b", "a/..", ".", "a b", "a\\b", "ä"})
    EXPECT_FALSE(is_prefix(prefix)) << prefix;
}

TEST_P(StorageTest, WhenNobodyKnowsWhatIsWantedNothingIsRemoved) {
  const auto storage = open();
  const StoredFile file = stored(*storage, "x");
  EXPECT_FAILS(storage->remove_orphans(std::chrono::seconds(-3600),
                                       [](const std::string&) -> Result<bool> { return fail("db_lost", "gone"); }),
               "db_lost");
  EXPECT_OK(storage->read(file.id, 1));
}

TEST_P(StorageTest, TheStorageIdIsMadeOnceAndStays) {
  const auto first = open();
  EXPECT_TRUE(is_id(first->id()));
  EXPECT_EQ(open()->id(), first->id());
  EXPECT_OK(first->check());
}

TEST_P(StorageTest, ThreadsThatOpenAtOnceGetTheSameId) {
  std::vector<std::string> ids(6);
  {
    std::vector<std::jthread> threads;
    for (std::string& id : ids) threads.emplace_back([this, &id] { id = open()->id(); });
  }
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, StorageTest, ::testing::Values("folder", "bucket"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lade::storage
