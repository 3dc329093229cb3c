#include "jobs/analyse.h"

#include "base/failpoint.h"

namespace lade::jobs {
namespace {

staging::RowPlace place_of(std::int64_t row_id, std::int64_t line, std::uint64_t offset) {
  return {static_cast<std::uint32_t>(row_id), static_cast<std::uint32_t>(line), offset};
}

// Puts analysed rows into a segment and issues into a log.
class StagingSink final : public analysis::AnalysisSink {
 public:
  StagingSink(staging::SegmentBuilder& rows, staging::IssueWriter& issues) : rows_(rows), issues_(issues) {}

  Result<void> row(const analysis::AnalysedRow& row) override {
    staging::stage_row(rows_, row.key, place_of(row.row_id, row.line, row.offset), row.tuple);
    return {};
  }
  Result<void> note(const analysis::AnalysedRow& noted) override { return row(noted); }
  Result<void> issue(const model::Issue& issue, std::int64_t row_id, std::int64_t line, std::uint64_t offset) override {
    const auto verdict = issue.severity == model::Severity::error ? model::Outcome::failed : model::Outcome::unchanged;
    return issues_.add({place_of(row_id, line, offset), verdict, issue});
  }
  void failed_row() override { ++failed; }
  std::int64_t failed = 0;

 private:
  staging::SegmentBuilder& rows_;
  staging::IssueWriter& issues_;
};

// Keeps what becomes of each record of a batch.
class RecordSink final : public analysis::AnalysisSink {
 public:
  explicit RecordSink(const csv::Batch& batch) : results(batch.rows()), first_row_(batch.row_id(0)) {}

  Result<void> row(const analysis::AnalysedRow& row) override {
    at(row.row_id).tuple = row.tuple;
    return note(row);
  }
  Result<void> note(const analysis::AnalysedRow& noted) override {
    staging::append_row(at(noted.row_id).records, noted.key, place_of(noted.row_id, noted.line, noted.offset),
                        noted.tuple);
    return {};
  }
  Result<void> issue(const model::Issue& issue, std::int64_t row_id, std::int64_t, std::uint64_t) override {
    at(row_id).issues.push_back(issue);
    return {};
  }
  void failed_row() override {}
  std::vector<AnalysedRecord> results;

 private:
  AnalysedRecord& at(std::int64_t row) { return results[static_cast<std::size_t>(row - first_row_)]; }
  const std::int64_t first_row_;
};

analysis::AnalyserOptions options_of(const Job& job) {
  return {job.plan.layout.dialect, job.options.batch_rows, job.definition().partition, job.id};
}

}  // namespace

ChunkAnalyser::ChunkAnalyser(const Job& job, db::Connection* connection)
    : job_(job), analyser_(*job.program, job.maps, connection, options_of(job)) {}

Result<ChunkAnalyser::Chunk> ChunkAnalyser::analyse(std::size_t number, const std::stop_token& stop,
                                                    std::atomic<std::int64_t>* failed) {
  rows_.clear();
  Chunk chunk{rows_, std::make_unique<staging::IssueLog>(*job_.area), {}, 0};
  staging::IssueWriter issues(*chunk.findings);
  StagingSink sink(rows_, issues);
  const csv::ChunkStart& start = job_.plan.split.chunks[number];
  FileRange range(job_.input.file, start.offset, job_.plan.chunk_end(number));
  csv::Reader reader(range, job_.reader_options(start));
  csv::Batch batch;
  for (;;) {
    if (stop.stop_requested()) return fail(cancelled());
    LADE_FAILPOINT("read");
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    LADE_TRY(analyser_.analyse(batch, sink, stop));
    if (failed != nullptr) *failed = sink.failed;
  }
  LADE_TRY(issues.publish(chunk.issues));
  chunk.failed_rows = sink.failed;
  return chunk;
}

RecordAnalyser::RecordAnalyser(const Job& job, db::Connection& connection)
    : analyser_(*job.program, job.maps, &connection, options_of(job)) {}

Result<std::vector<AnalysedRecord>> RecordAnalyser::analyse(const csv::Batch& batch) {
  RecordSink sink(batch);
  LADE_TRY(analyser_.analyse(batch, sink));
  return std::move(sink.results);
}

Result<AnalysedRecord> analyse_record(const Job& job, db::Connection& connection, const SourceRecord& record) {
  SingleRecord single(job, record);
  LADE_ASSIGN(const csv::Batch* const batch, single.read());
  RecordAnalyser analyser(job, connection);
  LADE_ASSIGN(auto results, analyser.analyse(*batch));
  return std::move(results.front());
}

}  // namespace lade::jobs
