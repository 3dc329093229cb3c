// The running node: workers, batches, beats, rescue, and what it survives. Tests wait for what happens, never for time.
#include "queue/node.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/failpoint.h"
#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A number that threads raise and a test waits for.
class Counter {
 public:
  void add(std::int64_t count = 1) {
    const std::lock_guard lock(mutex_);
    value_ += count;
    changed_.notify_all();
  }
  std::int64_t value() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  // False after a time in which everything should have happened.
  [[nodiscard]] bool reaches(std::int64_t wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, [&] { return value_ >= wanted; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t value_ = 0;
};

class QueueNode : public lade::testing::QueueTest {
 protected:
  QueueNode() {
    options.settings.beat = 50ms;
    options.settings.lease = 3s;
    options.settings.poll = 50ms;
    options.settings.retry = {.max_attempts = 2, .base = 1ms, .cap = 1ms};
  }
  ~QueueNode() override { EXPECT_OK(arm_failpoints("")); }

  void SetUp() override {
    QueueTest::SetUp();
    ASSERT_OK(connection->run("CREATE TABLE effect (task bigint)"));
  }
  std::unique_ptr<db::Pool> make_pool(const std::string& boot) {
    return std::make_unique<db::Pool>(session_url(database.url(), boot), is_sqlite() ? 1 : 8);
  }
  // Counts the tasks it runs.
  Kind counting() {
    return {.run = [this](TaskContext&) -> Result<void> {
      done.add();
      return {};
    }};
  }
  // Says that it has begun and waits until it is asked to stop.
  Kind waiting() {
    return {.run = [this](TaskContext& context) -> Result<void> {
      begun.add();
      wait_for_stop(context);
      reason = context.stop_reason();
      stopped.add();
      return fail("cancelled", "asked to stop", "", ErrorKind::cancelled);
    }};
  }
  static void wait_for_stop(const TaskContext& context) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait(lock, context.stop(), [] { return false; });
  }
  void enqueue_now(const NewTask& task, std::size_t count = 1) {
    ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(count, task)));
  }
  std::int64_t with_status(const std::string& wanted) {
    return std::get<std::int64_t>(value("SELECT count(*) FROM lade_task WHERE status = $1", {wanted}));
  }
  // Looks again and again; for what no handler tells of.
  [[nodiscard]] bool eventually(const std::function<bool()>& holds) {
    for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
      if (holds()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

  NodeOptions options;
  std::unique_ptr<db::Pool> pool = make_pool(options.boot);
  Counter done, begun, stopped;
  std::atomic<StopReason> reason = StopReason::none;
};
LADE_ON_BOTH_DATABASES(QueueNode);
// What needs several writers, sessions or notifications.
class QueueNodeOnPostgresql : public QueueNode {};
LADE_ON_POSTGRESQL(QueueNodeOnPostgresql);

TEST_P(QueueNode, RunsEveryTaskOnce) {
  Node node(*pool, options);
  node.handle("k", counting());
  enqueue_now({.kind = "k"}, 300);
  ASSERT_OK(node.start());
  ASSERT_TRUE(done.reaches(300));
  enqueue_now({.kind = "k"}, 300);
  node.wake();
  ASSERT_TRUE(done.reaches(600));
  node.stop();
  EXPECT_EQ(done.value(), 600);
  EXPECT_EQ(with_status("succeeded"), 600);
  EXPECT_EQ(node.counters().completed, 600);
  EXPECT_THAT(*nodes(*connection), IsEmpty());
}

TEST_P(QueueNodeOnPostgresql, ANotificationWakesItLongBeforeThePoll) {
  options.settings.poll = 10min;
  Node node(*pool, options);
  node.handle("k", counting());
  ASSERT_OK(node.start());
  ASSERT_TRUE(eventually([&] { return node.counters().beats > 1; }));
  enqueue_now({.kind = "k"}, 1);
  ASSERT_TRUE(done.reaches(1));
  ASSERT_OK(enqueue(*connection, {.kind = "k"}));
  ASSERT_TRUE(done.reaches(2));
}

TEST_P(QueueNode, AHandlerThatFailsCostsAnAttemptNotTheWorker) {
  options.settings.concurrency = 1;
  Node node(*pool, options);
  Counter deaths;
  node.handle("throws", {.run = [](TaskContext&) -> Result<void> { throw std::runtime_error("oh"); }});
  node.handle("odd", {.run = [](TaskContext&) -> Result<void> { throw 7; }});
  node.handle("fails", {.run = [](TaskContext&) -> Result<void> { return fail("broken", "no"); },
                        .on_death = [&](db::Connection&, const DeadLetter&) -> Result<void> {
                          deaths.add();
                          return {};
                        }});
  node.handle("k", counting());
  for (const char* kind : {"throws", "odd", "fails", "nobody", "k"}) enqueue_now({.kind = kind});
  ASSERT_OK(node.start());
  ASSERT_TRUE(done.reaches(1));
  ASSERT_TRUE(deaths.reaches(1));
  ASSERT_TRUE(eventually([&] { return with_status("failed") == 4; }));
  node.stop();
  std::map<std::string, std::pair<std::string, std::int64_t>> ends;
  const auto letters = dead_letters(*connection);
  ASSERT_OK(letters);
  for (const DeadLetter& letter : *letters) ends[letter.kind] = {letter.reason, letter.attempts};
  EXPECT_EQ(ends["throws"], std::pair("handler_threw"s, std::int64_t{2}));
  EXPECT_EQ(ends["odd"], std::pair("handler_threw"s, std::int64_t{2}));
  EXPECT_EQ(ends["fails"], std::pair("broken"s, std::int64_t{2}));
  EXPECT_EQ(ends["nobody"], std::pair("unknown_kind"s, std::int64_t{0}));
}

TEST_P(QueueNode, APostponedTaskComesAgainAndCostsNothing) {
  Node node(*pool, options);
  node.handle("k", {.run = [&](TaskContext& context) -> Result<void> {
                done.add();
                if (done.value() < 3) context.postpone(std::chrono::milliseconds(20));
                EXPECT_EQ(context.task().attempts, 0);
                return {};
              }});
  enqueue_now({.kind = "k"});
  ASSERT_OK(node.start());
  ASSERT_TRUE(eventually([&] { return with_status("succeeded") == 1; }));
  node.stop();
  EXPECT_EQ(done.value(), 3);
  EXPECT_EQ(node.counters().failed, 0);
  EXPECT_EQ(node.counters().stale_commits, 0);
}

TEST_P(QueueNode, PublishesInTheHandlersTransactionAndFinalisesTheStageOnce) {
  Node node(*pool, options);
  Counter finished;
  node.handle("work", {.run = [](TaskContext& context) -> Result<void> {
                LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
                LADE_TRY(context.save_progress(*session, "half"));
                LADE_ASSIGN(Publication publication, context.publish(*session));
                const db::Value values[] = {context.task().lease.task};
                LADE_TRY(session->execute("INSERT INTO effect VALUES ($1)", values));
                return publication.commit();
              }});
  node.handle("finish", {.run = [&](TaskContext&) -> Result<void> {
                finished.add();
                return {};
              }});
  ASSERT_OK(node.start());
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    const auto stage = open_stage(*connection, {.group = "g", .name = "s", .then = {.kind = "finish"}});
    ASSERT_OK(stage);
    ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(40, {.kind = "work", .group = "g", .stage = *stage})));
    ASSERT_OK(seal_stage(*connection, *stage));
    ASSERT_OK(transaction->commit());
  }
  ASSERT_TRUE(finished.reaches(1));
  node.stop();
  EXPECT_EQ(finished.value(), 1);
  EXPECT_EQ(integer("SELECT count(*) FROM effect"), 40);
  EXPECT_EQ(integer("SELECT count(DISTINCT task) FROM effect"), 40);
  EXPECT_EQ(with_status("succeeded"), 41);
}

