#include "jobs/runner.h"

#include <algorithm>

namespace lade::jobs {
namespace {

// Nobody can wake the owner of a SQLite file: it looks more often.
constexpr std::chrono::milliseconds kSqliteBeat{500};

queue::NodeOptions node_options(const RunnerOptions& options, const std::string& storage) {
  queue::Settings settings = options.settings;
  if (db::backend_of(options.here.database) == db::Backend::sqlite)
    settings.beat = std::min(settings.beat, kSqliteBeat);
  return {.boot = options.boot,
          .name = options.name,
          .storage = storage,
          .queue = options.queue,
          .group = options.job,
          .settings = settings,
          .report = options.report};
}

// Sessions that handlers borrow, and one for whoever watches.
std::size_t pool_size(const RunnerOptions& options) {
  return db::backend_of(options.here.database) == db::Backend::sqlite ? 1 : options.settings.concurrency + 2;
}

}  // namespace

Runner::Runner(RunnerOptions options, db::Ownership ownership, std::unique_ptr<storage::Storage> storage)
    : ownership_(std::move(ownership)),
      storage_(std::move(storage)),
      sessions_(options.here.database, pool_size(options)),
      desk_(options.here, *storage_, sessions_, options.progress != nullptr ? *options.progress : progress_),
      node_(std::make_unique<queue::Node>(sessions_, node_options(options, storage_->id()))) {
  if (options.here.mirror)
    show_ = std::make_unique<ProgressShow>(*options.here.mirror, options.here.database, desk_.active());
  handle_tasks(*node_, desk_);
  webhooks::handle_deliveries(*node_, options.deliveries);
}

Result<void> Runner::start() {
  {
    LADE_ASSIGN(const db::Pool::Lease session, sessions_.acquire());
    if (session->backend() == db::Backend::sqlite) {
      // In a write-ahead log a commit need not wait for the disk: what was committed stays whole and in order, and the
      // end of a job, which waits, makes all before it durable too.
      LADE_ASSIGN(const auto mode, session->query("PRAGMA main.journal_mode"));
      if (std::get<std::string>(mode.front().front()) == "wal") LADE_TRY(session->run("PRAGMA synchronous = NORMAL"));
    }
  }
  return node_->start();
}

}  // namespace lade::jobs
