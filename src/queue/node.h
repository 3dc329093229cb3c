#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/id.h"
#include "db/pool.h"
#include "queue/claim.h"
#include "queue/lease.h"
#include "queue/liveness.h"
#include "queue/reconcile.h"
#include "queue/rescue.h"
#include "queue/session.h"
#include "queue/settings.h"
#include "queue/task.h"

namespace lade::queue {

// Why running work is asked to stop.
enum class StopReason {
  none,
  shutdown,    // the node ends; the task will be given back
  cancelled,   // its group was cancelled
  lease_lost,  // somebody else has the task; whatever is published now is refused
  deadline,    // too long without progress
};

// A task that this process holds.
struct Held {
  enum class State { ready, running, ended };
  using Clock = std::chrono::steady_clock;
  Held(Task claimed, Duration deadline) : task(std::move(claimed)), due(Clock::now() + deadline) {}
  const Task task;
  std::stop_source stop;
  std::atomic<StopReason> reason = StopReason::none;
  std::atomic<bool> published = false;
  std::atomic<bool> given_up = false;
  std::atomic<Duration::rep> postponed = 0;  // microseconds; 0: not
  const Clock::time_point since = Clock::now();
  std::atomic<Clock::time_point> due;  // its deadline by this process's own clock
  State state = State::ready;          // guarded by the node's mutex
};

// What a handler has while it runs.
class TaskContext {
 public:
  TaskContext(Held& held, db::Pool& sessions, Duration deadline)
      : held_(held), sessions_(sessions), deadline_(deadline) {}

  const Task& task() const { return held_.task; }
  // To be asked once per batch. A handler that stops gives an error of kind `cancelled`.
  std::stop_token stop() const { return held_.stop.get_token(); }
  StopReason stop_reason() const { return held_.reason; }
  // Says that trying again would not help: the task becomes a dead letter at once. Gives the error to return.
  Error give_up(Error error) {
    held_.given_up = true;
    return error;
  }
  // Says that the task cannot begin yet: when the handler returns, it is given back, for nobody to claim earlier.
  void postpone(Duration delay) { held_.postponed = delay.count(); }
  // The node's pool. On SQLite it has one session, which claims and completions need too: borrow it for short.
  db::Pool& sessions() const { return sessions_; }
  // The publishing transaction. A handler that commits it is done; one that has nothing to publish just returns.
  Result<Publication> publish(db::Connection& connection) {
    return Publication::begin(connection, held_.task.lease, std::nullopt, &held_.published);
  }
  Result<void> save_progress(db::Connection& connection, std::string_view progress) {
    held_.due = Held::Clock::now() + deadline_;
    return queue::save_progress(connection, held_.task.lease, progress, deadline_);
  }
  // For work that can show no progress for long, such as one large publication; to be called before it begins.
  Result<void> extend_deadline(db::Connection& connection, Duration deadline) {
    held_.due = Held::Clock::now() + deadline;
    return queue::extend_deadline(connection, held_.task.lease, deadline);
  }

 private:
  Held& held_;
  db::Pool& sessions_;
  Duration deadline_;
};

// What runs the tasks of a kind. An error or an exception costs an attempt.
using Handler = std::function<Result<void>(TaskContext&)>;

struct Kind {
  Handler run;
  std::optional<RetryPolicy> retry = {};  // nullopt: the settings' policy
  DeathHook on_death = {};
};

struct NodeOptions {
  std::string boot = new_uuid();  // one per process; the pool's URL comes from session_url() with it
  std::string name = {};          // for people
  std::string storage = {};       // tasks bound to another storage are left alone
  std::string queue = {};         // only tasks of this queue; empty: of all
  std::string group = {};         // only tasks of this group; empty: of all
  Settings settings = {};
  // Hears of errors of the database that the node gets over by itself; called from its threads.
  std::function<void(const Error&)> report = {};
};

struct NodeCounters {
  std::atomic<std::int64_t> claimed = 0;
  std::atomic<std::int64_t> completed = 0;
  std::atomic<std::int64_t> failed = 0;         // runs that ended with an error
  std::atomic<std::int64_t> stale_commits = 0;  // results that came to nothing because the lease was lost
  std::atomic<std::int64_t> rescued = 0;        // tasks of dead nodes put back by this one
  std::atomic<std::int64_t> beats = 0;
};

// A process that works on tasks: worker threads, a dispatcher that claims in batches, a completer that completes in
// batches, and a beat that proves the node alive, hears of cancels, and rescues the tasks of dead nodes. A database
// that goes away is waited for; nothing but stop() ends the node. All methods are thread-safe.
class Node {
 public:
  // `sessions` outlives the node and has at least as many sessions as workers (one on SQLite).
  Node(db::Pool& sessions, NodeOptions options);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  // Before start(). Tasks of a kind that nobody handles become dead letters.
  void handle(std::string kind, Kind handler);
  // Registers the node and starts its threads. On SQLite, whose file belongs to one process, it first puts back
  // whatever an earlier process held.
  Result<void> start();
  // Asks running work to stop, waits for it, gives back what is not done and ends the threads.
  void stop();

