#include "jobs/import.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cctype>
#include <chrono>
#include <thread>

#include "base/id.h"
#include "jobs/expand.h"
#include "jobs/manifest.h"
#include "jobs/one_shot.h"
#include "jobs/open_fetch.h"
#include "jobs/rehearse.h"
#include "jobs/submit.h"
#include "queue/rescue.h"
#include "storage/bucket.h"
#include "storage/folder.h"
#include "store/schema.h"

namespace lade::jobs {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// Places for results that cannot be written are refused now rather than when the rows are in.
Result<void> prepare_results(const ImportOptions& options) {
  if (!options.issues_file.empty()) LADE_TRY(File::create(options.issues_file));
  if (options.results == Results::none || !(options.store_results || options.dry_run)) return {};
  return create_folder(options.results_folder, Error{"results_folder", "cannot create the folder",
                                                     "name another one with --results-dir", ErrorKind::invalid});
}

// lade's own tables are brought up to date only for a file that fits. Nothing is promised to anybody before the job's
// end, whose commit makes all before it durable: the others need not wait for the disk.
Result<void> prepare_database(db::Connection& connection) {
  LADE_TRY(store::migrate(connection));
  if (connection.backend() == db::Backend::sqlite) return {};
  return connection.run("SET synchronous_commit = off");
}

// What is read from a pipe is kept in the storage, as are the records of what cannot be read in place: an import that
// is cut off can go on from there.
Result<Submission> submission_of(const std::string& path, source::Input& input, const storage::Storage& storage,
                                 bool with_records = true) {
  const File& original = input.original.is_open() ? input.original : input.file;
  Submission file{.name = input.name};
  LADE_ASSIGN(file.bytes, original.size());
  if (std::filesystem::is_regular_file(path)) {
    LADE_ASSIGN(file.local, local_file(path));
  } else {
    FileRange all(original, 0, file.bytes);
    LADE_ASSIGN(file.stored, storage.store(all));
  }
  if (with_records) {
    LADE_ASSIGN(file.records, keep_records(input, storage));
  }
  return file;
}

// How the file's columns fit the definition.
void note_columns(const Job& job, Summary& summary) {
  summary.unmapped_columns = job.program->unmapped;
  summary.absent_columns = job.program->absent;
  for (const analysis::EntryProgram& entry : job.program->entries)
    if (entry.journal_key().empty() && !entry.table.name.empty()) summary.keyless_tables.push_back(entry.table.name);
  for (const definition::KnownMatch& match : job.plan.matches)
    summary.remembered_columns.push_back(fmt::format("{}={}", match.source_column, match.data_column));
}

// An import of one file by this process alone.
class OneShot {
 public:
  OneShot(const definition::Definition& definition, const std::string& text, ImportOptions options, Progress& progress,
          std::stop_token stop)
      : definition_(definition),
        text_(text),
        progress_(progress),
        stop_(std::move(stop)),
        options_(std::move(options)) {
    options_.database = queue::session_url(options_.database, boot_);
  }

  // `asked` is the definition with what the request says about the file.
  Result<Summary> run(const std::string& path, const definition::Definition& asked, std::unique_ptr<Job> job) {
    LADE_ASSIGN(db::Ownership ownership, db::Ownership::take(options_.database, kPatience, stop_));
    job->options.database = options_.database;
    // Pages are fetched before there is anything to plan: that is a task, too.
    const bool fetches = steps::fetches_pages(asked);
    auto session = fetches ? check_pages(*job, asked) : plan_job(*job, asked, stop_, prepare_database);
    if (!session) return fail(std::move(session).error().within(job->input.name));
    if (!fetches) note_columns(*job, noted_);
    LADE_ASSIGN(std::unique_ptr<storage::Storage> storage, open_storage(options_));
    LADE_ASSIGN(const Submission file, submission_of(path, job->input, *storage, !fetches));
    const NewImport import{definition_, text_, options_, file, *storage, job->uuid, options_.force};
    LADE_ASSIGN(const bool is_planned, submit_or_resume(**session, import, *job, fetches));
    Runner runner(runner_options(), std::move(ownership), std::move(storage));
    runner.sessions().add(std::move(*session));
    if (is_planned) runner.desk().put(std::move(job));
    LADE_TRY(runner.start());
    progress_.rows_total = rows_total_;
    progress_.phase = fetches ? Phase::fetching : Phase::analysing;
    LADE_ASSIGN(const store::JobRecord record, wait_for_end(runner, group_, options_.user, stop_));
    noted_.resumed = resumed_;
    return summary_of(runner, record, options_.results_folder, std::move(noted_));
  }

