// Several nodes on PostgreSQL under fire: their sessions are ended and they are declared dead while they work, at
// random. Whatever happens, each task's effect is there once and each stage is finalised once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "queue/node.h"
#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using namespace std::chrono_literals;

constexpr int kNodes = 3;
constexpr int kGroups = 12;
constexpr int kTasksOfAGroup = 15;

Result<void> publish_effect(TaskContext& context) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
  LADE_ASSIGN(Publication publication, context.publish(*session));
  const db::Value values[] = {context.task().lease.task};
  LADE_TRY(session->execute("INSERT INTO effect VALUES ($1)", values));
  return publication.commit();
}

class Storm : public ::testing::Test {
 protected:
  void SetUp() override {
    lade::testing::make_queue(*connection);
    ASSERT_OK(connection->run("CREATE TABLE effect (task bigint)"));
    for (int i = 0; i < kNodes; ++i) start_node();
  }
  void start_node() {
    NodeOptions options;
    options.settings.beat = 50ms;
    options.settings.lease = 2s;
    options.settings.poll = 50ms;
    options.settings.retry = {.max_attempts = 1000, .max_crashes = 1000, .base = 1ms, .cap = 5ms};
    pools.push_back(std::make_unique<db::Pool>(session_url(database.url(), options.boot), 4));
    Node& node = *nodes.emplace_back(std::make_unique<Node>(*pools.back(), options));
    node.handle("work", {.run = publish_effect});
    node.handle("finish", {.run = publish_effect});
    node.handle("quiet", {.run = [](TaskContext&) -> Result<void> { return {}; }});
    ASSERT_OK(node.start());
  }
  void enqueue_group(int number) {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    const std::string group = fmt::format("g{}", number);
    const auto stage = open_stage(*connection, {.group = group, .name = "s", .then = {.kind = "finish"}});
    ASSERT_OK(stage);
    std::vector<NewTask> tasks(kTasksOfAGroup, NewTask{.kind = "work", .group = group, .stage = *stage});
    tasks.resize(tasks.size() * 2, NewTask{.kind = "quiet", .group = group, .stage = *stage});
    ASSERT_OK(enqueue_all(*connection, tasks));
    ASSERT_OK(seal_stage(*connection, *stage));
    ASSERT_OK(transaction->commit());
  }
  // One blow against one node.
  void strike() {
    const std::string& boot = nodes[random() % nodes.size()]->boot();
    if (random() % 2 == 0) {
      ASSERT_OK(end_sessions(*connection, boot));
    } else {
      ASSERT_OK(rescue(*connection, boot, std::nullopt,
                       [](const std::string&) { return KindRules{.retry = {.max_crashes = 1000}, .on_death = {}}; }));
    }
  }
  std::int64_t number(const std::string& sql) {
    return std::get<std::int64_t>(connection->query(sql).value().front().front());
  }
  bool all_ended() { return number("SELECT count(*) FROM lade_task WHERE status IN ('pending', 'running')") == 0; }

  lade::testing::FreshDatabase database{db::Backend::postgresql};
  std::unique_ptr<db::Connection> connection = database.connect();
  std::vector<std::unique_ptr<db::Pool>> pools;
  std::vector<std::unique_ptr<Node>> nodes;
  std::mt19937_64 random{std::random_device{}()};
};

TEST_F(Storm, EveryEffectOnceAndEveryStageFinalisedOnce) {
  for (int group = 0; group < kGroups; ++group) {
    enqueue_group(group);
    for (int blow = 0; blow < 4; ++blow) strike();
  }
  for (const auto end = std::chrono::steady_clock::now() + 60s; !all_ended();) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "some tasks never end";
    std::this_thread::sleep_for(20ms);
  }
  for (const auto& node : nodes) node->stop();
  EXPECT_EQ(number("SELECT count(*) FROM lade_task WHERE status <> 'succeeded'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM effect"), kGroups * (kTasksOfAGroup + 1));
  EXPECT_EQ(number("SELECT count(DISTINCT task) FROM effect"), kGroups * (kTasksOfAGroup + 1));
  EXPECT_EQ(number("SELECT count(*) FROM lade_task WHERE kind = 'finish'"), kGroups);
  EXPECT_EQ(number("SELECT count(*) FROM lade_stage WHERE open <> 0 OR finaliser IS NULL"), 0);
  EXPECT_EQ(number("SELECT max(attempts) FROM lade_task"), 0);
}

}  // namespace
}  // namespace lade::queue
