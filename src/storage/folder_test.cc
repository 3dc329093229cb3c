// What a folder does beyond what every storage promises (storage_test.cc): what lies in it, and when.
#include "storage/folder.h"

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "base/id.h"
#include "storage/storage_id.h"
#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::storage {
namespace {

namespace fs = std::filesystem;

class FolderTest : public ::testing::Test {
 protected:
  Folder folder() const {
    auto opened = Folder::open(path);
    EXPECT_OK(opened);
    return std::move(*opened);
  }
  static StoredFile stored(const Folder& folder, std::string_view bytes) {
    MemorySource source(bytes);
    auto file = folder.store(source);
    EXPECT_OK(file);
    return std::move(*file);
  }
  // What lies in the folder beside its id.
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(path)) found.insert(entry.path().filename());
    found.erase("storage_id");
    return found;
  }
  void overwrite(const std::string& id, std::string_view bytes) const {
    std::ofstream(path / id, std::ios::binary | std::ios::trunc) << bytes;
  }
  void make_older(const std::string& name, std::chrono::hours age) const {
    fs::last_write_time(path / name, fs::file_time_type::clock::now() - age);
  }

  testing::TemporaryFolder temporary;
  const fs::path& path = temporary.path();
};

// A stream that breaks.
class BrokenSource final : public ByteSource {
 public:
  Result<std::size_t> read(std::span<char> into) override {
    if (reads_++ > 2) return fail("client_gone", "the client went away");
    std::fill(into.begin(), into.end(), 'x');
    return into.size();
  }

 private:
  int reads_ = 0;
};

TEST_F(FolderTest, NothingIsSeenBeforeTheEndAndNothingStaysWithoutIt) {
  const Folder storage = folder();
  std::string id;
  {
    auto upload = storage.begin();
    ASSERT_OK(upload);
    id = upload->id();
    ASSERT_OK(upload->write(std::string(1'000'000, 'x')));
    EXPECT_FAILS(storage.read(id, 1'000'000), "stored_file_missing");
    Upload moved = std::move(*upload);
    EXPECT_EQ(names(), std::set<std::string>{id + ".part"});
  }
  EXPECT_TRUE(names().empty());
  BrokenSource broken;
  EXPECT_FAILS(storage.store(broken), "client_gone");
  EXPECT_TRUE(names().empty());
}