 private:
  RunnerOptions runner_options() const {
    RunnerOptions runner{.here = options_, .boot = boot_, .name = "lade import", .job = group_.uuid};
    runner.settings.concurrency = options_.workers;
    runner.settings.retry.base = std::chrono::milliseconds(100);
    runner.progress = &progress_;
    return runner;
  }

  // What does not fit is refused before there is a job.
  Result<std::unique_ptr<db::Connection>> check_pages(const Job& job, const definition::Definition& asked) {
    LADE_ASSIGN(const Manifest manifest, read_manifest(job.input, asked));
    LADE_ASSIGN(auto session, db::connect(options_.database));
    LADE_TRY(OpenFetch::open({options_.company, asked}, options_.harvest));
    LADE_TRY(prepare_database(*session));
    LADE_ASSIGN(const definition::Definition whole, expanded(asked, *session, options_));
    LADE_TRY(check_binding(job, whole, record_header(manifest, steps::page_rules(asked)), *session));
    return session;
  }

  // Makes the job; or, when a process that has died left the same one unfinished, goes on with that. Gives whether it
  // is this very job and planned.
  Result<bool> submit_or_resume(db::Connection& connection, const NewImport& import, Job& job, bool fetches) {
    rows_total_ = job.plan.split.rows;
    auto submitted = fetches ? submit(connection, import, boot_) : submit_planned(connection, import, job.plan, boot_);
    if (submitted) {
      group_ = *submitted;
      job.id = group_.id;
      return !fetches;
    }
    if (submitted.error().code != "job_exists") return fail(std::move(submitted).error());
    LADE_ASSIGN(const std::string hash, twin_hash(connection, import));
    LADE_ASSIGN(const auto twin, store::find_twin(connection, hash, std::nullopt));
    if (!twin) return fail(std::move(submitted).error());
    LADE_ASSIGN(const bool taken, take_over(connection, twin->uuid, boot_));
    if (!taken) return fail(std::move(submitted).error());
    group_ = {twin->id, twin->uuid, import.storage.id()};
    progress_.rows_analysed = twin->rows_analysed;
    progress_.rows_failed = twin->rows[model::Outcome::failed];
    resumed_ = true;
    return false;
  }

  const definition::Definition& definition_;
  const std::string& text_;
  Progress& progress_;
  const std::stop_token stop_;
  ImportOptions options_;
  const std::string boot_ = new_uuid();
  JobGroup group_;
  Summary noted_;  // what is known before the first row
  std::int64_t rows_total_ = 0;
  bool resumed_ = false;
};

Result<Summary> rehearse_import(Job& job, const definition::Definition& definition, Progress& progress,
                                const std::stop_token& stop) {
  if (steps::fetches_pages(definition))
    return fail("dry_run_fetches", "what the pages say is not known before they are fetched, which a dry run does not",
                "import a few rows, with `review: always`", ErrorKind::invalid);
  auto session = plan_job(job, definition, stop);
  if (!session) return fail(std::move(session).error().within(job.input.name));
  session->reset();
  progress.rows_total = job.plan.split.rows;
  Summary summary;
  summary.job_id = job.uuid;
  summary.definition = definition.slug;
  summary.file = job.input.name;
  summary.dry_run = true;
  note_columns(job, summary);
  LADE_TRY(rehearse(job, progress, stop, summary));
  return summary;
}

Summary cancelled_before_its_start(const Job& job, const definition::Definition& definition) {
  Summary summary;
  summary.job_id = job.uuid;
  summary.definition = definition.slug;
  summary.file = job.input.name;
  summary.outcome = "cancelled";
  summary.error = cancelled();
  summary.dry_run = job.options.dry_run;
  return summary;
}

}  // namespace

std::filesystem::path storage_path(const ImportOptions& options) {
  return options.data / "storage";
}