  // There may be something to claim: for enqueuers in the same process.
  void wake();
  // Beats now, to hear of a cancel or pause made in the same process.
  void check();

  const std::string& boot() const { return options_.boot; }
  const NodeCounters& counters() const { return counters_; }

 private:
  using Clock = std::chrono::steady_clock;
  using HeldPointer = std::shared_ptr<Held>;  // shared by the table of held tasks, its worker and the completer
  // How a run ended; without an error it succeeded.
  struct Ended {
    HeldPointer held;
    std::optional<Error> error;
    enum class What { report, give_back, refuse } what = What::report;
  };
  struct Demand {
    std::int64_t count = 0;
    bool alone = false;
  };

  bool is_sqlite() const { return db::backend_of(sessions_.url()) == db::Backend::sqlite; }
  void report(const Error& error) const;
  KindRules rules_of(const std::string& kind) const;
  ClaimRequest request_for(const Demand& demand) const;
  Result<std::vector<Task>> claim(Session& session, const std::stop_token& stop, const Demand& demand);
  void count_claim();

  // node.cc: workers
  void work(const std::stop_token& stop);
  Ended run(const HeldPointer& held);
  void end(Ended ended, Duration took);
  // dispatcher.cc
  void dispatch(const std::stop_token& stop);
  Demand wait_for_demand(const std::stop_token& stop);
  Demand demand() const;
  std::size_t claim_ahead() const;
  void accept(std::vector<Task> tasks, const Demand& demand);
  // completer.cc
  void complete_ended(const std::stop_token& stop);
  void complete_batch(Session& session, const std::vector<Ended>& batch, const std::stop_token& stop);
  void settle_failure(Session& session, const Ended& ended, const std::stop_token& stop);
  Result<FailureEnd> record_failure(db::Connection& connection, const Ended& ended);
  template <class Work>
  bool persist(Session& session, const std::stop_token& stop, Work&& work);
  void forget(const Held& held);
  // beat.cc
  void beat_loop(const std::stop_token& stop);
  Result<void> beat_once(db::Connection& connection);
  Result<void> reconcile_leases(db::Connection& connection);
  Result<bool> is_overdue(db::Connection& connection, const Lease& lease);
  Result<void> rescue_others(db::Connection& connection);
  Result<void> look_around(db::Connection& connection);
  Duration longest_backoff() const;
  // With the claims counted at the same moment.
  std::set<LeaseKey> held_keys(bool also_ended, std::int64_t* claims = nullptr) const;
  void ask_to_stop(const std::set<LeaseKey>& leases, StopReason reason);
  void give_back_waiting(const std::set<LeaseKey>& paused);
  void end_waiting(const HeldPointer& held, Ended ended);  // with the mutex held
  void wait_for_beat(Session& session, Clock::time_point until);
  Result<void> take_over(db::Connection& connection);

  db::Pool& sessions_;
  const NodeOptions options_;
  std::map<std::string, Kind> kinds_;  // unchanged after start()
  NodeCounters counters_;
  std::atomic<bool> started_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any ready_changed_;
  std::condition_variable_any demand_changed_;
  std::condition_variable_any ended_changed_;
  std::map<LeaseKey, HeldPointer> held_;
  std::deque<HeldPointer> ready_;  // claimed, not begun
  std::size_t running_ = 0;
  bool running_alone_ = false;
  std::vector<Ended> ended_;
  bool hint_ = true;         // there may be something to claim
  std::int64_t claims_ = 0;  // counted when they begin and when they have ended: odd while one is on its way
  Clock::time_point next_look_ = {};
  bool alone_waiting_ = true;   // some task may wait for a process of its own
  bool alone_overdue_ = false;  // so long that this node makes room for it
  Clock::time_point last_end_ = {};
  double mean_run_us_ = -1;  // of recent runs; -1 before the first

  std::atomic<bool> limited_ = true;  // limits are set
  std::atomic<bool> check_ = false;
  int wake_beat_ = -1;  // an eventfd
  // Used by the beat's thread only.
  Liveness liveness_;
  OverdueWatch overdue_;
  std::set<LeaseKey> suspicious_;
  std::int64_t claims_seen_ = 0;  // when those were
  std::int64_t beat_number_ = 0;
  std::int64_t alone_beats_ = 0;  // in how many beats in a row some task waited for a process of its own

  std::jthread dispatcher_;
  std::jthread completer_;
  std::jthread beat_;
  std::vector<std::jthread> workers_;
};

}  // namespace lade::queue
