#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "accounts/passwords.h"
#include "accounts/principal.h"
#include "api/event_hub.h"
#include "api/metrics.h"
#include "api/overview.h"
#include "api/topic_hub.h"
#include "db/pool.h"
#include "jobs/grid.h"
#include "jobs/work.h"
#include "mirror/mirror.h"
#include "storage/storage.h"

namespace lade::api {

struct ServiceOptions {
  jobs::WorkOptions work;  // database, data folder, queue
  bool works = true;       // also runs tasks; otherwise other processes do
  std::uint64_t most_upload_bytes = 10'000'000'000;
  std::size_t sessions = 8;                 // with the database
  std::chrono::seconds link_expires{3600};  // addresses of files in a bucket
  // Files that lie on the server, in a folder for each company's slug; and which definitions they follow by their
  // names.
  std::filesystem::path import_folder;  // default: data/incoming
  std::filesystem::path manifest;       // default: data/import-manifest.json
};

// What all requests of a process share. Thread-safe.
class Service {
 public:
  static Result<std::unique_ptr<Service>> start(const ServiceOptions& options, const std::stop_token& stop);
  ~Service();

  // A session that reads; nothing that loads is held up by it.
  Result<db::Pool::Lease> reading() { return reading_.acquire(); }
  // A session that may write. On SQLite there is one in the process, which loading needs too: to be kept for short.
  Result<db::Pool::Lease> writing() { return works_ ? works_->sessions().acquire() : writing_.acquire(); }
  // Somebody's session or token was used: that is recorded beside the request, which must not wait for who is writing.
  void note_use(const accounts::Principal& principal);
  // Something was put into the queue, or somebody has acted on a job: nodes in this process look at once.
  void stir();
  // Ends all streams of events; nothing more is told.
  void stop_events();

  const ServiceOptions& options() const { return options_; }
  const jobs::ImportOptions& here() const { return options_.work.here; }
  const storage::Storage& storage() const { return *storage_; }
  accounts::PasswordHasher& passwords() { return passwords_; }
  EventHub& events() { return events_; }
  // Rows of jobs that somebody looks at.
  jobs::Grids& grids() { return grids_; }
  Overview& overview() { return overview_; }
  TopicHub& topics() { return topics_; }
  // What a Redis shows of how far jobs are; null when none is named.
  mirror::Reader* mirror() { return mirror_.get(); }
  Metrics& metrics() { return metrics_; }
  // Null when this process runs no tasks.
  const queue::Node* node() const { return works_ ? &works_->node() : nullptr; }

 private:
  Service(const ServiceOptions& options, std::unique_ptr<storage::Storage> storage, std::unique_ptr<jobs::Works> works);

  // Records what was used, and forgets sessions that are over and keys that are old, now and then.
  void tidy(const std::stop_token& stop);

  const ServiceOptions options_;
  const std::unique_ptr<storage::Storage> storage_;
  std::unique_ptr<jobs::Works> works_;
  db::Pool reading_;
  db::Pool writing_;
  accounts::PasswordHasher passwords_;
  EventHub events_;
  jobs::Grids grids_;
  Overview overview_;
  TopicHub topics_;
  Metrics metrics_;
  std::unique_ptr<mirror::Reader> mirror_;
  std::mutex uses_mutex_;  // guards uses_
  std::condition_variable_any used_;
  std::map<std::pair<std::string, std::int64_t>, accounts::Principal> uses_;  // by kind and id of the credential
  std::jthread working_;
  std::jthread tidying_;
};

}  // namespace lade::api