TEST_F(FolderTest, WhenTheDiskTakesNoMoreNothingStays) {
  const Folder storage = folder();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{300'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string bytes(2'000'000, 'x');
  MemorySource source(bytes);
  const auto refused = storage.store(source);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FAILS(refused, "file_error");
  EXPECT_TRUE(names().empty());
}

TEST_F(FolderTest, DamageIsFound) {
  const Folder storage = folder();
  const StoredFile file = stored(storage, "the bytes of a file");
  overwrite(file.id, "the bytes of a fil");
  const auto cut = storage.read(file.id, file.bytes);
  ASSERT_FAILS(cut, "stored_file_damaged");
  EXPECT_EQ(cut.error().message, "file " + file.id + " is not as it was stored: it has 18 bytes instead of 19");
  EXPECT_FAILS(storage.verify(file), "stored_file_damaged");
  overwrite(file.id, "the bytes of a filE");
  EXPECT_OK(storage.read(file.id, file.bytes));
  EXPECT_FAILS(storage.verify(file), "stored_file_damaged");
  fs::remove(path / file.id);
  EXPECT_FAILS(storage.read(file.id, file.bytes), "stored_file_missing");
  EXPECT_FAILS(storage.verify(file), "stored_file_missing");
}

TEST_F(FolderTest, TextThatIsNoIdLeadsNowhere) {
  const Folder storage = folder();
  std::ofstream(path / "secret") << "x";
  const std::string outside = "../" + path.filename().string() + "/secret";
  for (const std::string& id :
       {std::string("secret"), outside, std::string("storage_id"), std::string(), std::string("/etc/passwd"),
        std::string("0189ABCD-0000-7000-8000-000000000001"), std::string("0189abcd-0000-7000-8000-00000000000/")}) {
    EXPECT_FAILS(storage.read(id, 1), "stored_file_missing") << id;
    EXPECT_FAILS(storage.remove(id), "stored_file_missing") << id;
  }
  EXPECT_EQ(names(), std::set<std::string>{"secret"});
}

TEST_F(FolderTest, OnlyOldFilesThatNobodyWantsAreOrphans) {
  const Folder storage = folder();
  const StoredFile wanted = stored(storage, "wanted"), orphan = stored(storage, "orphan"),
                   young = stored(storage, "young");
  auto left = storage.begin(), running = storage.begin();
  ASSERT_OK(left);
  ASSERT_OK(running);
  std::ofstream(path / "not of lade") << "x";
  for (const std::string& name : {wanted.id, orphan.id, left->id() + ".part", std::string("not of lade")})
    make_older(name, std::chrono::hours(25));
  std::set<std::string> asked;
  const auto removed = storage.remove_orphans(std::chrono::hours(24), [&](const std::string& id) -> Result<bool> {
    asked.insert(id);
    return id == wanted.id;
  });
  ASSERT_OK(removed);
  EXPECT_EQ(*removed, 2);
  EXPECT_EQ(asked, (std::set<std::string>{wanted.id, orphan.id}));
  EXPECT_EQ(names(), (std::set<std::string>{wanted.id, young.id, running->id() + ".part", "not of lade"}));
}

TEST_F(FolderTest, TheStorageIdIsMadeOnceAndStays) {
  fs::remove_all(path);
  const Folder first = folder();
  EXPECT_TRUE(is_id(first.id()));
  EXPECT_EQ(folder().id(), first.id());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(names().empty());
}

TEST_F(FolderTest, ThreadsThatOpenAtOnceGetTheSameId) {
  for (int round = 0; round < 20; ++round) {
    fs::remove(path / "storage_id");
    std::vector<std::string> ids(8);
    {
      std::vector<std::jthread> threads;
      for (std::string& id : ids) threads.emplace_back([this, &id] { id = folder().id(); });
    }
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 1u);
    EXPECT_TRUE(is_id(ids.front()));
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(FolderTest, ADamagedStorageIdIsNotReplaced) {
  for (const char* text :
       {"", "x", "0189abcd-0000-7000-8000-00000000000", "0189abcd-0000-7000-8000-000000000001 and"}) {
    overwrite("storage_id", text);
    EXPECT_FAILS(Folder::open(path), "storage_damaged") << text;
  }
}

TEST_F(FolderTest, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(path / "file") << "x";
  EXPECT_FALSE(Folder::open(path / "file"));
  EXPECT_FALSE(Folder::open(path / "file" / "below"));
}

TEST_F(FolderTest, EmptyFoldersOfPathsGoWithTheirFiles) {
  const Folder storage = folder();
  const std::string id = new_uuid();
  for (const char* name : {"/failed.csv", "/1/failed.csv"}) {
    MemorySource source("x");
    ASSERT_OK(storage.store(source, {.path = "uploads/imports/" + id + name}));
  }
  const fs::path place = path / "uploads" / "imports" / id;
  EXPECT_OK(storage.remove("uploads/imports/" + id + "/1/failed.csv"));
  EXPECT_FALSE(fs::exists(place / "1"));
  EXPECT_TRUE(fs::exists(place / "failed.csv"));
  EXPECT_OK(storage.remove("uploads/imports/" + id + "/failed.csv"));
  EXPECT_FALSE(fs::exists(place));
  EXPECT_TRUE(fs::exists(place.parent_path())) << "others may be about to write there";
  // What is not lade's stays.
  fs::create_directories(path / "lost+found");
  std::ofstream(path / "uploads" / "notes.txt") << "mine";
  fs::create_symlink("/", path / "uploads" / "elsewhere");
  EXPECT_EQ(
      storage.remove_orphans(std::chrono::hours(-1), [](const std::string&) -> Result<bool> { return false; }).value(),
      0);
  EXPECT_TRUE(fs::exists(path / "lost+found"));
  EXPECT_TRUE(fs::exists(path / "uploads" / "notes.txt"));
}

}  // namespace
}  // namespace lade::storage
