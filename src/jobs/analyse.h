#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "analysis/analyser.h"
#include "jobs/job.h"
#include "jobs/source_record.h"

namespace lade::jobs {

// Takes chunks through all analysis steps, one after another. Owned by one thread.
class ChunkAnalyser {
 public:
  // The connection is for lookups in large tables.
  ChunkAnalyser(const Job& job, db::Connection* connection);

  // What became of a chunk; the rows of the next one take its place.
  struct Chunk {
    staging::SegmentBuilder& rows;
    std::unique_ptr<staging::IssueLog> findings;
    staging::IssueCounts issues;
    std::int64_t failed_rows = 0;
  };
  // Counts failed rows up while it works. Fails with `cancelled` when it is asked to stop.
  Result<Chunk> analyse(std::size_t chunk, const std::stop_token& stop, std::atomic<std::int64_t>* failed = nullptr);

 private:
  const Job& job_;
  analysis::Analyser analyser_;
  staging::SegmentBuilder rows_;
};

// What became of one record.
struct AnalysedRecord {
  std::string tuple;    // empty: it was refused
  std::string records;  // all that is staged of it: the row, what it claims, or a note that it has failed
  std::vector<model::Issue> issues;
};

// Takes records through the same steps, and gives what became of each in their order. Owned by one thread.
class RecordAnalyser {
 public:
  // The connection is for lookups in large tables.
  RecordAnalyser(const Job& job, db::Connection& connection);
  Result<std::vector<AnalysedRecord>> analyse(const csv::Batch& batch);

 private:
  analysis::Analyser analyser_;
};

// The same for a single record.
Result<AnalysedRecord> analyse_record(const Job& job, db::Connection& connection, const SourceRecord& record);

}  // namespace lade::jobs
