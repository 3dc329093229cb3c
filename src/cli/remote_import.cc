#include "cli/remote_import.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "cli/job_view.h"
#include "cli/terminal.h"
#include "definition/parse.h"
#include "jobs/job.h"
#include "jobs/results.h"

namespace lade::cli {
namespace {

using Clock = std::chrono::steady_clock;
using model::JobState;
constexpr std::chrono::milliseconds kInterval{300};

jobs::Phase phase_of(const store::JobRecord& job) {
  switch (job.standing.state) {
    case JobState::waiting_for_upload:
    case JobState::upload_completed:
    case JobState::preparing_data: return jobs::Phase::preparing;
    case JobState::analysing_data: return jobs::Phase::analysing;
    case JobState::waiting_for_review:
    case JobState::approved: return jobs::Phase::waiting;
    case JobState::processing_data: return jobs::Phase::processing;
    case JobState::rejected: return jobs::Phase::finishing;
    case JobState::finished: return jobs::Phase::finished;
  }
  return jobs::Phase::preparing;
}

void tell(const store::JobRecord& job, jobs::Progress& progress) {
  progress.rows_total = job.rows_total.value_or(0);
  progress.rows_analysed = job.standing.outcome ? rows_done(job) : job.rows_analysed;
  progress.rows_loaded = rows_done(job);
  progress.rows_failed = job.rows[model::Outcome::failed];
  progress.phase = phase_of(job);
}

// Whether it failed before anything of it was read: the file or how it fits the database is not acceptable.
bool was_refused(const store::JobRecord& job) {
  return job.standing.outcome == model::JobOutcome::failed && !job.rows_total;
}

}  // namespace

Result<std::unique_ptr<RemoteImporter>> RemoteImporter::open(const std::string& server, const std::string& definition,
                                                             const jobs::ImportOptions& options,
                                                             const CommonOptions& common, const std::stop_token& stop) {
  std::unique_ptr<RemoteImporter> importer(new RemoteImporter(options, common, stop));
  LADE_ASSIGN(importer->site_, open_remote_site(server, common));
  LADE_TRY(importer->choose_definition(definition));
  return importer;
}

Result<std::unique_ptr<RemoteImporter>> RemoteImporter::open(const std::string& server,
                                                             const jobs::ImportOptions& options,
                                                             const CommonOptions& common, const std::stop_token& stop) {
  std::unique_ptr<RemoteImporter> importer(new RemoteImporter(options, common, stop));
  LADE_ASSIGN(importer->site_, open_remote_site(server, common));
  return importer;
}

Result<void> RemoteImporter::choose_definition(const std::string& name) {
  if (!names_file(name)) {
    definition_ = name;
    return {};
  }
  LADE_ASSIGN(const NamedDefinition text, find_definition_text(name, *site_));
  const definition::Parsed parsed = definition::parse_definition(text.text);
  if (!parsed.valid()) return fail(definition_faults(parsed, text.name));
  LADE_ASSIGN(const store::StoredDefinition stored, site_->save_definition(parsed.definition, text.text));
  definition_ = stored.slug;
  version_ = stored.version;
  return {};
}

Result<store::JobRecord> RemoteImporter::send(const std::string& file) {
  UploadLine line(file, common_.output, common_.quiet);
  const auto on_sent = [&](std::uint64_t sent, std::uint64_t total) { line.tell(sent, total); };
  return site_->import({file, definition_, version_, options_, on_sent}, stop_);
}

Result<jobs::SubmittedJob> RemoteImporter::submit(const std::string& file) {
  LADE_ASSIGN(const store::JobRecord job, send(file));
  return jobs::SubmittedJob{job.id, job.uuid, job.slug, std::string(job.status())};
}

Result<store::JobRecord> RemoteImporter::follow(const store::JobRecord& sent) {
  jobs::Progress progress;
  ProgressLine line(progress, common_.output, common_.quiet);
  std::mutex mutex;
  std::condition_variable_any stopped;
  bool cancelling = false;
  for (;;) {
    if (stop_.stop_requested() && !cancelling) {
      cancelling = true;
      if (const auto asked = site_->act({JobAct::cancel, sent.uuid});
          !asked && asked.error().code != "transition_refused")
        return fail(asked.error());
    }
    LADE_ASSIGN(store::JobRecord job, site_->find_job(sent.uuid));
    tell(job, progress);
    if (job.standing.outcome || job.standing.state == JobState::waiting_for_review) return job;
    std::unique_lock lock(mutex);
    // A stop that was heeded would end every wait at once.
    if (cancelling)
      stopped.wait_for(lock, kInterval, [] { return false; });
    else
      stopped.wait_for(lock, stop_, kInterval, [] { return false; });
  }
}

Result<jobs::Summary> RemoteImporter::summary_of(const store::JobRecord& job) {
  jobs::Summary summary;
  summary.job_id = job.uuid;
  summary.definition = job.definition;
  summary.definition_version = job.definition_version;
  summary.file = job.file_name;
  summary.outcome = job.status();
  summary.rows = job.rows;
  summary.rows.read = job.rows_total.value_or(job.rows.read);
  if (job.error_code != "not_conserved") summary.rows.fill_missing();  // then the counts are to be seen as they are
  LADE_ASSIGN(summary.issues, site_->issue_counts(job.uuid));
  if (!job.error.empty()) summary.error = {job.error_code, job.error, job.error_hint};
  if (summary.outcome == "cancelled") summary.error = jobs::cancelled();
  if (!job.results_error.empty())
    summary.error = {"results_missing", "the result files could not be written: " + job.results_error,
                     "lade results JOB --all makes them anew"};
  auto fetched = site_->fetch_results({job.uuid, options_.results_folder});
  jobs::add_result_files(summary, std::move(fetched));
  return summary;
}

Result<jobs::Summary> RemoteImporter::fix(const jobs::FixDemand& demand) {
  const Clock::time_point start = Clock::now();
  LADE_ASSIGN(const store::JobRecord sent, site_->fix(demand, stop_));
  LADE_ASSIGN(const store::JobRecord job, follow(sent));
  LADE_ASSIGN(jobs::Summary summary, summary_of(job));
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return summary;
}

Result<jobs::Summary> RemoteImporter::run(const std::string& file) {
  const Clock::time_point start = Clock::now();
  LADE_ASSIGN(const store::JobRecord sent, send(file));
  LADE_ASSIGN(const store::JobRecord job, follow(sent));
  if (was_refused(job)) return fail(job.error_code, job.error, job.error_hint, ErrorKind::invalid);
  LADE_ASSIGN(jobs::Summary summary, summary_of(job));
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return summary;
}

}  // namespace lade::cli
