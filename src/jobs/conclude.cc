#include "jobs/conclude.h"

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <utility>

#include "base/failpoint.h"
#include "base/id.h"
#include "base/log.h"
#include "db/durably.h"
#include "db/values.h"
#include "jobs/arm.h"
#include "jobs/hand_over.h"
#include "jobs/results.h"
#include "jobs/versions.h"
#include "queue/dead_letters.h"
#include "queue/stage.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/job_list.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using model::Outcome;

constexpr std::int64_t kBucketsAtOnce = 16;
constexpr std::size_t kMergeBytes = 1024 * 1024;
constexpr std::string_view kStages[] = {kAnalyseTask, kSettleTask, kProcessTask, kOrphansTask};

// What was committed, added up anew.
struct Ledger {
  explicit Ledger(const Job& job)
      : findings(*job.area), untold(job.plan.chunks(), Outcome::unprocessed), done(job.plan.parts() + 1, false) {
    counts.read = job.plan.split.rows;
  }
  model::RowCounts counts;
  staging::IssueCounts issues;
  staging::IssueLog findings;
  std::vector<Outcome> untold;  // by chunk
  std::vector<bool> done;       // by bucket; the last is what is said about a set
  std::vector<std::unique_ptr<staging::SegmentFile>> segments;
  std::shared_ptr<const Corrections> corrections;      // null: there are none
  std::optional<Error> damage;                         // findings that cannot be read: there will be no result files
  std::map<std::string, std::int64_t> results_before;  // by purpose: how many files earlier ends of the job had
};

// Adds what one bucket's task has published.
Result<void> add_bucket(const Job& job, const store::BucketOutcomes& outcomes, Ledger& ledger) {
  ledger.done[static_cast<std::size_t>(outcomes.bucket)] = true;
  ledger.counts += outcomes.counts;
  add_counts(ledger.issues, outcomes.issues);
  LADE_TRY(staging::unpack(outcomes.findings, ledger.findings));
  if (outcomes.counts[Outcome::unprocessed] == 0 || job.options.results != Results::all) return {};
  staging::IssueWriter unprocessed(ledger.findings);
  LADE_TRY(store::for_each_outcome(outcomes.packed, [&](const store::RowOutcome& row) -> Result<void> {
    if (row.outcome != Outcome::unprocessed) return {};
    return unprocessed.add({{row.row_id, 0, 0}, row.outcome, {}});
  }));
  return unprocessed.publish(ledger.issues);
}

// What their tasks have said, whether or not their findings can be read.
void count_chunks(std::span<const store::SegmentRecord> records, Ledger& ledger) {
  for (const store::SegmentRecord& record : records) {
    ledger.untold[static_cast<std::size_t>(record.chunk)] = Outcome::unchanged;
    ledger.counts[Outcome::failed] += record.failed_rows;
    add_counts(ledger.issues, record.issues);
  }
}

Result<void> add_findings(const OpenJob& open, std::span<const store::SegmentRecord> records, Ledger& ledger) {
  for (const store::SegmentRecord& record : records) {
    LADE_ASSIGN(auto segment,
                staging::SegmentFile::open(open.storage, record.file_uuid, static_cast<std::uint64_t>(record.bytes)));
    LADE_ASSIGN(staging::Range range, segment->finding_range());
    if (ledger.corrections) range.left_out = &ledger.corrections->rows();
    ledger.findings.add_range(range);
    ledger.segments.push_back(std::move(segment));
  }
  if (!ledger.corrections) return {};
  staging::IssueWriter corrected(ledger.findings);
  LADE_TRY(ledger.corrections->write_findings(corrected));
  staging::IssueCounts counted;  // with their chunks
  return corrected.publish(counted);
}

