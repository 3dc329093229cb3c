#include <algorithm>

#include "jobs/job.h"

namespace lade::jobs {
namespace {

constexpr std::size_t kMaxChunks = 256;
constexpr std::size_t kMaxBuckets = 1024;
constexpr std::size_t kSamplesPerBucket = 32;
constexpr std::size_t kMinSamples = 4000;
// Below this much data a second bucket costs more than it gives.
constexpr std::uint64_t kSmallFileBytes = 2 * 1024 * 1024;

// Keeps only keys: what a sample of the file is analysed for.
class KeySink final : public analysis::AnalysisSink {
 public:
  Result<void> row(const analysis::AnalysedRow& row) override {
    keys.emplace_back(row.key);
    return {};
  }
  Result<void> issue(const model::Issue&, std::int64_t, std::int64_t, std::uint64_t) override { return {}; }
  void failed_row() override {}
  std::vector<std::string> keys;
};

std::uint64_t data_bytes(const Job& job) {
  return job.input.bytes - std::min(job.input.bytes, job.layout.data_offset);
}

std::size_t wanted_buckets(const Job& job, definition::Partition partition) {
  if (partition == definition::Partition::single) return 1;
  const std::uint64_t bytes = data_bytes(job);
  std::size_t buckets = (bytes + job.options.bucket_bytes - 1) / job.options.bucket_bytes;
  if (bytes > kSmallFileBytes) buckets = std::max<std::size_t>(buckets, 2 * job.options.workers);
  return std::clamp<std::size_t>(buckets, 1, kMaxBuckets);
}

// Evenly filled buckets of the sampled keys; equal splitters collapse.
std::vector<std::string> choose_splitters(std::vector<std::string> keys, std::size_t buckets) {
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> splitters;
  for (std::size_t i = 1; i < buckets && !keys.empty(); ++i) {
    const std::string& key = keys[i * keys.size() / buckets];
    if (splitters.empty() || splitters.back() < key) splitters.push_back(key);
  }
  return splitters;
}

// Hashed keys begin with two bytes that are spread evenly.
std::vector<std::string> hash_splitters(std::size_t buckets) {
  std::vector<std::string> splitters;
  for (std::size_t i = 1; i < buckets; ++i) {
    const std::size_t bound = i * 65536 / buckets;
    splitters.push_back({static_cast<char>(bound >> 8), static_cast<char>(bound)});
  }
  return splitters;
}

// Every so many bytes one record is copied, so that the sample is spread over the whole file.
class Sampler {
 public:
  Sampler(std::uint64_t bytes, std::size_t samples)
      : step_(std::max<std::uint64_t>(1, bytes / std::max<std::size_t>(1, samples))) {}
  void take(const csv::Batch& batch) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const std::uint64_t offset = batch.offset(row);
      if (offset < next_) continue;
      // The step varies, or a file whose rows repeat in a rhythm would give the same few keys.
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      next_ = offset + step_ / 2 + (random_ >> 33) % step_;
      text.append(batch.record(row));
      text.push_back('\n');
    }
  }
  std::string text;

 private:
  const std::uint64_t step_;
  std::uint64_t next_ = 0;
  std::uint64_t random_ = 1;
};

Result<Scan> scan(const Job& job, std::size_t buckets, const std::stop_token& unwanted) {
  const std::uint64_t bytes = data_bytes(job);
  Sampler sampler(bytes, std::max(kMinSamples, kSamplesPerBucket * buckets));
  FileRange range(job.input.file, job.layout.data_offset, job.input.bytes);
  const std::uint64_t chunk_bytes = std::max(job.options.chunk_bytes, bytes / kMaxChunks + 1);
  const csv::ChunkStart start{job.layout.data_offset, 1, job.layout.data_line};
  Scan found;
  LADE_ASSIGN(found.split,
              csv::split(range, job.reader_options(start), chunk_bytes, [&](const csv::Batch& batch) -> Result<void> {
                if (buckets > 1) sampler.take(batch);
                if (job.stop.stop_requested() || unwanted.stop_requested())
                  return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
                return {};
              }));
  found.sample = std::move(sampler.text);
  return found;
}

Result<std::vector<std::string>> sampled_keys(Job& job, const std::string& text) {
  MemorySource source(text);
  csv::Reader reader(source, job.reader_options({}));
  analysis::Analyser analyser(*job.program, job.maps, job.connection.get(),
                              {job.layout.dialect, job.options.batch_rows, job.program->definition.partition});
  KeySink sink;
  csv::Batch batch;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) return std::move(sink.keys);
    LADE_TRY(analyser.analyse(batch, sink));
  }
}

}  // namespace

csv::ReaderOptions Job::reader_options(const csv::ChunkStart& start) const {
  csv::ReaderOptions reader;
  reader.dialect = layout.dialect;
  reader.columns = layout.header.size();
  reader.block_bytes = options.block_bytes;
  reader.first_offset = start.offset;
  reader.first_row = start.row;
  reader.first_line = start.line;
  return reader;
}

std::uint64_t Job::chunk_end(std::size_t chunk) const {
  return chunk + 1 < split.chunks.size() ? split.chunks[chunk + 1].offset : split.end.offset;
}

Scanning begin_scan(const Job& job, definition::Partition partition) {
  std::stop_source dropped;
  return {dropped, std::async(std::launch::async, [&job, partition, unwanted = dropped.get_token()] {
            return scan(job, wanted_buckets(job, partition), unwanted);
          })};
}

Result<void> plan(Job& job) {
  LADE_ASSIGN(Scan found, job.scanning.get());
  job.split = std::move(found.split);
  constexpr std::int64_t kMaxRows = 2'147'483'647;
  if (job.split.rows > kMaxRows)
    return fail("too_many_rows", "the file has more than 2147483647 rows", "split the file", ErrorKind::invalid);
  const definition::Partition partition = job.program->definition.partition;
  const std::size_t buckets = wanted_buckets(job, partition);
  if (partition == definition::Partition::hash && !job.program->row_is_key) {
    job.splitters = hash_splitters(buckets);
  } else if (buckets > 1) {
    LADE_ASSIGN(std::vector<std::string> keys, sampled_keys(job, found.sample));
    job.splitters = choose_splitters(std::move(keys), buckets);
  }
  job.counts.read = job.split.rows;
  job.progress.rows_total = job.split.rows;
  return {};
}

}  // namespace lade::jobs
