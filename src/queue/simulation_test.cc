// A deterministic simulation of queue, leases, stages and rescue: the real statements on SQLite in memory, several
// nodes as plain data, virtual time and a seeded scheduler that crashes nodes, puts them to sleep, loses answers, jumps
// the database's clock, pauses and cancels. After each seed nothing may be lost and nothing done twice.
//
//   LADE_SIMULATION_SEEDS=100000 queue_test --gtest_filter='Simulation.*'     more seeds
//   LADE_SIMULATION_SEED=4711 queue_test --gtest_filter='Simulation.*'        one seed again
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "queue/liveness.h"
#include "queue/reconcile.h"
#include "queue/settings.h"
#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kGrace = 4s, kDeadline = 60s;

// What a node has in memory; a crash loses it.
struct SimulatedNode {
  std::string boot;
  std::vector<Task> held = {};
  Liveness liveness{Settings().silence()};
  OverdueWatch overdue{kGrace};
  std::map<LeaseKey, Liveness::Time> due = {};  // by its own clock
  Liveness::Time last_beat = {};
  std::set<LeaseKey> suspicious = {};
  std::int64_t beats = 0;
  Liveness::Time next_beat = {};
  Liveness::Time asleep_until = {};
};

class World {
 public:
  World(db::Connection& connection, std::uint64_t seed) : connection_(connection), random_(seed) {}

  // Gives what is wrong at the end, empty when all is well.
  std::string run() {
    reset();
    make_work();
    for (int i = 0; i < 3; ++i) start_node();
    const int steps = 60 + chance(120);
    for (int step = 0; step < steps && fault_.empty(); ++step) {
      pass_time();
      if (chance(12) == 0) {
        disturb();
      } else {
        act(nodes_[static_cast<std::size_t>(chance(static_cast<int>(nodes_.size())))], true);
      }
    }
    calm_down();
    if (fault_.empty()) check_end();
    return fault_;
  }

 private:
  int chance(int below) { return std::uniform_int_distribution<>(0, below - 1)(random_); }
  std::string group() { return fmt::format("g{}", chance(kGroups)); }

  void note(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }
  template <class T>
  T must(Result<T> result, const char* what) {
    if (!result) note(fmt::format("{}: {}: {}", what, result.error().code, result.error().message));
    if constexpr (!std::is_void_v<T>) return result ? std::move(*result) : T{};
  }
  std::int64_t number(std::string_view sql, std::vector<db::Value> values = {}) {
    const auto rows = connection_.query(sql, values);
    if (!rows || rows->empty()) {
      note(fmt::format("{} gave nothing", sql));
      return 0;
    }
    const auto* found = std::get_if<std::int64_t>(&rows->front().front());
    return found == nullptr ? 0 : *found;
  }

  void reset() {
    must(connection_.run("DELETE FROM lade_task; DELETE FROM lade_stage; DELETE FROM lade_task_group; "
                         "DELETE FROM lade_queue; DELETE FROM lade_node; DELETE FROM lade_dead_letter; "
                         "DELETE FROM effect; DELETE FROM sqlite_sequence"),
         "reset");
  }

  void make_work() {
    for (int g = 0; g < kGroups; ++g) {
      const std::string name = fmt::format("g{}", g);
      must(put_group(connection_, {.id = name, .parent = g == 0 ? "" : "parent"}), "put_group");
      const std::int64_t stage =
          must(open_stage(connection_, {.group = name, .name = "s", .then = {.kind = "finish"}}), "open_stage");
      std::vector<NewTask> tasks(static_cast<std::size_t>(chance(7)),
                                 NewTask{.kind = "work", .group = name, .stage = stage});
      must(enqueue_all(connection_, tasks, now_), "enqueue_all");
      if (chance(2) == 0) {
        must(seal_stage(connection_, stage, now_), "seal");
      } else {
        unsealed_.push_back(stage);
      }
    }
    for (int i = chance(4); i > 0; --i)
      must(enqueue(connection_, {.kind = "single", .unique_key = fmt::format("u{}", i)}, now_), "enqueue");
    if (chance(3) == 0) {
      limit_ = 1 + chance(3);
      must(limit(connection_, Scope::kind, "work", limit_), "limit");
    }
  }

  void start_node() {
    SimulatedNode& node = nodes_.emplace_back(SimulatedNode{.boot = fmt::format("n{}", ++boots_)});
    must(register_node(connection_, {.boot = node.boot}, now_), "register");
    node.next_beat = steady_;
  }

  void pass_time() {
    const std::chrono::milliseconds passed(chance(400));
    steady_ += passed;
    now_ += std::chrono::duration_cast<Duration>(passed).count();
    // The database's clock may be set; nobody's lease depends on it.
    if (chance(60) == 0) now_ += (chance(2) == 0 ? 1 : -1) * std::int64_t{chance(7200)} * 1'000'000;
  }