// The rows of buckets that nobody has loaded, one by one, for the file of unprocessed rows.
Result<void> list_unreached(const Job& job, Ledger& ledger) {
  staging::IssueWriter unprocessed(ledger.findings);
  for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
    if (ledger.done[bucket]) continue;
    std::vector<staging::Range> ranges;
    for (const auto& segment : ledger.segments) {
      LADE_ASSIGN(staging::Range range, segment->bucket(bucket));
      if (ledger.corrections) range.left_out = &ledger.corrections->rows();
      ranges.push_back(range);
    }
    if (ledger.corrections) ranges.push_back(ledger.corrections->bucket(bucket));
    staging::Merge merge(job.area->file(), ranges, kMergeBytes);
    staging::Record record;
    for (;;) {
      LADE_ASSIGN(const bool more, merge.next(record));
      if (!more) break;
      std::string_view tuple;
      staging::read_row(record, tuple);
      if (tuple.empty()) continue;  // stands for a failed row
      LADE_TRY(unprocessed.add({{record.row_id, 0, 0}, Outcome::unprocessed, {}}));
    }
  }
  return unprocessed.publish(ledger.issues);
}

Result<void> read_ledger(OpenJob& open, db::Connection& connection, Ledger& ledger) {
  const Job& job = *open.job;
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  LADE_ASSIGN(ledger.corrections, Corrections::read(connection, job.id, job.plan.splitters));
  count_chunks(segments, ledger);
  if (auto added = add_findings(open, segments, ledger); !added) ledger.damage = std::move(added).error();
  const auto buckets = static_cast<std::int64_t>(job.plan.parts()) + 1;
  for (std::int64_t first = 0; first < buckets; first += kBucketsAtOnce) {
    LADE_ASSIGN(const auto outcomes, store::outcomes_of(connection, job.id, first, first + kBucketsAtOnce - 1));
    for (const store::BucketOutcomes& bucket : outcomes) LADE_TRY(add_bucket(job, bucket, ledger));
  }
  if (job.options.results == Results::all && !ledger.damage)
    if (auto listed = list_unreached(job, ledger); !listed) ledger.damage = std::move(listed).error();
  for (const char* purpose : {"failed", "succeeded", "unprocessed"}) {
    LADE_ASSIGN(ledger.results_before[purpose], store::count_results(connection, job.id, purpose));
  }
  return {};
}

// A result file on its way into the storage.
class StoredResult final : public ResultSink {
 public:
  StoredResult(const storage::Storage& storage, const Job& job, const Ledger& ledger, std::string purpose)
      : storage_(storage), job_(job), purpose_(std::move(purpose)), name_(result_name(job, purpose_)) {
    const auto earlier = ledger.results_before.find(purpose_);
    const std::int64_t number = earlier == ledger.results_before.end() ? 0 : earlier->second;
    path_ = fmt::format("{}{}/{}{}", job.options.results_path, job.uuid,
                        number == 0 ? std::string() : fmt::format("{}/", number), name_);
  }
  Result<ByteSink*> open() override {
    LADE_ASSIGN(storage::Upload upload, storage_.begin({.path = path_}));
    upload_ = std::make_unique<storage::Upload>(std::move(upload));
    return upload_.get();
  }
  // The record of the finished file; nullopt when there was no row.
  Result<std::optional<store::FileRecord>> finish() {
    if (!upload_) return std::nullopt;
    LADE_ASSIGN(const storage::StoredFile file, upload_->finish());
    return store::FileRecord{.uuid = new_uuid(),
                             .storage = storage_.id(),
                             .name = name_,
                             .bytes = static_cast<std::int64_t>(file.bytes),
                             .sha256 = file.sha256,
                             .purpose = purpose_,
                             .company = job_.options.company,
                             .job = job_.id,
                             .path = file.id};
  }

 private:
  const storage::Storage& storage_;
  const Job& job_;
  const std::string purpose_, name_;
  std::string path_;
  std::unique_ptr<storage::Upload> upload_;
};

// All of them, or an error: then those that are there already have no record and go with the next tidying up. They are
// not removed here, for another attempt at the job's end may have published the same ones.
Result<std::vector<store::FileRecord>> finish_results(std::initializer_list<StoredResult*> results) {
  std::vector<store::FileRecord> files;
  for (StoredResult* result : results) {
    LADE_ASSIGN(auto file, result->finish());
    if (file) files.push_back(std::move(*file));
  }
  return files;
}

