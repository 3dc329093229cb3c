#pragma once

#include <string>
#include <vector>

#include "db/migrations.h"
#include "queue/claim.h"
#include "queue/dead_letters.h"
#include "queue/enqueue.h"
#include "queue/groups.h"
#include "queue/lease.h"
#include "queue/rescue.h"
#include "queue/schema.h"
#include "queue/stage.h"
#include "testing/database_test.h"

namespace lade::testing {

// The queue's tables in a fresh database, without the rest of lade's.
inline void make_queue(db::Connection& connection) {
  const queue::Schema& schema = queue::schema();
  const db::Migration migration{1, "queue", schema.sqlite, schema.postgresql};
  ASSERT_OK(db::migrate(connection, std::span(&migration, 1)));
  ASSERT_OK(connection.run(queue::node_schema()));
}

// A suite over the queue's calls with a clock of its own: `now` stands still unless a test moves it.
class QueueTest : public DatabaseTest {
 protected:
  void SetUp() override { make_queue(*connection); }

  std::int64_t add(const queue::NewTask& task) {
    const auto id = queue::enqueue(*connection, task, now);
    EXPECT_OK(id);
    EXPECT_TRUE(id && *id);
    return id && *id ? **id : 0;
  }
  std::vector<queue::Task> claim(std::int64_t count, const std::string& node = "n1") {
    return claim(queue::ClaimRequest{.node = node, .count = count});
  }
  std::vector<queue::Task> claim(const queue::ClaimRequest& request) {
    auto tasks = queue::claim(*connection, request, now);
    EXPECT_OK(tasks);
    return tasks ? std::move(*tasks) : std::vector<queue::Task>();
  }
  // The only task there is to claim.
  queue::Task claim_one(const std::string& node = "n1", bool alone = false) {
    auto tasks = claim(queue::ClaimRequest{.node = node, .count = 2, .alone = alone});
    EXPECT_EQ(tasks.size(), 1U);
    return tasks.empty() ? queue::Task() : std::move(tasks.front());
  }
  static std::vector<std::string> payloads(const std::vector<queue::Task>& tasks) {
    std::vector<std::string> found;
    for (const queue::Task& task : tasks) found.push_back(task.payload);
    return found;
  }
  std::string status(std::int64_t task) {
    return std::get<std::string>(value("SELECT status FROM lade_task WHERE id = $1", {task}));
  }
  std::int64_t field(std::int64_t task, const std::string& column) {
    return std::get<std::int64_t>(value("SELECT " + column + " FROM lade_task WHERE id = $1", {task}));
  }
  void publish(const queue::Lease& lease) {
    auto publication = queue::Publication::begin(*connection, lease, now);
    ASSERT_OK(publication);
    ASSERT_OK(publication->commit());
  }
  static queue::RulesOf default_rules() {
    return [](const std::string&) { return queue::KindRules{}; };
  }

  std::int64_t now = 1'000'000'000;
};

constexpr std::int64_t kSecond = 1'000'000;

}  // namespace lade::testing
