#include "jobs/import.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <future>
#include <thread>

#include "base/id.h"
#include "definition/parse.h"
#include "jobs/definitions.h"
#include "jobs/job.h"
#include "store/definitions.h"
#include "store/jobs.h"
#include "store/schema.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using Clock = std::chrono::steady_clock;

std::string now_text() {
  std::string text;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  analysis::append_timestamp(text, std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  return text;
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

source::Overrides overrides_of(const definition::Definition& definition) {
  const definition::Source& source = definition.source;
  source::Overrides overrides;
  for (const definition::DataColumn& column : definition.columns)
    overrides.expected.insert(overrides.expected.end(), column.from.begin(), column.from.end());
  overrides.delimiter = source.delimiter;
  overrides.quote = source.quote;
  overrides.escape = source.escape;
  overrides.no_quote = source.no_quote;
  overrides.header_row = source.header_row;
  overrides.header = source.header;
  overrides.skip_rows = source.skip_rows;
  overrides.encoding = source.encoding;
  return overrides;
}

// Everything that can be refused before a row is read: file, connection, header, tables.
Result<void> prepare(Job& job, const std::string& file, const definition::Definition& definition) {
  std::error_code error;
  std::filesystem::create_directories(job.options.data, error);
  if (error)
    return fail("data_folder",
                fmt::format("{}: cannot create the folder: {}", job.options.data.string(), error.message()),
                "name another one with --data", ErrorKind::invalid);
  LADE_ASSIGN(job.input, source::open_input(file, job.options.data, job.options.max_bytes, job.stop));
  LADE_ASSIGN(job.layout, source::recognise(job.input, overrides_of(definition)));
  job.scanning = begin_scan(job, definition.partition);
  LADE_ASSIGN(job.connection, db::connect(job.options.database));
  const analysis::Context context{{"company", std::to_string(store::kDefaultCompany)},
                                  {"project", ""},
                                  {"user", job.options.user},
                                  {"job", job.uuid},
                                  {"now", now_text()}};
  LADE_ASSIGN(job.program, analysis::bind(definition, job.layout.header, *job.connection, context));
  LADE_ASSIGN(job.area, staging::Area::create(job.options.data, job.options.staging_memory));
  job.log = std::make_unique<staging::IssueLog>(*job.area);
  for (const analysis::LookupProgram& lookup : job.program->lookups) {
    const auto& type = job.program->columns[static_cast<std::size_t>(lookup.column)].type;
    LADE_ASSIGN(auto map, analysis::load_lookup(lookup, type, *job.connection, job.options.lookup_rows));
    job.maps.push_back(std::move(map));
  }
  return {};
}

// Places for results that cannot be written are refused now rather than when the rows are in.
Result<void> prepare_results(const Job& job) {
  if (!job.options.issues_file.empty()) LADE_TRY(File::create(job.options.issues_file));
  std::error_code error;
  if (job.options.results != Results::none) std::filesystem::create_directories(job.options.results_folder, error);
  if (error)
    return fail("results_folder",
                fmt::format("{}: cannot create the folder: {}", job.options.results_folder.string(), error.message()),
                "name another one with --results-dir", ErrorKind::invalid);
  return {};
}

// Brings lade's own tables up to date on a session of its own, while the file is being planned.
std::future<Result<void>> begin_migration(const Job& job) {
  return std::async(std::launch::async, [&job]() -> Result<void> {
    if (job.options.dry_run) return {};
    LADE_ASSIGN(const auto connection, db::connect(job.options.database));
    LADE_TRY(store::migrate(*connection));
    return {};
  });
}

// The job's row in the database; a dry run leaves none.
Result<void> record_start(Job& job, const definition::Definition& definition, const std::string& text) {
  if (job.options.dry_run) return {};
  LADE_ASSIGN(const store::StoredDefinition stored, save_definition(*job.connection, definition, text));
  job.definition_version = stored.version;
  LADE_ASSIGN(job.id, store::create_job(*job.connection, {job.uuid, stored.id, definition::to_json(definition),
                                                          job.input.name, static_cast<std::int64_t>(job.input.bytes)}));
  return {};
}

Result<void> enter(Job& job, Phase phase, const char* state) {
  job.progress.phase = phase;
  return job.id == 0 ? Result<void>() : store::set_job_state(*job.connection, job.id, state);
}

// From the first row to the last; what goes wrong is kept in job.error, and the counts stay true.
Result<void> run_phases(Job& job) {
  LADE_TRY(enter(job, Phase::analysing, "analysing_data"));
  LADE_TRY(analyse(job));
  if (job.stop.stop_requested()) return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
  job.progress.phase = Phase::settling;
  LADE_TRY(settle(job));
  if (job.error) {
    for (const auto& bucket : job.buckets) LADE_TRY(count_unprocessed(job, bucket));
    return {};
  }
  LADE_TRY(enter(job, Phase::processing, "processing_data"));
  return process(job);
}

// A job that stopped before anything was loaded has processed none of its rows; later, those without an outcome.
void account_for_stop(Job& job, Error error) {
  if (job.progress.phase != Phase::processing) {
    job.counts.by_outcome = {};
    job.issues.clear();
    job.log = std::make_unique<staging::IssueLog>(*job.area);
    job.untold = Outcome::unprocessed;
  }
  job.counts[Outcome::unprocessed] += job.counts.read - job.counts.accounted();
  job.error = std::move(error);
}

// The result files and what became of the job.
void conclude(Job& job, Summary& summary) {
  if (auto written = write_results(job, summary); !written && !job.error) job.error = written.error();
  if (auto conserved = job.counts.check_conserved(); !conserved && !job.error) job.error = conserved.error();
  summary.rows = job.counts;
  summary.issues = job.issues;
  summary.outcome = !job.error ? "succeeded" : job.error->kind == ErrorKind::cancelled ? "cancelled" : "failed";
  if (job.error) summary.error = *job.error;
}

Result<void> try_record_end(Job& job, const Summary& summary, const std::shared_future<void>& concluded) {
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*job.connection));
  LADE_TRY(store_issues(job));
  concluded.wait();
  LADE_TRY(store::finish_job(*job.connection, {job.id, summary.outcome, summary.error.message, job.counts}));
  return transaction.commit();
}