Result<std::vector<store::FileRecord>> store_results(const OpenJob& open, const Ledger& ledger) {
  const Job& job = *open.job;
  if (!job.options.store_results) return std::vector<store::FileRecord>();
  if (ledger.damage) return fail(*ledger.damage);
  LADE_FAILPOINT("results");
  StoredResult failed(open.storage, job, ledger, "failed"), succeeded(open.storage, job, ledger, "succeeded"),
      unprocessed(open.storage, job, ledger, "unprocessed");
  LADE_TRY(
      write_results(job, {ledger.findings, ledger.untold, ledger.corrections.get()}, {failed, succeeded, unprocessed}));
  return finish_results({&failed, &succeeded, &unprocessed});
}

// How the job ends. Only where it has not come to its end may rows be without an outcome.
Result<store::JobChange> change_of(db::Connection& connection, const Job& job, Ledger& ledger,
                                   std::optional<Error> error) {
  LADE_ASSIGN(const auto record, store::job_with_id(connection, job.id));
  if (!record) return fail("job_not_found", "the job was deleted");
  const bool unfinished = ledger.counts[Outcome::unprocessed] + ledger.counts.missing() > 0;
  const std::int64_t removed = std::exchange(ledger.counts.removed, 0);  // from a set, if the job succeeds
  const auto stopped = [&](JobEvent event) {
    ledger.counts.fill_missing();
    return store::JobChange{.event = event};
  };
  if (record->standing.state == model::JobState::rejected) return stopped(JobEvent::completed);
  // A version that was built aside is not to be seen any more, even if all of it is there.
  const definition::WholeSet* set = job.definition().set();
  const bool unseen = set != nullptr && set->version.has_value();
  if (!error && record->cancel_requested && (unfinished || unseen)) return stopped(JobEvent::cancelled);
  if (!error) error = too_many_errors(job.definition(), ledger.counts[Outcome::failed], ledger.counts.read);
  if (!error) {
    LADE_ASSIGN(error, death_of_task(connection, job.uuid, kStages));
  }
  if (error) {
    ledger.counts.fill_missing();
  } else if (auto conserved = ledger.counts.check_conserved(); !conserved) {
    error = conserved.error();
  }
  if (!error) ledger.counts.removed = removed;
  if (!error) return store::JobChange{.event = JobEvent::completed};
  return store::JobChange{
      .event = JobEvent::failed, .error_code = error->code, .error = error->message, .error_hint = error->hint};
}

// Before the end is stored: a process that dies in between tells it again.
Result<void> tell_end(Worker& worker, const Job& job, Ledger& ledger, const std::optional<Error>& error) {
  store::JobChange change;
  {
    LADE_ASSIGN(const Worker::Session session, worker.session({}));
    if (!queue::find_stage(*session, job.uuid, std::string(kProcessTask))) return {};  // nor was it told of a begin
    LADE_ASSIGN(change, change_of(*session, job, ledger, error));
  }
  const std::string_view status = change.event == JobEvent::completed   ? "succeeded"
                                  : change.event == JobEvent::cancelled ? "cancelled"
                                                                        : "failed";
  tell_end(job, status, ledger.counts);
  return {};
}

// Its bytes go with the next tidying up.
Result<void> forget_file(db::Connection& connection, std::int64_t job) {
  LADE_ASSIGN(const auto record, store::job_with_id(connection, job));
  LADE_ASSIGN(const bool in_use, store::is_file_in_use(connection, record->file_id));
  return in_use ? Result<void>() : store::mark_file_removed(connection, record->file_id);
}

// Those of an earlier end of the job do not hold any more: they are given to `orphans`.
Result<void> replace_results(db::Connection& connection, std::int64_t job,
                             const Result<std::vector<store::FileRecord>>& files, std::vector<std::string>& orphans) {
  LADE_ASSIGN(const auto before, store::results_of(connection, job));
  for (const store::FileRecord& file : before) {
    LADE_TRY(store::mark_file_removed(connection, file.id));
    orphans.push_back(file.stored_as());
  }
  if (files)
    for (const store::FileRecord& file : *files) LADE_TRY(store::create_file(connection, file));
  return {};
}

