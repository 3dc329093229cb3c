#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "mirror/job_progress.h"
#include "mirror/link.h"

// A Redis that shows how far jobs are, for applications that look there: the key import:progress:{job} for a day.
// docs/progress-mirror.md says who writes what. It is never needed: what it shows is also in the database.
namespace lade::mirror {

std::string key_of(const std::string& job);

// Owned by one thread.
class Writer {
 public:
  explicit Writer(Options options) : link_(std::move(options)) {}
  bool ready() const { return link_.ready(); }

  // Shows it, unless what is shown already is further: of a later attempt, finished, or with more rows. What ends an
  // attempt is always shown. Whatever else is at the key is replaced. Gives whether it is shown; fails as
  // Link::ask().
  Result<bool> write(const std::string& job, const JobProgress& progress);

 private:
  Link link_;
};

// Thread-safe. A Redis that does not answer costs one of its callers at a time a moment, then nobody for a while.
class Reader {
 public:
  explicit Reader(Options options) : link_(std::move(options)) {}

  // nullopt: nothing is shown, or nothing that could be used, or Redis cannot be reached.
  std::optional<JobProgress> read(const std::string& job);

 private:
  std::timed_mutex mutex_;
  Link link_;  // guarded by mutex_
};

}  // namespace lade::mirror
