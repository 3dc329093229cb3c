#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/failpoint.h"
#include "base/log.h"
#include "db/in_transaction.h"
#include "jobs/known_version.h"
#include "jobs/page_attempts.h"
#include "jobs/pages.h"
#include "jobs/stored_job.h"
#include "store/events.h"
#include "store/job_list.h"

// A task that fetches a group of pages. How a page travels, and what is left when the process dies anywhere on the way:
// docs/adr/0015-pages-become-records.md.
namespace lade::jobs {
namespace {

using Clock = std::chrono::steady_clock;
using store::OpenPage;
using store::PageResult;

// A task that could do nothing for longer gives itself back.
constexpr std::chrono::milliseconds kPatience{1'000};
constexpr std::chrono::milliseconds kLook{1'000};  // for a pause, and permits of others
constexpr std::chrono::milliseconds kSoon{1}, kBusiness{20};
// Some more may end while the first are looked at: one transaction for all of them.
constexpr std::chrono::milliseconds kLinger{4};

class PageGroup {
 public:
  PageGroup(queue::TaskContext& context, Desk& desk, const TaskTarget& target, OpenFetch& open)
      : context_(context), desk_(desk), job_(target.job), open_(open), attempts_(open) {
    first_ = static_cast<std::int64_t>(target.part) * kPagesOfTask + 1;
    last_ = first_ + kPagesOfTask - 1;
  }

  Result<void> run() {
    Result<void> done = fetch();
    if (done) return done;
    // Permits that were bought count for all nodes until they are given back.
    attempts_.break_off();
    (void)settle();
    return done;
  }

 private:
  struct Waiting {
    OpenPage page;
    Clock::time_point due;
  };

  const std::string& node() const { return context_.task().lease.node; }

  Result<void> fetch() {
    LADE_TRY(load());
    if (waiting_.empty()) return {};
    for (;;) {
      if (context_.stop().stop_requested()) return abandon();
      LADE_TRY(publish(results_of_ended()));
      if (waiting_.empty() && attempts_.under_way() == 0) {
        // Others may have released pages meanwhile.
        LADE_TRY(load());
        if (waiting_.empty()) return settle();
      }
      if (attempts_.under_way() > 0) continue;
      const auto wait = next_begin() - Clock::now();
      if (!is_paused_ && wait <= kPatience) continue;
      LADE_TRY(settle());
      context_.postpone(std::max<queue::Duration>(kSoon, std::chrono::duration_cast<queue::Duration>(wait)));
      return {};
    }
  }

  // What is to be done. A page that is running belonged to somebody who has lost the task: its next attempt begins.
  Result<void> load() {
    LADE_ASSIGN(const db::Pool::Lease session, context_.sessions().acquire(context_.stop()));
    LADE_ASSIGN(auto pages, store::open_pages(*session, job_, first_, last_));
    if (open_.rules.fetch.conditional) LADE_TRY(store::find_known_versions(*session, job_, pages));
    const auto now = Clock::now();
    for (OpenPage& page : pages) {
      if (page.known) attempts_.expect(page.known->evidence.bytes);
      const auto due = now + page.wait;
      waiting_.push_back({std::move(page), due});
    }
    return {};
  }

  // Pages of lost tasks that have no attempt left.
  std::vector<PageResult> exhausted() {
    std::vector<PageResult> results;
    std::erase_if(waiting_, [&](const Waiting& waiting) {
      const OpenPage& page = waiting.page;
      if (page.status != store::page_status::kRunning || page.attempt < open_.most_attempts) return false;
      results.push_back(failed_result(page.row_id, page.attempt,
                                      {.code = "max_attempts_exceeded",
                                       .message = "the process that fetched it has died, at the last attempt",
                                       .reason = "process_died",
                                       .url = page.url}));
      return true;
    });
    return results;
  }

  Clock::time_point next_begin() const {
    Clock::time_point next = Clock::time_point::max();
    for (const Waiting& waiting : waiting_)
      next = std::min(next, std::max(waiting.due, open_.gate.next(waiting.page.host)));
    return next;
  }

  // Waits until there is something to publish or to begin.
  Result<std::vector<PageResult>> results_of_ended() {
    const auto now = Clock::now();
    auto until = now + kLook;
    if (attempts_.under_way() < attempts_.most_under_way()) until = std::min(until, std::max(next_begin(), now));
    if (open_.gate.has_business()) until = std::min(until, now + kBusiness);
    std::vector<EndedAttempt> ended = attempts_.wait(until, context_.stop());
    const std::size_t worth = attempts_.under_way() / 4;
    for (const auto end = Clock::now() + kLinger; !ended.empty() && ended.size() < worth && Clock::now() < end;)
      std::ranges::move(attempts_.wait(end, context_.stop()), std::back_inserter(ended));
    if (!ended.empty()) LADE_FAILPOINT("fetch_ended");
    restore_bodies(ended);
    std::vector<PageResult> results = results_of(open_, desk_.storage(), ended);
    std::ranges::move(exhausted(), std::back_inserter(results));
    return results;
  }

  // Pages that have not changed get the bodies that are kept of them. Where one is kept no longer, the page is asked
  // for as a whole, in the same attempt, and is not among those that have ended. A storage that does not answer is
  // asked once: the other pages are tried again, too.
  void restore_bodies(std::vector<EndedAttempt>& ended) {
    KnownBodies bodies(desk_.storage());
    std::optional<Error> broken;
    std::vector<EndedAttempt> complete;
    for (EndedAttempt& attempt : ended) {
      if (attempt.outcome && attempt.outcome->not_modified) {
        auto restored = broken ? fail(*broken) : bodies.restore(*attempt.page.known, *attempt.outcome, attempt.body);
        if (!restored && is_gone(restored.error())) {
          ask_again(std::move(attempt.page), restored.error());
          continue;
        }
        if (!restored) {
          broken = restored.error();
          give_up(attempt, {*broken, "not_kept"});
        }
      }
      complete.push_back(std::move(attempt));
    }
    ended = std::move(complete);
  }

  static bool is_gone(const Error& error) {
    return error.code == "stored_file_missing" || error.code == "stored_file_damaged";
  }

  // The attempt has failed, and another one is worth it.
  static void give_up(EndedAttempt& attempt, harvest::FetchFailure failure) {
    failure.url = attempt.page.url;
    failure.is_final = false;
    attempt.outcome = tl::unexpected(std::move(failure));
    attempt.body.clear();
  }

  void ask_again(OpenPage page, const Error& why) {
    log(LogLevel::warning, "evidence_unreadable",
        {{"job", std::to_string(job_)}, {"row", std::to_string(page.row_id)}, {"error", why.message}});
    page.known.reset();
    attempts_.start(std::move(page));
  }

  // Pages whose time has come, by host: at most as many as may be under way.
  std::map<std::string, std::int64_t> due() const {
    std::map<std::string, std::int64_t> hosts;
    const std::size_t most = attempts_.most_under_way();
    std::size_t room = most - std::min(most, attempts_.under_way());
    const auto now = Clock::now();
    for (const Waiting& waiting : waiting_) {
      if (room == 0) break;
      if (waiting.due > now || open_.gate.next(waiting.page.host) > now) continue;
      ++hosts[waiting.page.host];
      --room;
    }
    return hosts;
  }

  std::vector<OpenPage> take(std::map<std::string, std::int64_t> begin) {
    std::vector<OpenPage> pages;
    const auto now = Clock::now();
    for (Waiting& waiting : waiting_) {
      const auto granted = begin.find(waiting.page.host);
      if (granted == begin.end() || granted->second == 0 || waiting.due > now) continue;
      --granted->second;
      ++waiting.page.attempt;
      pages.push_back(std::move(waiting.page));
      waiting.page.row_id = 0;
    }
    std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.page.row_id == 0; });
    return pages;
  }

  // One transaction under the fence: how attempts ended, and which begin. Only when it is committed anything is sent.
  Result<void> publish(Result<std::vector<PageResult>> ended) {
    LADE_ASSIGN(const std::vector<PageResult> results, std::move(ended));
    std::map<std::string, std::int64_t> wanted = is_paused_ ? std::map<std::string, std::int64_t>() : due();
    if (results.empty() && wanted.empty() && !open_.gate.has_business() && Clock::now() < look_at_) return {};
    std::vector<OpenPage> begun;
    {
      const std::lock_guard trading(desk_.fetching().trading());
      LADE_ASSIGN(const db::Pool::Lease session, context_.sessions().acquire({}));
      LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*session));
      LADE_TRY(context_.save_progress(*session, ""));  // the fence
      LADE_ASSIGN(is_paused_, store::is_job_held(*session, job_));
      if (is_paused_) wanted.clear();
      LADE_TRY(store::record_results(*session, job_, results));
      LADE_ASSIGN(PageGate::Trade trade, PageGate::Trade::make(open_.gate, *session, node(), wanted));
      begun = take(trade.begin());
      std::vector<std::int64_t> rows;
      for (const OpenPage& page : begun) rows.push_back(page.row_id);
      std::ranges::sort(rows);
      LADE_TRY(store::begin_attempts(*session, job_, context_.task().lease.task, rows));
      LADE_TRY(tell_retries(*session, results));
      LADE_TRY(transaction.commit());
      trade.commit();
    }
    look_at_ = Clock::now() + kLook;
    if (!begun.empty()) LADE_FAILPOINT("fetch_marked");
    for (OpenPage& page : begun) attempts_.start(std::move(page));
    tell(results);
    if (!results.empty()) LADE_FAILPOINT("fetch_recorded");
    return {};
  }

