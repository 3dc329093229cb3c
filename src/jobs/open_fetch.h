#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "db/pool.h"
#include "harvest/extractor.h"
#include "harvest/fetcher.h"
#include "jobs/harvest_options.h"
#include "jobs/page_gate.h"
#include "steps/fetch_rules.h"

namespace lade::jobs {

struct FetchedJob {
  std::int64_t company = 0;
  definition::Definition definition;
};

// A job whose pages this process fetches: its rules, and the fetcher that all its tasks here share.
struct OpenFetch {
  // Fails with harvest_allow_invalid, with robots_required when the definition ignores robots.txt and the operator does
  // not allow that, and as Extractor::compile() does.
  static Result<std::shared_ptr<OpenFetch>> open(const FetchedJob& job, const HarvestOptions& options);
  OpenFetch(std::int64_t its_company, steps::PageRules its_rules, const HarvestOptions& options,
            std::optional<harvest::Extractor> its_extractor);

  const steps::PageRules rules;
  const std::int64_t most_attempts;
  const std::chrono::milliseconds backoff;
  const std::size_t most_under_way;  // pages of one task
  const std::int64_t held_bytes;     // of theirs
  const std::optional<harvest::Extractor> extractor;
  PageGate gate;
  std::unique_ptr<harvest::Fetcher> fetcher;  // last: uses the gate
};

// The jobs whose pages this process fetches. Thread-safe.
class FetchDesk {
 public:
  explicit FetchDesk(const HarvestOptions& options) : options_(options) {}
  // Opened when it is not yet; `read` gives the job's definition then.
  Result<std::shared_ptr<OpenFetch>> open(std::int64_t job, const std::function<Result<FetchedJob>()>& read);
  // Gives back the permits that were bought for the job and are not used, and forgets it.
  Result<void> close(std::int64_t job, db::Pool& sessions, const std::string& node);
  // Gives back what was bought and is not used.
  Result<void> settle(PageGate& gate, db::Pool& sessions, const std::string& node);
  // Held from PageGate::Trade::make() to the end of its transaction.
  std::mutex& trading() { return trading_; }
  const HarvestOptions& options() const { return options_; }

 private:
  const HarvestOptions& options_;
  std::mutex trading_;
  std::mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<OpenFetch>> open_;  // guarded by mutex_; shared with running tasks
};

}  // namespace lade::jobs
