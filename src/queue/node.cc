#include "queue/node.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

namespace lade::queue {
namespace {

Error unknown_kind(const std::string& kind) {
  return Error{"unknown_kind", "no handler is known for tasks of kind '" + kind + "'"};
}
Error handler_threw(const std::string& what) {
  return Error{"handler_threw", "the handler broke off: " + what};
}

}  // namespace

Node::Node(db::Pool& sessions, NodeOptions options)
    : sessions_(sessions),
      options_(std::move(options)),
      wake_beat_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      liveness_(options_.settings.silence()),
      overdue_(2 * options_.settings.beat) {  // a holder that hears of its deadline has two beats to stop
  LADE_ASSERT(wake_beat_ >= 0);
}

Node::~Node() {
  stop();
  close(wake_beat_);
}

void Node::handle(std::string kind, Kind handler) {
  LADE_ASSERT(!started_ && handler.run);
  kinds_.insert_or_assign(std::move(kind), std::move(handler));
}

Result<void> Node::start() {
  LADE_ASSERT(!started_);
  LADE_TRY(options_.settings.validate());
  {
    LADE_ASSIGN(const db::Pool::Lease connection, sessions_.acquire());
    if (is_sqlite()) LADE_TRY(take_over(*connection));
    LADE_TRY(register_node(*connection, {.boot = boot(),
                                         .name = options_.name,
                                         .storage = options_.storage,
                                         .slots = static_cast<std::int64_t>(options_.settings.concurrency)}));
  }
  started_ = true;
  beat_ = std::jthread([this](const std::stop_token& stop) { beat_loop(stop); });
  completer_ = std::jthread([this](const std::stop_token& stop) { complete_ended(stop); });
  for (std::size_t i = 0; i < options_.settings.concurrency; ++i)
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  dispatcher_ = std::jthread([this](const std::stop_token& stop) { dispatch(stop); });
  return {};
}

void Node::stop() {
  if (!started_.exchange(false)) return;
  dispatcher_.request_stop();
  dispatcher_.join();
  std::vector<HeldPointer> held;
  {
    const std::lock_guard lock(mutex_);
    const std::deque<HeldPointer> waiting = ready_;
    for (const HeldPointer& task : waiting) end_waiting(task, {task, {}, Ended::What::give_back});
    for (const auto& [key, task] : held_) held.push_back(task);
  }
  for (const HeldPointer& task : held) {
    StopReason none = StopReason::none;
    task->reason.compare_exchange_strong(none, StopReason::shutdown);
    task->stop.request_stop();
  }
  for (std::jthread& worker : workers_) worker.request_stop();
  workers_.clear();
  completer_.request_stop();
  completer_.join();
  beat_.request_stop();
  check();
  beat_.join();
  // What an error left behind is put back by whoever finds leases of a node that is not registered.
  if (const auto connection = sessions_.acquire()) (void)remove_node(**connection, boot());
}

void Node::wake() {
  const std::lock_guard lock(mutex_);
  hint_ = true;
  demand_changed_.notify_one();
}

void Node::check() {
  check_ = true;
  const std::uint64_t one = 1;
  (void)!write(wake_beat_, &one, sizeof one);
}

void Node::report(const Error& error) const {
  if (options_.report) options_.report(error);
}

KindRules Node::rules_of(const std::string& kind) const {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return {options_.settings.retry, {}};
  return {found->second.retry.value_or(options_.settings.retry), found->second.on_death};
}

void Node::work(const std::stop_token& stop) {
  while (true) {
    HeldPointer held;
    {
      std::unique_lock lock(mutex_);
      if (!ready_changed_.wait(lock, stop, [&] { return !ready_.empty(); })) return;
      if (stop.stop_requested()) return;
      held = std::move(ready_.front());
      ready_.pop_front();
      held->state = Held::State::running;
      ++running_;
    }
    const Clock::time_point begin = Clock::now();
    Ended ended = run(held);
    end(std::move(ended), std::chrono::duration_cast<Duration>(Clock::now() - begin));
  }
}

Node::Ended Node::run(const HeldPointer& held) {
  const auto kind = kinds_.find(held->task.kind);
  if (kind == kinds_.end()) return {held, unknown_kind(held->task.kind), Ended::What::refuse};
  TaskContext context(*held, sessions_, options_.settings.deadline);
  try {
    const Result<void> result = kind->second.run(context);
    if (result && held->postponed != 0) return {held, {}, Ended::What::give_back};
    if (result || held->published) return {held, {}};
    return {held, result.error(), held->given_up ? Ended::What::refuse : Ended::What::report};
  } catch (const std::exception& exception) {
    return {held, handler_threw(exception.what())};
  } catch (...) {
    return {held, handler_threw("an exception of an unknown type")};
  }
}

void Node::end(Ended ended, Duration took) {
  constexpr double kNewest = 0.1;
  const std::lock_guard lock(mutex_);
  --running_;
  last_end_ = Clock::now();
  if (ended.held->task.alone) running_alone_ = false;
  const auto microseconds = static_cast<double>(took.count());
  mean_run_us_ = mean_run_us_ < 0 ? microseconds : (1 - kNewest) * mean_run_us_ + kNewest * microseconds;
  ended.held->state = Held::State::ended;
  if (ended.held->published) {
    ++counters_.completed;
    held_.erase(key_of(ended.held->task.lease));
    // The publication may have enqueued something.
    hint_ = true;
  } else {
    ended_.push_back(std::move(ended));
    ended_changed_.notify_one();
  }
  demand_changed_.notify_one();
}

}  // namespace lade::queue
