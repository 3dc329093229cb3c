#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "queue/dead_letters.h"
#include "queue/retry.h"
#include "queue/task.h"

// Nodes, their beats, and what happens to the tasks of one that died.
namespace lade::queue {

// A process that runs tasks.
struct NodeRow {
  std::string boot;          // new for every process
  std::string name = {};     // for people
  std::string storage = {};  // the storage it is on
  std::int64_t beat = 0;
  std::int64_t slots = 0;  // tasks that it runs at once
};

// The beat starts at node.beat; a node that registers again takes one that it has not shown before.
Result<void> register_node(db::Connection& connection, const NodeRow& node, Now now = {});
Result<void> remove_node(db::Connection& connection, const std::string& boot);
// While it drains it claims no further tasks; what it has begun goes on. False: there is no such node.
Result<bool> drain_node(db::Connection& connection, const std::string& boot, bool draining);
Result<std::vector<NodeRow>> nodes(db::Connection& connection);
// Raises the node's beat. False: it has no row, so somebody has declared it dead.
Result<bool> beat(db::Connection& connection, const std::string& boot);

// A lease as the database has it.
struct GrantedLease {
  Lease lease = {};
  bool cancelled = false;  // its group is
  bool paused = false;     // its queue, kind, group or parent is
  bool overdue = false;    // past its deadline
};
Result<std::vector<GrantedLease>> granted_leases(db::Connection& connection, const std::string& boot, Now now = {});

// How a kind's tasks fail.
struct KindRules {
  RetryPolicy retry = {};
  DeathHook on_death = {};
};
using RulesOf = std::function<KindRules(const std::string& kind)>;

struct Rescue {
  std::int64_t pending = 0;
  std::int64_t dead = 0;
  std::int64_t cancelled = 0;
};
// Takes a dead node's row and its tasks away from it. With `judged_at`, only if its beat is still that: whoever judged
// it dead, or another rescuer, may be late. A task costs no attempt; it will be run alone in its process, and only if
// it was alone already the crash counts against it.
Result<Rescue> rescue(db::Connection& connection, const std::string& boot, std::optional<std::int64_t> judged_at,
                      const RulesOf& rules, Now now = {});
// Boot ids that hold leases without being registered.
Result<std::vector<std::string>> unregistered_holders(db::Connection& connection);

// The leases of all nodes that are past their deadlines by the database's clock.
struct OverdueLease {
  Lease lease;
  std::int64_t deadline = 0;
};
Result<std::vector<OverdueLease>> overdue_leases(db::Connection& connection, Now now = {});
// Takes those of them that still are away from their holders; that is a failed attempt.
Result<Rescue> take_overdue(db::Connection& connection, std::span<const Lease> leases, const RulesOf& rules,
                            Now now = {});

// Ends the time of the group's tasks that have been running for longer than `threshold`: their nodes are told to stop,
// and what does not is taken away (take_overdue()). Gives their ids.
Result<std::vector<std::int64_t>> expire_running(db::Connection& connection, const std::string& group,
                                                 Duration threshold, Now now = {});

// Lets tasks that wait for their next attempt longer than any policy says begin at once: the clock was set back
// meanwhile. Gives how many.
Result<std::int64_t> release_distant_retries(db::Connection& connection, Duration longest, Now now = {});

// Whether the node has a session with the database: one that has none works on nothing. (PostgreSQL; on SQLite whoever
// may work on the file knows that nobody else does.)
Result<bool> has_sessions(db::Connection& connection, const std::string& boot);
// Ends the database sessions of a dead node, which may hold locks. PostgreSQL only.
Result<std::int64_t> end_sessions(db::Connection& connection, const std::string& boot);
// The database's URL with the name by which end_sessions() finds a node's sessions, and a limit for idle transactions.
std::string session_url(const std::string& url, const std::string& boot);

}  // namespace lade::queue