  // What people and fate do.
  void disturb() {
    switch (chance(8)) {
      case 0:  // a crash: a new process comes instead, with a new boot id
        nodes_.erase(nodes_.begin() + chance(static_cast<int>(nodes_.size())));
        return start_node();
      case 1:
      case 2: {  // asleep for longer than its lease, then a zombie
        SimulatedNode& node = nodes_[static_cast<std::size_t>(chance(static_cast<int>(nodes_.size())))];
        node.asleep_until = steady_ + std::chrono::seconds(chance(30));
        return;
      }
      case 3: return must(pause_group(connection_, chance(4) == 0 ? "parent" : group(), chance(2) == 0), "pause");
      case 4: return must(pause(connection_, Scope::queue, "default", chance(2) == 0), "pause queue");
      case 5: must(cancel_group(connection_, chance(4) == 0 ? "parent" : group(), now_), "cancel"); return;
      case 6: must(retry_group(connection_, group()), "retry_group"); return;
      default: return seal_one();
    }
  }

  void seal_one() {
    if (unsealed_.empty()) {
      // Sealing once more changes nothing.
      const std::int64_t stage = number("SELECT min(id) FROM lade_stage WHERE sealed");
      return stage == 0 ? void() : must(seal_stage(connection_, stage, now_), "seal");
    }
    const std::int64_t stage = unsealed_.back();
    unsealed_.pop_back();
    if (chance(2) == 0) {
      const auto added = enqueue(connection_, {.kind = "work", .group = group_of(stage), .stage = stage}, now_);
      if (!added) note("an unsealed stage took no task: " + added.error().code);
    }
    must(seal_stage(connection_, stage, now_), "seal");
  }
  std::string group_of(std::int64_t stage) {
    const auto rows = connection_.query("SELECT group_id FROM lade_stage WHERE id = $1", std::vector<db::Value>{stage});
    return rows && !rows->empty() ? std::get<std::string>(rows->front().front()) : std::string();
  }

  void act(SimulatedNode& node, bool with_accidents) {
    if (steady_ < node.asleep_until) return;
    // A zombie may go on working before its next beat tells it the truth.
    if (steady_ >= node.next_beat && chance(3) != 0) return beat_of(node);
    if (node.held.empty() || chance(3) == 0) return claim_for(node);
    const auto at = chance(static_cast<int>(node.held.size()));
    const Task task = node.held[static_cast<std::size_t>(at)];
    node.held.erase(node.held.begin() + at);
    const int what = chance(with_accidents ? 10 : 4);
    if (what == 8) {
      must(report_failure(task, Error{"broken", "by chance"}), "fail");
    } else if (what == 9) {
      give_back_or_keep(node, task);
    } else if (what % 2 == 0) {
      publish(task, with_accidents);
    } else {
      complete_one(task);
    }
  }

  void claim_for(SimulatedNode& node) {
    const bool alone = node.held.empty() && chance(2) == 0;
    if (!node.held.empty() && node.held.front().alone) return;
    const ClaimRequest request{
        .node = node.boot, .count = alone ? 1 : 1 + chance(3), .alone = alone, .deadline = kDeadline};
    std::vector<Task> tasks = must(claim(connection_, request, now_), "claim");
    node.held.insert(node.held.end(), tasks.begin(), tasks.end());
    for (const Task& task : tasks) node.due[key_of(task.lease)] = steady_ + kDeadline;
    if (limit_ > 0 && number("SELECT count(*) FROM lade_task WHERE status = 'running' AND kind = 'work'") > limit_)
      note("more tasks run than the limit allows");
  }

  // Whether the database grants the lease just now.
  bool is_valid(const Lease& lease) {
    return number(
               "SELECT count(*) FROM lade_task WHERE id = $1 AND node = $2 AND epoch = $3 AND nonce = $4 AND "
               "status = 'running'",
               {lease.task, lease.node, lease.epoch, lease.nonce}) == 1;
  }

  void publish(const Task& task, bool with_accidents) {
    const bool valid = is_valid(task.lease);
    {
      auto publication = Publication::begin(connection_, task.lease, now_);
      if (publication.has_value() != valid) return note("the fence let the wrong one through");
      if (!publication) return;
      must(connection_.execute("INSERT INTO effect VALUES ($1)", std::vector<db::Value>{task.lease.task}), "effect");
      if (with_accidents && chance(6) == 0) return;  // the process dies before COMMIT; its memory is gone
      must(publication->commit(), "commit");
    }
    // The answer may be lost: whoever reports that as a failure finds out.
    if (with_accidents && chance(6) == 0 &&
        must(report_failure(task, Error{"db_lost", "no answer"}), "report") != FailureEnd::published)
      note("a commit without an answer was not recognised");
  }