  Result<void> tell_retries(db::Connection& connection, const std::vector<PageResult>& results) {
    const auto again = std::ranges::count(results, store::page_status::kRetryable, &PageResult::status);
    if (again == 0) return {};
    LADE_TRY(store::append_event(
        connection, {job_, "page_retry_scheduled", "", boost::json::serialize(boost::json::object{{"pages", again}})}));
    return {};
  }

  void tell(const std::vector<PageResult>& results) {
    Progress& progress = desk_.progress();
    for (const PageResult& result : results) {
      if (result.status == store::page_status::kRetryable) continue;
      ++progress.pages_done;
      if (result.status == store::page_status::kFailed) ++progress.pages_failed;
    }
  }

  Result<void> settle() { return desk_.fetching().settle(open_.gate, context_.sessions(), node()); }

  // Somebody wants it to stop: what is under way is broken off, and its next attempt is for whoever comes next.
  Result<void> abandon() {
    is_paused_ = true;
    std::vector<EndedAttempt> ended = attempts_.break_off();
    // Nobody waits for the storage now.
    for (EndedAttempt& attempt : ended)
      if (attempt.outcome && attempt.outcome->not_modified) give_up(attempt, {cancelled(), "cancelled"});
    const std::vector<PageResult> results = results_of(open_, desk_.storage(), ended);
    if (auto published = publish(results); !published && published.error().code != "lease_lost")
      return fail(std::move(published).error());
    return fail(cancelled());
  }

  queue::TaskContext& context_;
  Desk& desk_;
  const std::int64_t job_;
  OpenFetch& open_;
  PageAttempts attempts_;
  std::int64_t first_ = 0, last_ = 0;
  std::vector<Waiting> waiting_;
  Clock::time_point look_at_ = {};
  bool is_paused_ = false;
};

}  // namespace

Result<void> fetch_pages(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  desk.progress().phase = Phase::fetching;
  LADE_ASSIGN(const std::shared_ptr<OpenFetch> open, desk.fetching().open(target.job, [&]() -> Result<FetchedJob> {
    LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire(context.stop()));
    LADE_ASSIGN(const auto record, store::job_with_id(*session, target.job));
    if (!record) return fail("job_not_found", "the job was deleted");
    LADE_ASSIGN(auto definition, definition_of(*session, *record));
    return FetchedJob{record->company, std::move(definition)};
  }));
  return PageGroup(context, desk, target, *open).run();
}

}  // namespace lade::jobs