TEST_P(QueueNode, RunningWorkHearsOfACancel) {
  options.settings.beat = 5s;
  options.settings.lease = 30s;
  Node node(*pool, options);
  node.handle("waits", waiting());
  ASSERT_OK(node.start());
  enqueue_now({.kind = "waits", .group = "g"});
  ASSERT_TRUE(begun.reaches(1));
  ASSERT_OK(cancel_group(*connection, "g"));
  if (is_sqlite()) node.check();
  ASSERT_TRUE(stopped.reaches(1));
  EXPECT_EQ(reason, StopReason::cancelled);
  ASSERT_TRUE(eventually([&] { return with_status("cancelled") == 1; }));
}

TEST_P(QueueNode, AStopGivesBackWhatIsNotDone) {
  options.settings.concurrency = 2;
  Node node(*pool, options);
  node.handle("waits", waiting());
  enqueue_now({.kind = "waits"}, 5);
  ASSERT_OK(node.start());
  ASSERT_TRUE(begun.reaches(2));
  node.stop();
  EXPECT_EQ(reason, StopReason::shutdown);
  EXPECT_EQ(with_status("pending"), 5);
  EXPECT_EQ(integer("SELECT max(attempts) FROM lade_task"), 0);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task WHERE alone"), 0);
  EXPECT_THAT(*nodes(*connection), IsEmpty());
}