  Result<FailureEnd> report_failure(const Task& task, const Error& error) {
    const bool valid = is_valid(task.lease);
    const auto end = fail_task(connection_, task.lease, error, rules("").retry, {}, now_);
    const bool recorded = end && *end != FailureEnd::lost && *end != FailureEnd::published;
    if (recorded != valid) note("a failure was recorded for the wrong holder");
    return end;
  }

  void complete_one(const Task& task) {
    const bool valid = is_valid(task.lease);
    const Completion completion = must(complete(connection_, std::vector{task.lease}, now_), "complete");
    if (completion.completed != (valid ? 1 : 0)) return note("a completion counted for the wrong holder");
    if (valid) must(connection_.execute("INSERT INTO effect VALUES ($1)", std::vector<db::Value>{task.lease.task}), "");
  }

  void give_back_or_keep(SimulatedNode& node, const Task& task) {
    if (chance(2) == 0) {
      const auto saved = save_progress(connection_, task.lease, "p", kDeadline, now_);
      if (saved.has_value()) node.held.push_back(task), node.due[key_of(task.lease)] = steady_ + kDeadline;
    } else {
      (void)give_back(connection_, task.lease, Duration(0), now_);
    }
  }

  static KindRules rules(const std::string&) {
    return {.retry = {.max_attempts = 3, .max_crashes = 2, .base = 1s}, .on_death = {}};
  }

  void beat_of(SimulatedNode& node) {
    node.next_beat = steady_ + 2s;
    node.last_beat = steady_;
    ++node.beats;
    if (!must(beat(connection_, node.boot), "beat")) {
      node.held.clear();
      must(register_node(connection_, {.boot = node.boot, .beat = node.beats}, now_), "register");
    }
    reconcile(node);
    const auto all = must(nodes(connection_), "nodes");
    for (const NodeRow& dead : node.liveness.observe(all, steady_)) {
      if (dead.boot == node.boot) note("a node found itself dead");
      must(rescue(connection_, dead.boot, dead.beat, rules, now_), "rescue");
    }
    for (const std::string& holder : must(unregistered_holders(connection_), "holders"))
      if (holder != node.boot) must(rescue(connection_, holder, std::nullopt, rules, now_), "rescue");
    take_overdue_of_others(node);
    must(sweep_cancelled(connection_, now_), "sweep");
    if (must(reconcile_stages(connection_, now_), "reconcile") != 0) note("a stage's counter was wrong");
  }

  // However the database's clock was set, a holder that beats loses nothing before its time.
  void take_overdue_of_others(SimulatedNode& node) {
    const auto overdue = must(overdue_leases(connection_, now_), "overdue");
    const std::vector<Lease> taken = node.overdue.observe(overdue, steady_);
    for (const SimulatedNode& holder : nodes_)
      for (const Task& task : holder.held)
        if (std::ranges::count(taken, task.lease) != 0 && holder.due.at(key_of(task.lease)) > steady_ &&
            steady_ - holder.last_beat < kGrace)
          note("a task was taken from a holder that was in time");
    must(take_overdue(connection_, taken, rules, now_), "take overdue");
  }

  void put_deadline_right(const SimulatedNode& node, const Lease& lease) {
    const auto due = node.due.find(key_of(lease));
    if (due == node.due.end() || due->second <= steady_) return;
    const auto left = std::chrono::duration_cast<Duration>(due->second - steady_);
    must(extend_deadline(connection_, lease, left, now_), "extend");
  }

  void reconcile(SimulatedNode& node) {
    std::set<LeaseKey> held;
    for (const Task& task : node.held) held.insert(key_of(task.lease));
    const auto granted = must(granted_leases(connection_, node.boot, now_), "granted");
    Disagreement found = compare(held, granted, held, node.suspicious);
    node.suspicious = std::move(found.suspicious);
    for (const Lease& lease : found.unknown) must(give_back(connection_, lease, Duration(0), now_), "give_back");
    std::set<LeaseKey> cancelled;
    for (const GrantedLease& grant : granted) {
      if (grant.cancelled) cancelled.insert(key_of(grant.lease));
      if (grant.overdue && held.contains(key_of(grant.lease))) put_deadline_right(node, grant.lease);
    }
    for (const Task& task : std::vector<Task>(node.held)) {
      if (cancelled.contains(key_of(task.lease)) &&
          must(report_failure(task, Error{"cancelled", "stopped"}), "cancel") != FailureEnd::cancelled)
        note("a cancelled task did not end so");
      if (cancelled.contains(key_of(task.lease)) || found.lost.contains(key_of(task.lease)))
        std::erase_if(node.held, [&](const Task& other) { return other.lease == task.lease; });
    }
  }

