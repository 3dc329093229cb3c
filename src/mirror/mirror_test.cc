#include "mirror/mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/file.h"
#include "testing/redis_server.h"
#include "testing/results.h"

namespace lade::mirror {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class MirrorTest : public ::testing::Test {
 protected:
  Options options(const std::string& url) {
    auto address = parse_address(url);
    EXPECT_OK(address);
    return {.address = *address,
            .patience = 300ms,
            .pause = 1ms,
            .longest_pause = 20ms,
            .say = [this](const std::string& text) { said.push_back(text); }};
  }
  static JobProgress at(std::int64_t succeeded, std::int64_t failed = 0) {
    return {.succeeded = succeeded, .failed = failed, .total = 1000, .last_updated = now()};
  }
  static JobProgress ending(std::int64_t succeeded) {
    JobProgress progress = at(succeeded);
    progress.finished = true;
    return progress;
  }
  static JobProgress again(JobProgress progress) {
    ++progress.attempt;
    return progress;
  }
  // Writes until it is shown, as the pauses of the link allow.
  static void write_at_last(Writer& writer, const JobProgress& progress) {
    const auto until = Clock::now() + 10s;
    while (!writer.write("job", progress).value_or(false)) {
      ASSERT_LT(Clock::now(), until);
      std::this_thread::sleep_for(1ms);
    }
  }

  std::vector<std::string> said;
};

class OneServer : public MirrorTest {
 protected:
  testing::RedisServer server;
  Writer writer{options(server.url())};
  Reader reader{options(server.url())};
};

TEST_F(OneServer, ShowsAValueForADay) {
  const JobProgress progress = at(2, 1);
  const auto written = writer.write("7f0c", progress);
  ASSERT_OK(written);
  EXPECT_TRUE(*written);
  EXPECT_EQ(server.ask("GET import:progress:7f0c"), to_json(progress));
  const int seconds = std::stoi(server.ask("TTL import:progress:7f0c"));
  EXPECT_GT(seconds, 86'390);
  EXPECT_LE(seconds, 86'400);
  ASSERT_TRUE(reader.read("7f0c"));
  EXPECT_TRUE(reader.read("7f0c")->same_as(progress));
  EXPECT_FALSE(reader.read("another"));
  EXPECT_THAT(said, ElementsAre());
}

TEST_F(OneServer, NeverGoesBack) {
  EXPECT_EQ(writer.write("job", at(100, 5)).value(), true);
  EXPECT_EQ(writer.write("job", at(104)).value(), false);
  EXPECT_EQ(reader.read("job")->processed(), 105);
  EXPECT_EQ(writer.write("job", at(105)).value(), true) << "as far, but newer";
  EXPECT_EQ(reader.read("job")->failed, 0);
}

TEST_F(OneServer, ShowsTheEndWhateverStoodThere) {
  EXPECT_EQ(writer.write("job", at(500)).value(), true);
  EXPECT_EQ(writer.write("job", ending(400)).value(), true) << "a part was taken back";
  EXPECT_EQ(writer.write("job", at(600)).value(), false) << "somebody who has not heard of it";
  EXPECT_EQ(reader.read("job")->processed(), 400);
  EXPECT_TRUE(reader.read("job")->finished);
}

TEST_F(OneServer, BeginsAnewWithALaterAttempt) {
  EXPECT_EQ(writer.write("job", ending(900)).value(), true);
  EXPECT_EQ(writer.write("job", again(at(10))).value(), true);
  EXPECT_EQ(writer.write("job", ending(900)).value(), false) << "of the attempt before";
  EXPECT_EQ(reader.read("job")->attempt, 1);
  EXPECT_EQ(reader.read("job")->processed(), 10);
}

TEST_F(OneServer, ReplacesWhatIsNoProgress) {
  for (const char* command :
       {"LPUSH import:progress:job 1 2", "HSET import:progress:job processed_rows 999", "SADD import:progress:job x",
        "SET import:progress:job '{\"processed_rows\":'", "SET import:progress:job '[[[[]]]]'",
        "SET import:progress:job 12", "SET import:progress:job '{\"attempt\":\"9\",\"processed_rows\":null}'"}) {
    server.ask("DEL import:progress:job");
    server.ask(command);
    EXPECT_FALSE(reader.read("job")) << command;
    EXPECT_EQ(writer.write("job", at(1)).value(), true) << command;
    ASSERT_TRUE(reader.read("job")) << command;
    EXPECT_EQ(reader.read("job")->processed(), 1) << command;
  }
  EXPECT_THAT(said, ElementsAre()) << "it was there all the time";
}

TEST_F(OneServer, IsFoundAgainAfterItWasKilled) {
  write_at_last(writer, at(1));
  server.kill();
  EXPECT_FAILS(writer.write("job", at(2)), "redis_unreachable");
  EXPECT_FAILS(writer.write("job", at(3)), "redis_unreachable");
  std::this_thread::sleep_for(30ms);  // longer than the longest pause: it is tried, and told no second time
  EXPECT_FAILS(writer.write("job", at(4)), "redis_unreachable");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("not mirrored"));
  server.start();
  write_at_last(writer, at(5));
  EXPECT_EQ(server.ask("EXISTS import:progress:job"), "1");
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[1], HasSubstr("again"));
}

TEST_F(OneServer, IsNotWaitedForWhenItHangs) {
  write_at_last(writer, at(1));
  EXPECT_TRUE(reader.read("job"));
  server.freeze();
  const auto begin = Clock::now();
  EXPECT_FAILS(writer.write("job", at(2)), "redis_unreachable");
  EXPECT_FALSE(reader.read("job"));
  EXPECT_LT(Clock::now() - begin, 2s);
  EXPECT_THAT(said[0], HasSubstr("no answer in time"));
  server.wake();
  write_at_last(writer, at(3));
  const auto until = Clock::now() + 10s;
  while (!reader.read("job")) {
    ASSERT_LT(Clock::now(), until);
    std::this_thread::sleep_for(1ms);
  }
}

TEST_F(MirrorTest, IsNotWaitedForWhenItNeverAnswers) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "silent.sock").string();
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 8), 0);  // the kernel takes connections, nobody reads
  Options patient = options("unix:" + path);
  patient.pause = patient.longest_pause = 10s;
  Reader reader(patient);
  const auto begin = Clock::now();
  std::vector<std::jthread> askers;
  for (int asker = 0; asker < 8; ++asker) askers.emplace_back([&] { EXPECT_FALSE(reader.read("job")); });
  askers.clear();
  EXPECT_FALSE(reader.read("job")) << "not even tried";
  EXPECT_LT(Clock::now() - begin, 2s) << "one patience for all of them";
  EXPECT_EQ(said.size(), 1U);
  close(listener);
}

