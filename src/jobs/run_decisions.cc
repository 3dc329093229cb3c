#include "jobs/run_decisions.h"

#include "base/id.h"
#include "jobs/job.h"
#include "jobs/one_shot.h"
#include "jobs/resend.h"
#include "jobs/stored_job.h"
#include "queue/rescue.h"
#include "store/schema.h"

namespace lade::jobs {
namespace {

// What it takes to work on a database alone.
struct Place {
  db::Ownership ownership;
  std::unique_ptr<db::Connection> session;
  std::unique_ptr<storage::Storage> storage;
};

Result<Place> take_place(const ImportOptions& options, const std::stop_token& stop) {
  LADE_ASSIGN(db::Ownership ownership, db::Ownership::take(options.database, kPatience, stop));
  LADE_ASSIGN(auto session, db::connect(options.database));
  LADE_TRY(store::migrate(*session));
  LADE_ASSIGN(std::unique_ptr<storage::Storage> storage, open_storage(options));
  return Place{std::move(ownership), std::move(session), std::move(storage)};
}

Result<SentJob> send_into(std::int64_t id, const ImportOptions& here, Progress& progress, const std::stop_token& stop) {
  ImportOptions options = here;
  const std::string boot = new_uuid();
  options.database = queue::session_url(options.database, boot);
  LADE_ASSIGN(Place place, take_place(options, stop));
  LADE_ASSIGN(const Resent resent, send_rows(*place.session, {*place.storage, options}, id));
  LADE_ASSIGN(const store::JobRecord job, require_job(*place.session, std::to_string(id), options.company));
  SentJob sent{job.slug, resent.rows, std::string(job.status()), resent.error};
  if (resent.what == Resent::What::not_at_rest) {
    LADE_ASSIGN(const std::string queue, queue_of(*place.session, job));
    LADE_TRY(send_later(*place.session, {id, job.company, place.storage->id(), queue}));
  }
  if (resent.what != Resent::What::sent || job.standing.state == model::JobState::waiting_for_review) return sent;
  RunnerOptions runs{.here = options, .boot = boot, .name = "lade review", .job = job.uuid};
  runs.settings.concurrency = options.workers;
  runs.settings.retry.base = std::chrono::milliseconds(100);
  runs.progress = &progress;
  Runner runner(std::move(runs), std::move(place.ownership), std::move(place.storage));
  runner.sessions().add(std::move(place.session));
  LADE_TRY(runner.start());
  LADE_ASSIGN(const store::JobRecord ended, wait_for_end(runner, {.id = id, .uuid = job.uuid}, options.user, stop));
  sent.status = ended.status();
  sent.error = ended.error;
  return sent;
}

}  // namespace

Result<std::vector<SentJob>> run_decisions(const Deciding& deciding, ImportOptions options, Progress& progress,
                                           std::stop_token stop) {
  LADE_TRY(options.validate());
  std::vector<std::int64_t> jobs;
  {
    LADE_ASSIGN(const Place place, take_place(options, stop));
    LADE_ASSIGN(jobs, deciding(*place.session, {options.user, options.company, place.storage->id(), false}));
  }
  std::vector<SentJob> sent;
  for (const std::int64_t job : jobs) {
    LADE_ASSIGN(SentJob one, send_into(job, options, progress, stop));
    sent.push_back(std::move(one));
  }
  return sent;
}

}  // namespace lade::jobs
