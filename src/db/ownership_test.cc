#include "db/ownership.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::db {
namespace {

using std::chrono::milliseconds;

TEST(OwnershipTest, OneAtATimeAndNothingIsLeftBehind) {
  testing::TemporaryFolder folder;
  const std::string url = "sqlite:" + (folder.path() / "a.db").string();
  {
    const auto first = Ownership::take(url, milliseconds(0));
    ASSERT_OK(first);
    const auto second = Ownership::take(url, milliseconds(30));
    ASSERT_FAILS(second, "database_in_use");
    EXPECT_NE(second.error().message.find(std::to_string(getpid())), std::string::npos) << second.error().message;
    EXPECT_OK(Ownership::take("sqlite:" + (folder.path() / "b.db").string(), milliseconds(0)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_OK(Ownership::take(url, milliseconds(0)));
}

TEST(OwnershipTest, WhoWaitsIsNext) {
  testing::TemporaryFolder folder;
  const std::string url = "sqlite:" + (folder.path() / "a.db").string();
  std::atomic<int> owners = 0, most = 0, turns = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int turn = 0; turn < 5; ++turn) {
          const auto mine = Ownership::take(url, std::chrono::seconds(60));
          ASSERT_OK(mine);
          most = std::max<int>(most, ++owners);
          ++turns;
          --owners;
        }
      });
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(turns, 20);
}

TEST(OwnershipTest, EndsWithItsProcess) {
  testing::TemporaryFolder folder;
  const std::string url = "sqlite:" + (folder.path() / "a.db").string();
  const pid_t child = fork();
  if (child == 0) {
    const auto taken = Ownership::take(url, milliseconds(0));
    kill(getpid(), SIGKILL);
    _exit(taken ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_OK(Ownership::take(url, milliseconds(0)));
}

TEST(OwnershipTest, AWaitIsStoppedAndServersAreShared) {
  testing::TemporaryFolder folder;
  const std::string url = "sqlite:" + (folder.path() / "a.db").string();
  const auto first = Ownership::take(url, milliseconds(0));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FAILS(Ownership::take(url, std::chrono::hours(1), stop.get_token()), "cancelled");
  const auto one = Ownership::take("postgresql://localhost/x", milliseconds(0));
  EXPECT_OK(Ownership::take("postgresql://localhost/x", milliseconds(0)));
}

}  // namespace
}  // namespace lade::db