Result<std::unique_ptr<storage::Storage>> open_storage(const ImportOptions& options) {
  if (options.bucket) {
    storage::BucketOptions bucket = *options.bucket;
    bucket.cache = options.scratch() / "cache";
    return storage::Bucket::open(bucket);
  }
  LADE_ASSIGN(storage::Folder folder, storage::Folder::open(storage_path(options)));
  return std::make_unique<storage::Folder>(std::move(folder));
}

Result<void> create_folder(const std::filesystem::path& folder, Error refusal) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  refusal.message = fmt::format("{}: {}: {}", folder.string(), refusal.message, error.message());
  return fail(std::move(refusal));
}

Error data_folder() {
  return {"data_folder", "cannot create the folder", "name another one with --data", ErrorKind::invalid};
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::preparing: return "preparing";
    case Phase::fetching: return "fetching";
    case Phase::analysing: return "analysing";
    case Phase::settling: return "settling";
    case Phase::waiting: return "waiting";
    case Phase::processing: return "loading";
    case Phase::finishing: return "finishing";
    case Phase::finished: return "finished";
  }
  return "";
}

Result<void> ImportOptions::validate_results() const {
  if (!output_format.empty() && output_format != "csv" && output_format != "xlsx")
    return fail("option_invalid", fmt::format("result files cannot have the format '{}'", output_format), "csv or xlsx",
                ErrorKind::usage);
  constexpr std::size_t kMost = 100;
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  for (std::size_t i = 0; i < result_file_prefix.size(); ++i)
    if (!is_plain(result_file_prefix[i]) &&
        (result_file_prefix[i] != '.' || i == 0 || !is_plain(result_file_prefix[i - 1])))
      return fail("option_invalid",
                  fmt::format("'{}' cannot stand before the names of result files", result_file_prefix),
                  "letters, digits, - and _, with single dots between them", ErrorKind::usage);
  if (result_file_prefix.size() > kMost)
    return fail(
        "option_invalid",
        fmt::format("what stands before the names of result files has {} characters", result_file_prefix.size()),
        fmt::format("at most {}", kMost), ErrorKind::usage);
  return {};
}

Result<void> ImportOptions::validate() {
  LADE_TRY(validate_results());
  if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
  if (workers > 256)
    return fail("option_invalid", fmt::format("--workers {}: at most 256", workers), {}, ErrorKind::usage);
  for (const auto& [name, value] : {std::pair("--block-bytes", std::uint64_t{block_bytes}),
                                    {"--batch-rows", batch_rows},
                                    {"--chunk-bytes", chunk_bytes},
                                    {"--bucket-bytes", bucket_bytes}})
    if (value == 0) return fail("option_invalid", fmt::format("{} 0: at least 1", name), {}, ErrorKind::usage);
  return {};
}

Result<Summary> run_import(const std::string& file, const definition::Definition& definition,
                           const std::string& definition_text, ImportOptions options, Progress& progress,
                           std::stop_token stop) {
  LADE_TRY(options.validate());
  const auto start = Clock::now();
  auto job = std::make_unique<Job>();
  job->uuid = new_uuid();
  if (options.results_folder.empty()) options.results_folder = options.data / "imports" / job->uuid;
  LADE_TRY(create_folder(options.data, data_folder()));
  LADE_ASSIGN(const definition::Definition asked, for_request(definition, options));
  job->options = options;
  job->input.name = file;
  const Summary untouched = cancelled_before_its_start(*job, definition);
  auto summary = [&]() -> Result<Summary> {
    LADE_ASSIGN(job->input, source::open_input(file, options.scratch(), options.max_bytes, overrides_of(asked), stop));
    LADE_TRY(prepare_results(options));
    if (options.dry_run) return rehearse_import(*job, asked, progress, stop);
    return OneShot(definition, definition_text, options, progress, stop).run(file, asked, std::move(job));
  }();
  if (!summary && summary.error().kind == ErrorKind::cancelled) summary = untouched;
  if (!summary) return summary;
  summary->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  summary->peak_rss_bytes = peak_rss_bytes();
  progress.phase = Phase::finished;
  return summary;
}

}  // namespace lade::jobs
