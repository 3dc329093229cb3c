#include <algorithm>

#include "jobs/job.h"

namespace lade::jobs {
namespace {

// Puts analysed rows into a segment and issues into the log.
class StagingSink final : public analysis::AnalysisSink {
 public:
  StagingSink(Job& job) : issues_(*job.log) {}

  Result<void> row(const analysis::AnalysedRow& row) override {
    staging::stage_row(builder_, row.key, place_of(row.row_id, row.line, row.offset), row.tuple);
    return {};
  }
  Result<void> issue(const model::Issue& issue, std::int64_t row_id, std::int64_t line, std::uint64_t offset) override {
    const auto verdict = issue.severity == model::Severity::error ? model::Outcome::failed : model::Outcome::unchanged;
    return issues_.add({place_of(row_id, line, offset), verdict, issue});
  }
  void failed_row() override { ++failed_; }

  // Hands the chunk over to the job.
  Result<void> finish(Job& job, std::size_t chunk) {
    LADE_ASSIGN(const std::vector<staging::Range> ranges, builder_.finish(*job.area, job.splitters));
    const std::lock_guard lock(job.mutex);
    for (std::size_t bucket = 0; bucket < ranges.size(); ++bucket) job.buckets[bucket][chunk] = ranges[bucket];
    LADE_TRY(issues_.publish(job.issues));
    job.counts[model::Outcome::failed] += failed_;
    failed_ = 0;
    return {};
  }
  std::int64_t failed() const { return failed_; }

 private:
  static staging::RowPlace place_of(std::int64_t row_id, std::int64_t line, std::uint64_t offset) {
    return {static_cast<std::uint32_t>(row_id), static_cast<std::uint32_t>(line), offset};
  }
  staging::SegmentBuilder builder_;
  staging::IssueWriter issues_;
  std::int64_t failed_ = 0;
};

Result<void> analyse_chunk(Job& job, std::size_t chunk, analysis::Analyser& analyser, StagingSink& sink) {
  const csv::ChunkStart& start = job.split.chunks[chunk];
  FileRange range(job.input.file, start.offset, job.chunk_end(chunk));
  csv::Reader reader(range, job.reader_options(start));
  csv::Batch batch;
  for (;;) {
    if (job.stop.stop_requested()) return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    const std::int64_t failed = sink.failed();
    LADE_TRY(analyser.analyse(batch, sink));
    job.progress.rows_analysed += static_cast<std::int64_t>(batch.rows());
    job.progress.rows_failed += sink.failed() - failed;
  }
  return sink.finish(job, chunk);
}

}  // namespace

Result<void> analyse(Job& job) {
  job.buckets.assign(job.splitters.size() + 1, std::vector<staging::Range>(job.split.chunks.size()));
  const bool probes = std::any_of(job.maps.begin(), job.maps.end(), [](const auto& map) { return map == nullptr; });
  return run_workers(job.options.workers, job.split.chunks.size(), job.stop, [&](const NextItem& next) -> Result<void> {
    std::unique_ptr<db::Connection> connection;
    if (probes) {
      LADE_ASSIGN(connection, db::connect(job.options.database));
    }
    analysis::Analyser analyser(*job.program, job.maps, connection.get(),
                                {job.layout.dialect, job.options.batch_rows, job.program->definition.partition});
    StagingSink sink(job);
    while (const auto chunk = next()) LADE_TRY(analyse_chunk(job, *chunk, analyser, sink));
    return {};
  });
}

}  // namespace lade::jobs