// The outcome goes into the job's row; a session that was lost meanwhile is opened again once.
Result<void> record_end(Job& job, const Summary& summary, const std::shared_future<void>& concluded) {
  if (job.id == 0) return {};
  auto recorded = try_record_end(job, summary, concluded);
  if (recorded || job.connection->usable()) return recorded;
  LADE_ASSIGN(job.connection, db::connect(job.options.database));
  return try_record_end(job, summary, concluded);
}

// Writes the result files while the issues travel to the database.
void finish(Job& job, Summary& summary) {
  const std::shared_future<void> concluded = std::async(std::launch::async, [&] { conclude(job, summary); });
  auto recorded = record_end(job, summary, concluded);
  concluded.wait();
  if (recorded) return;
  // The rows are what they are: the bill is told even when it cannot be written down.
  summary.outcome = "failed";
  summary.error = std::move(recorded.error()).within("the job's outcome could not be stored");
}

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::preparing: return "preparing";
    case Phase::analysing: return "analysing";
    case Phase::settling: return "settling";
    case Phase::processing: return "loading";
    case Phase::finishing: return "finishing";
    case Phase::finished: return "finished";
  }
  return "";
}

Result<void> ImportOptions::validate() {
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
  const std::string uuid = new_uuid();
  if (options.results_folder.empty()) options.results_folder = options.data / "imports" / uuid;
  Job job(std::move(options), progress, std::move(stop));
  job.uuid = uuid;
  LADE_TRY(prepare(job, file, definition));
  LADE_TRY(prepare_results(job));
  auto migrated = begin_migration(job);
  auto planned = plan(job);
  LADE_TRY(migrated.get());
  if (!planned && planned.error().kind != ErrorKind::cancelled)
    return fail(std::move(planned.error()).within(job.input.name));
  LADE_TRY(record_start(job, definition, definition_text));
  if (planned) planned = run_phases(job);
  if (!planned) account_for_stop(job, std::move(planned).error());

  progress.phase = Phase::finishing;
  Summary summary;
  summary.job_id = job.uuid;
  summary.definition = definition.slug;
  summary.definition_version = job.definition_version;
  summary.file = job.input.name;
  summary.dry_run = job.options.dry_run;
  summary.unmapped_columns = job.program->unmapped;
  summary.absent_columns = job.program->absent;
  finish(job, summary);
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  summary.peak_rss_bytes = peak_rss_bytes();
  progress.phase = Phase::finished;
  return summary;
}

}  // namespace lade::jobs