  // Everything is resumed and nobody dies any more: then all work must end.
  void calm_down() {
    must(pause(connection_, Scope::queue, "default", false), "resume");
    must(pause_group(connection_, "parent", false), "resume");
    for (int g = 0; g < kGroups; ++g) must(pause_group(connection_, fmt::format("g{}", g), false), "resume");
    while (!unsealed_.empty() && fault_.empty()) seal_one();
    for (int step = 0; step < 3000 && fault_.empty(); ++step) {
      steady_ += 500ms;
      now_ += 500'000;
      // A clock that was set back makes delayed tasks wait; here it is set right again.
      if (step % 100 == 99) now_ = std::max(now_, number("SELECT max(available_at) FROM lade_task"));
      act(nodes_[static_cast<std::size_t>(step) % nodes_.size()], false);
      if (step % 10 == 0 && number("SELECT count(*) FROM lade_task WHERE status IN ('pending', 'running')") == 0)
        return;
    }
    if (fault_.empty())
      note(fmt::format("{} tasks never ended", number("SELECT count(*) FROM lade_task WHERE status IN ('pending', "
                                                      "'running')")));
  }

  void check_end() {
    const auto none = [&](const char* what, std::string_view sql) {
      if (const std::int64_t count = number(sql); count != 0) note(fmt::format("{}: {}", what, count));
    };
    none("succeeded tasks without exactly one effect",
         "SELECT count(*) FROM lade_task t WHERE status = 'succeeded' AND "
         "(SELECT count(*) FROM effect e WHERE e.task = t.id) <> 1");
    none("effects of tasks that did not succeed",
         "SELECT count(*) FROM effect e WHERE NOT EXISTS "
         "(SELECT 1 FROM lade_task t WHERE t.id = e.task AND t.status = 'succeeded')");
    none("stages that are not finished", "SELECT count(*) FROM lade_stage WHERE finaliser IS NULL OR open <> 0");
    none("stages with another number of finalisers than rounds",
         "SELECT count(*) FROM lade_stage s WHERE s.round <> "
         "(SELECT count(*) FROM lade_task t WHERE t.group_id = s.group_id AND t.kind = 'finish')");
    none("stages that were finalised before their last task",
         "SELECT count(*) FROM lade_stage s JOIN effect f ON f.task = s.finaliser WHERE f.rowid < (SELECT max(e.rowid) "
         "FROM effect e JOIN lade_task t ON t.id = e.task WHERE t.stage_id = s.id)");
    none("stages whose counters do not tell the truth",
         "SELECT count(*) FROM lade_stage s WHERE "
         "s.total <> (SELECT count(*) FROM lade_task t WHERE t.stage_id = s.id) OR "
         "s.failed <> (SELECT count(*) FROM lade_task t WHERE t.stage_id = s.id AND t.status = 'failed') OR "
         "s.cancelled <> (SELECT count(*) FROM lade_task t WHERE t.stage_id = s.id AND t.status = 'cancelled')");
    none("failed tasks without a dead letter",
         "SELECT count(*) FROM lade_task t WHERE status = 'failed' AND NOT EXISTS "
         "(SELECT 1 FROM lade_dead_letter d WHERE d.task_id = t.id)");
    none("finalisers that were cancelled",
         "SELECT count(*) FROM lade_task WHERE kind = 'finish' AND status = 'cancelled'");
  }

  static constexpr int kGroups = 3;
  db::Connection& connection_;
  std::mt19937_64 random_;
  std::vector<SimulatedNode> nodes_;
  std::vector<std::int64_t> unsealed_;
  std::int64_t limit_ = 0;
  int boots_ = 0;
  std::int64_t now_ = 1'700'000'000'000'000;
  Liveness::Time steady_{};
  std::string fault_;
};

TEST(Simulation, NothingIsLostAndNothingIsDoneTwice) {
  auto connection = db::connect("sqlite::memory:");
  ASSERT_OK(connection);
  lade::testing::make_queue(**connection);
  ASSERT_OK((*connection)->run("CREATE TABLE effect (task bigint)"));
  const char* single = std::getenv("LADE_SIMULATION_SEED");
  const char* many = std::getenv("LADE_SIMULATION_SEEDS");
  const std::uint64_t first = single != nullptr ? std::strtoull(single, nullptr, 10) : 1;
  const std::uint64_t count = single != nullptr ? 1 : many != nullptr ? std::strtoull(many, nullptr, 10) : 300;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string fault = World(**connection, seed).run();
    ASSERT_EQ(fault, "") << "seed " << seed << "; again with LADE_SIMULATION_SEED=" << seed;
  }
}

}  // namespace
}  // namespace lade::queue