TEST_P(QueueNode, TakesOverTheTasksOfADeadNodeOneAtATime) {
  ASSERT_OK(register_node(*connection, {.boot = "dead"}));
  enqueue_now({.kind = "k"}, 6);
  ASSERT_THAT(*queue::claim(*connection, {.node = "dead", .count = 6}), SizeIs(6));
  enqueue_now({.kind = "k"}, 20);
  std::atomic<int> at_once = 0, most_with_alone = 0, alone = 0;
  Node node(*pool, options);
  node.handle("k", {.run = [&](TaskContext& context) -> Result<void> {
                const int now_running = ++at_once;
                if (context.task().alone) {
                  ++alone;
                  most_with_alone = std::max(most_with_alone.load(), now_running);
                }
                --at_once;
                done.add();
                return {};
              }});
  ASSERT_OK(node.start());
  ASSERT_TRUE(done.reaches(26));
  node.stop();
  EXPECT_EQ(alone, 6);
  EXPECT_EQ(most_with_alone, 1);
  EXPECT_EQ(with_status("succeeded"), 26);
  EXPECT_EQ(node.counters().rescued, is_sqlite() ? 0 : 6);
}

TEST_P(QueueNodeOnPostgresql, ADeclaredDeadNodeStopsItsWorkAndGoesOn) {
  Node node(*pool, options);
  node.handle("waits", waiting());
  node.handle("k", counting());
  ASSERT_OK(node.start());
  enqueue_now({.kind = "waits", .unique_key = "x"});
  ASSERT_TRUE(begun.reaches(1));
  ASSERT_OK(rescue(*connection, node.boot(), std::nullopt, default_rules()));
  ASSERT_OK(pause(*connection, Scope::kind, "waits", true));
  ASSERT_TRUE(stopped.reaches(1));
  EXPECT_EQ(reason, StopReason::lease_lost);
  enqueue_now({.kind = "k"});
  ASSERT_TRUE(done.reaches(1));
  ASSERT_TRUE(eventually([&] { return node.counters().stale_commits == 1; })) << node.counters().stale_commits;
  EXPECT_TRUE(eventually([&] { return nodes(*connection)->size() == 1; }));
}

TEST_P(QueueNode, ALeaseItDoesNotKnowIsGivenBack) {
  Node node(*pool, options);
  node.handle("k", counting());
  ASSERT_OK(node.start());
  auto transaction = db::Transaction::begin(*connection);
  ASSERT_OK(transaction);
  enqueue_now({.kind = "k"});
  ASSERT_THAT(*queue::claim(*connection, {.node = node.boot(), .count = 1}), SizeIs(1));
  ASSERT_OK(transaction->commit());
  ASSERT_TRUE(done.reaches(1));
}

TEST_P(QueueNodeOnPostgresql, SurvivesTheEndOfAllItsSessions) {
  Node node(*pool, options);
  node.handle(
      "k", {.run = [&](TaskContext& context) -> Result<void> {
        LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
        LADE_ASSIGN(Publication publication, context.publish(*session));
        LADE_TRY(session->execute("INSERT INTO effect VALUES ($1)", std::vector<db::Value>{context.task().lease.task}));
        LADE_TRY(publication.commit());
        done.add();
        return {};
      }});
  ASSERT_OK(node.start());
  for (int round = 1; round <= 5; ++round) {
    enqueue_now({.kind = "k"}, 50);
    ASSERT_OK(end_sessions(*connection, node.boot()));
    ASSERT_TRUE(done.reaches(50 * round - 10));
  }
  ASSERT_TRUE(eventually([&] { return with_status("succeeded") == 250; }));
  node.stop();
  EXPECT_EQ(integer("SELECT count(*) FROM effect"), 250);
  EXPECT_EQ(integer("SELECT count(DISTINCT task) FROM effect"), 250);
  EXPECT_EQ(integer("SELECT max(attempts) FROM lade_task"), 0);
}

TEST_P(QueueNode, ALimitHoldsWhileManyWorkersAreFree) {
  options.settings.concurrency = 6;
  ASSERT_OK(limit(*connection, Scope::kind, "k", 2));
  std::atomic<int> at_once = 0, most = 0;
  Node node(*pool, options);
  node.handle("k", {.run = [&](TaskContext&) -> Result<void> {
                most = std::max(most.load(), ++at_once);
                std::this_thread::yield();
                --at_once;
                done.add();
                return {};
              }});
  enqueue_now({.kind = "k"}, 60);
  ASSERT_OK(node.start());
  ASSERT_TRUE(done.reaches(60));
  EXPECT_LE(most, 2);
}

