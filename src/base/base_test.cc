// Results, files, ids: what everything else stands on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/bytes.h"
#include "base/failpoint.h"
#include "base/file.h"
#include "base/id.h"
#include "base/result.h"
#include "base/whole_file.h"
#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail("odd", "it is odd", "give an even one", ErrorKind::invalid);
  return number / 2;
}

Result<int> quarter(int number) {
  LADE_ASSIGN(const int once, half(number));
  LADE_TRY(half(once));
  LADE_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(Result, ErrorsPassThroughAndKeepEverything) {
  EXPECT_EQ(quarter(8).value(), 2);
  const auto failed = quarter(6);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "odd");
  EXPECT_EQ(failed.error().hint, "give an even one");
  EXPECT_EQ(failed.error().kind, ErrorKind::invalid);
  const Error within = Error(failed.error()).within("prices.csv");
  EXPECT_EQ(within.message, "prices.csv: it is odd");
  EXPECT_EQ(within.kind, ErrorKind::invalid);
}

class FileTest : public ::testing::Test {
 protected:
  std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  testing::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
};

TEST_F(FileTest, ASinkWritesEverythingInOrder) {
  auto file = File::create(folder / "out");
  ASSERT_TRUE(file);
  FileSink sink(std::move(*file));
  std::string expected;
  for (int i = 0; i < 50'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    expected += line;
    ASSERT_TRUE(sink.write(line));
  }
  const std::string huge(3'000'000, 'h');
  ASSERT_TRUE(sink.write(huge));
  ASSERT_TRUE(sink.write("end"));
  ASSERT_TRUE(sink.finish());
  EXPECT_TRUE(text_of(folder / "out") == expected + huge + "end");
}

TEST_F(FileTest, RangesEndWhereTheyShouldAndNotBeyondTheFile) {
  std::ofstream(folder / "in") << "0123456789";
  const auto file = File::open(folder / "in");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size().value(), 10u);
  EXPECT_TRUE(file->is_regular());
  const auto read = [&](std::uint64_t begin, std::uint64_t end) {
    FileRange range(*file, begin, end);
    std::string text, block(3, '\0');
    for (;;) {
      const auto count = range.read(block);
      EXPECT_TRUE(count);
      if (!count || *count == 0) return text;
      text += block.substr(0, *count);
    }
  };
  EXPECT_EQ(read(0, 10), "0123456789");
  EXPECT_EQ(read(3, 8), "34567");
  EXPECT_EQ(read(8, 100), "89");
  EXPECT_EQ(read(5, 5), "");
  EXPECT_EQ(read(20, 30), "");
}

TEST_F(FileTest, ATemporaryFileHasNoName) {
  auto file = File::temporary(folder);
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  ASSERT_TRUE(file->write_at(5, "world"));
  ASSERT_TRUE(file->write_at(0, "hello"));
  std::string bytes(20, '\0');
  ASSERT_EQ(file->read_at(0, bytes).value(), 10u);
  EXPECT_EQ(bytes.substr(0, 10), "helloworld");
}

TEST_F(FileTest, FaultsNameTheFile) {
  const auto missing = File::open(folder / "nothing.csv");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("nothing.csv"), std::string::npos);
  const auto nowhere = File::create(folder / "no" / "folder");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("folder"), std::string::npos);
  auto full = File::create("/dev/full");
  ASSERT_TRUE(full);
  EXPECT_FALSE(full->write("x")) << "a full disk is an error";
}

TEST_F(FileTest, AMovedFileIsTheSameAndTheOldOneIsClosed) {
  auto file = File::create(folder / "a");
  ASSERT_TRUE(file);
  File moved = std::move(*file);
  EXPECT_FALSE(file->is_open());
  EXPECT_TRUE(moved.is_open());
  ASSERT_TRUE(moved.write("x"));
  moved = File();
  EXPECT_EQ(text_of(folder / "a"), "x");
}

TEST(Uuid, IsVersionSevenUniqueAndSortsByTime) {
  std::set<std::string> seen;
  std::string last;
  for (int i = 0; i < 2000; ++i) {
    const std::string uuid = new_uuid();
    ASSERT_EQ(uuid.size(), 36u);
    EXPECT_EQ(uuid[14], '7');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos);
    EXPECT_TRUE(seen.insert(uuid).second);
    EXPECT_GE(uuid.substr(0, 13), last);
    last = uuid.substr(0, 13);
  }
}

TEST(MemorySource, GivesItsBytesOnce) {
  MemorySource source("abcdef");
  std::string block(4, '\0');
  EXPECT_EQ(source.read(block).value(), 4u);
  EXPECT_EQ(block, "abcd");
  EXPECT_EQ(source.read(block).value(), 2u);
  EXPECT_EQ(source.read(block).value(), 0u);
}

TEST(Failpoint, ActsAtTheArmedPassage) {
  ASSERT_TRUE(arm_failpoints("a=error@2;b=error:db_lost;c=pause:1"));
  EXPECT_TRUE(pass_failpoint("a"));
  ASSERT_FALSE(pass_failpoint("a"));
  EXPECT_TRUE(pass_failpoint("a"));
  EXPECT_EQ(pass_failpoint("b").error().code, "db_lost");
  EXPECT_EQ(pass_failpoint("b").error().code, "db_lost");
  EXPECT_TRUE(pass_failpoint("c"));
  EXPECT_TRUE(pass_failpoint("unknown"));
  ASSERT_TRUE(arm_failpoints(""));
  EXPECT_TRUE(pass_failpoint("b"));
}

TEST(Failpoint, KillsAndRefusesWhatItCannotRead) {
  EXPECT_EXIT((void)(arm_failpoints("a=kill") && pass_failpoint("a")), ::testing::KilledBySignal(SIGKILL), "");
  for (const char* text : {"a", "a=jump", "=kill", "a=kill@0", "a=kill@x", "a=pause", "a=pause:x"}) {
    const auto armed = arm_failpoints(text);
    ASSERT_FALSE(armed) << text;
    EXPECT_EQ(armed.error().code, "failpoint_invalid");
  }
}

TEST(WholeFileTest, HasItsNameOnlyWhenItIsWhole) {
  testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.csv";
  {
    const auto dropped = WholeFile::create(path);
    ASSERT_OK(dropped);
    ASSERT_OK((*dropped)->write("half"));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing half-written is kept";
  const auto file = WholeFile::create(path);
  ASSERT_OK(file);
  ASSERT_OK((*file)->write("whole"));
  ASSERT_OK((*file)->finish());
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace lade