Result<std::vector<std::string>> publish_end(queue::TaskContext& context, const Job& job, db::Connection& connection,
                                             Ledger& ledger, Result<std::vector<store::FileRecord>> files,
                                             std::optional<Error> error) {
  LADE_ASSIGN(queue::Publication publication, context.publish(connection));
  LADE_FAILPOINT("conclude");
  LADE_ASSIGN(const store::JobChange change, change_of(connection, job, ledger, std::move(error)));
  LADE_TRY(store::save_bill(connection, job.id,
                            {ledger.counts, to_text(ledger.issues), files ? std::string() : files.error().message}));
  std::vector<std::string> orphans;
  LADE_TRY(replace_results(connection, job.id, files, orphans));
  LADE_ASSIGN(const model::JobStanding standing, store::change_job(connection, job.id, change));
  if (standing.outcome == model::JobOutcome::succeeded)
    LADE_TRY(publish_version(connection, job, ledger.counts.accounted() - ledger.counts[Outcome::skipped]));
  // What failed or was cancelled may be tried again, from its segments; failed rows may be fixed.
  if (standing.outcome == model::JobOutcome::succeeded) {
    if (ledger.counts[Outcome::failed] == 0) {
      LADE_ASSIGN(const auto segments, store::forget_segments(connection, job.id));
      orphans.insert(orphans.end(), segments.begin(), segments.end());
    }
    if (job.options.delete_file) LADE_TRY(forget_file(connection, job.id));
  }
  LADE_TRY(publication.commit());
  return orphans;
}

}  // namespace

Result<std::optional<Error>> death_of_task(db::Connection& connection, const std::string& group,
                                           std::span<const std::string_view> stages) {
  for (const std::string_view stage : stages) {
    const auto found = queue::find_stage(connection, group, std::string(stage));
    if (!found || found->failed == 0) continue;
    LADE_ASSIGN(const auto letters, queue::dead_letters(connection, group, 1));
    if (letters.empty()) return Error{"task_failed", "a task of the job was given up"};
    return Error{letters.front().reason, letters.front().message, "lade jobs retry tries again only what failed"};
  }
  return std::nullopt;
}

Result<void> conclude(queue::TaskContext& context, OpenJob& open, Worker& worker, std::optional<Error> error) {
  const Job& job = *open.job;
  Ledger ledger(job);
  {
    LADE_ASSIGN(const Worker::Session session, worker.session({}));
    LADE_TRY(read_ledger(open, *session, ledger));
  }
  if (!job.options.issues_file.empty()) LADE_TRY(write_issue_file(job.options.issues_file, ledger.findings));
  auto files = store_results(open, ledger);
  if (job.handler) LADE_TRY(tell_end(worker, job, ledger, error));
  LADE_ASSIGN(const Worker::Session session, worker.session({}));
  std::vector<std::string> orphans;
  {
    // Somebody will be told that the job has ended.
    const db::Durably durably(*session);
    LADE_ASSIGN(orphans, publish_end(context, job, *session, ledger, std::move(files), std::move(error)));
  }
  for (const std::string& id : orphans) (void)open.storage.remove(id);
  log(LogLevel::info, "job_finished",
      {{"job", job.uuid},
       {"company", std::to_string(job.options.company)},
       {"read", std::to_string(ledger.counts.read)},
       {"inserted", std::to_string(ledger.counts[Outcome::inserted])},
       {"updated", std::to_string(ledger.counts[Outcome::updated])},
       {"unchanged", std::to_string(ledger.counts[Outcome::unchanged])},
       {"failed", std::to_string(ledger.counts[Outcome::failed])},
       {"unprocessed", std::to_string(ledger.counts[Outcome::unprocessed])}});
  return {};
}

}  // namespace lade::jobs
