#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "db/connection.h"
#include "harvest/rate_gate.h"
#include "queue/rate_limits.h"

namespace lade::jobs {

struct PageLimits {
  queue::RateLimit host;
  queue::RateLimit company;  // what the definition wants in all
  queue::RateLimit total;    // what the operator allows in all
};

// The gate of one job's fetcher in this process. All nodes share the limits, which are kept in the database
// (queue/rate_limits.h); the fetcher's thread cannot wait for that. So tasks buy permits, in the transactions in which
// they mark pages, and the gate lets requests through that are paid for. Robots.txt and redirects use up permits that
// were bought for pages; the next transaction buys the missing ones. Any thread.
class PageGate final : public harvest::RateGate {
 public:
  using Clock = std::chrono::steady_clock;
  PageGate(PageLimits limits, std::int64_t company) : limits_(limits), company_(company) {}

  harvest::Permit ask(const std::string& host) override;
  void release(const std::string& host) override;
  void hold(const std::string& host, std::chrono::milliseconds pause) override;

  // A task's part, in its transaction: gives back what is used up, buys what is wanted. `due`: pages that could be
  // fetched now, by host; gives how many of each may begin. They count as bought only when commit() is called.
  class Trade {
   public:
    // Fails as the database does.
    // One at a time in a process: those of one node lock the same rows, and would wait for one another anyway.
    static Result<Trade> make(PageGate& gate, db::Connection& connection, const std::string& node,
                              const std::map<std::string, std::int64_t>& due);
    Trade(Trade&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)),
          spent_(std::move(other.spent_)),
          holds_(std::move(other.holds_)),
          missing_(std::move(other.missing_)),
          begin_(std::move(other.begin_)),
          extra_(std::move(other.extra_)),
          ask_at_(std::move(other.ask_at_)),
          ask_all_at_(other.ask_all_at_) {}
    ~Trade();
    Trade& operator=(Trade&&) = delete;
    const std::map<std::string, std::int64_t>& begin() const { return begin_; }
    // The transaction is committed.
    void commit();

   private:
    explicit Trade(PageGate& gate) : gate_(&gate) {}
    Result<void> give_back(db::Connection& connection, const std::string& node);
    Result<std::int64_t> buy_in_all(db::Connection& connection, const std::string& node, std::int64_t wanted);
    Result<void> buy(db::Connection& connection, const std::string& node,
                     const std::map<std::string, std::int64_t>& due);

    PageGate* gate_;                             // null once it is committed
    std::map<std::string, std::int64_t> spent_;  // released and surplus permits, by host
    std::map<std::string, std::chrono::milliseconds> holds_;
    std::map<std::string, std::int64_t> missing_;  // wanted by requests beyond the pages
    std::map<std::string, std::int64_t> begin_, extra_;
    std::map<std::string, Clock::time_point> ask_at_;
    Clock::time_point ask_all_at_ = {};
  };

  // A page of the host is under way, or has ended.
  void page_began(const std::string& host);
  void page_ended(const std::string& host);
  // Whether something is to be given back or bought for requests under way.
  bool has_business() const;
  // When a page of the host could begin at the earliest, as far as is known.
  Clock::time_point next(const std::string& host) const;

 private:
  struct Host {
    std::int64_t bought = 0;    // permits nobody uses yet
    std::int64_t used = 0;      // requests under way
    std::int64_t released = 0;  // to be given back
    std::int64_t pages = 0;     // under way
    bool is_wanted = false;     // a request under way waits for a permit
    Clock::time_point bought_at = {};
    Clock::time_point ask_at = {};
    std::chrono::milliseconds hold{0};
  };
  std::int64_t surplus(const Host& host, Clock::time_point now) const;
  std::int64_t missing(const Host& host, Clock::time_point now) const;

  const PageLimits limits_;
  const std::int64_t company_;
  mutable std::mutex mutex_;
  std::map<std::string, Host> hosts_;               // guarded by mutex_, as the next ones
  std::int64_t pages_ = 0, used_ = 0, bought_ = 0;  // of all hosts
  Clock::time_point ask_all_at_ = {};
};

// The names of the buckets.
std::string host_bucket(const std::string& host);
std::string company_bucket(std::int64_t company);
std::string total_bucket();

}  // namespace lade::jobs