TEST_P(QueueNode, WorkPastItsDeadlineIsStoppedAndCounted) {
  options.settings.deadline = 100ms;
  Node node(*pool, options);
  node.handle("waits", waiting());
  enqueue_now({.kind = "waits"});
  ASSERT_OK(node.start());
  ASSERT_TRUE(stopped.reaches(2));
  EXPECT_EQ(reason, StopReason::deadline);
  ASSERT_TRUE(eventually([&] { return with_status("failed") == 1; }));
  EXPECT_EQ(dead_letters(*connection)->front().reason, "deadline_exceeded");
}

TEST_P(QueueNodeOnPostgresql, TwoNodesShareTheWork) {
  NodeOptions other_options = options;
  other_options.boot = new_uuid();
  const auto other_pool = make_pool(other_options.boot);
  Node one(*pool, options), two(*other_pool, other_options);
  Counter of_one, of_two;
  // Nobody goes on before both have begun.
  const auto publishing = [this](Counter& mine, Counter& others) {
    return Kind{.run = [&, this](TaskContext& context) -> Result<void> {
      mine.add();
      if (!others.reaches(1)) return fail("alone", "the other node does nothing");
      LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
      LADE_ASSIGN(Publication publication, context.publish(*session));
      const db::Value values[] = {context.task().lease.task};
      LADE_TRY(session->execute("INSERT INTO effect VALUES ($1)", values));
      LADE_TRY(publication.commit());
      done.add();
      return {};
    }};
  };
  one.handle("k", publishing(of_one, of_two));
  two.handle("k", publishing(of_two, of_one));
  ASSERT_OK(one.start());
  ASSERT_OK(two.start());
  enqueue_now({.kind = "k"}, 200);
  ASSERT_TRUE(done.reaches(200));
  one.stop();
  two.stop();
  EXPECT_EQ(integer("SELECT count(*) FROM effect"), 200);
  EXPECT_EQ(integer("SELECT count(DISTINCT task) FROM effect"), 200);
}

#ifdef LADE_FAILPOINTS
TEST_P(QueueNode, AClaimOnItsWayIsNotGivenBackHoweverOftenItIsLookedFor) {
  ASSERT_OK(arm_failpoints("claimed=pause:500"));
  Node node(*pool, options);
  node.handle("k", counting());
  enqueue_now({.kind = "k"});
  ASSERT_OK(node.start());
  for (int i = 0; i < 100; ++i) {
    node.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_OK(arm_failpoints(""));
  ASSERT_TRUE(eventually([&] { return with_status("succeeded") == 1; }));
  node.stop();
  EXPECT_EQ(done.value(), 1);
  EXPECT_EQ(node.counters().claimed, 1);
}

TEST_P(QueueNode, GetsOverErrorsAtEveryStep) {
  std::atomic<int> reported = 0;
  options.report = [&](const Error&) { ++reported; };
  ASSERT_OK(arm_failpoints("claim=error:db_lost@2;beat=error:db_lost@2;complete=error:db_lost@2"));
  Node node(*pool, options);
  node.handle("k", counting());
  ASSERT_OK(node.start());
  for (int i = 1; i <= 5; ++i) {
    enqueue_now({.kind = "k"}, 20);
    ASSERT_TRUE(done.reaches(20 * i));
  }
  ASSERT_TRUE(eventually([&] { return with_status("succeeded") == 100 && node.counters().beats > 3; }));
  node.stop();
  EXPECT_EQ(reported, 3);
  EXPECT_EQ(done.value(), 100);
}
#endif

TEST(Reconcile, BothWays) {
  const auto grant = [](std::int64_t task) { return GrantedLease{{task, "n", 1, task * 10}}; };
  const std::vector<GrantedLease> granted = {grant(1), grant(2), grant(3)};
  const std::set<LeaseKey> before = {{1, 10}, {4, 40}};
  const Disagreement first = compare(before, granted, {{1, 10}, {2, 20}}, {});
  EXPECT_EQ(first.lost, (std::set<LeaseKey>{{4, 40}}));
  EXPECT_THAT(first.unknown, IsEmpty());
  EXPECT_EQ(first.suspicious, (std::set<LeaseKey>{{3, 30}}));
  const Disagreement second = compare({}, granted, {{1, 10}, {2, 20}}, first.suspicious);
  ASSERT_THAT(second.unknown, SizeIs(1));
  EXPECT_EQ(second.unknown[0].task, 3);
  EXPECT_THAT(second.suspicious, IsEmpty());
}

}  // namespace
}  // namespace lade::queue