TEST_F(MirrorTest, TellsOfAWrongPasswordWithoutShowingIt) {
  const testing::RedisServer server("right-secret");
  Options wrong = options(server.url());
  wrong.address.password = "wrong-secret";
  Writer writer(wrong);
  const auto written = writer.write("job", at(1));
  ASSERT_FAILS(written, "redis_refused");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("does not accept the password"));
  EXPECT_THAT(said[0], ::testing::Not(HasSubstr("secret")));

  EXPECT_FAILS(Writer(options(server.url())).write("job", at(1)), "redis_refused");
  EXPECT_THAT(said[1], HasSubstr("NOAUTH"));

  Options right = options(server.url());
  right.address.password = "right-secret";
  right.address.user = "default";
  right.address.database = 3;
  EXPECT_OK(Writer(right).write("job", at(1)));
  EXPECT_EQ(server.ask("-n 3 EXISTS import:progress:job"), "1");
}

TEST_F(MirrorTest, FailsAtOnceWhereNobodyListens) {
  Writer writer(options("unix:/nowhere/redis.sock"));
  EXPECT_TRUE(writer.ready());
  EXPECT_FAILS(writer.write("job", at(1)), "redis_unreachable");
  Options host = options("redis://127.0.0.1:1");
  host.pause = host.longest_pause = 10s;
  Writer elsewhere(host);
  EXPECT_FAILS(elsewhere.write("job", at(1)), "redis_unreachable");
  EXPECT_FALSE(elsewhere.ready());
  EXPECT_THAT(said[1], HasSubstr("redis://127.0.0.1:1/0: Connection refused"));
}

TEST_F(OneServer, ManyWritersShowTheFurthest) {
  std::vector<std::jthread> writers;
  for (int first = 0; first < 4; ++first)
    writers.emplace_back([&, first] {
      Writer own(options(server.url()));
      for (std::int64_t rows = first; rows < 400; rows += 4) EXPECT_OK(own.write("job", at(rows)));
    });
  std::int64_t last = 0;
  for (int look = 0; look < 200; ++look) {
    const auto shown = reader.read("job");
    if (!shown) continue;
    EXPECT_GE(shown->processed(), last);
    last = shown->processed();
  }
  writers.clear();
  EXPECT_EQ(reader.read("job")->processed(), 399);
}

}  // namespace
}  // namespace lade::mirror
