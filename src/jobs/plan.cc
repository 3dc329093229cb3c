#include "jobs/plan.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <set>

#include "analysis/entity_key.h"
#include "jobs/choices.h"
#include "jobs/expand.h"
#include "jobs/hand_over.h"
#include "jobs/job.h"
#include "jobs/match.h"
#include "jobs/open_source.h"
#include "jobs/questions.h"
#include "load/slice.h"
#include "steps/expand.h"
#include "store/definitions.h"

namespace lade::jobs {
namespace {

constexpr std::size_t kMaxChunks = 256;
constexpr std::size_t kMaxBuckets = 1024;
constexpr std::size_t kSamplesPerBucket = 32;
constexpr std::size_t kMinSamples = 4000;
// Below this much data a second bucket costs more than it gives.
constexpr std::uint64_t kSmallFileBytes = 2 * 1024 * 1024;

// Keeps only the keys of entities, whose rows are never parted: what a sample of the file is analysed for.
class KeySink final : public analysis::AnalysisSink {
 public:
  explicit KeySink(const analysis::Program& program) : program_(program) {}
  Result<void> row(const analysis::AnalysedRow& row) override {
    keys.emplace_back(row.key.substr(0, load::root_bytes(program_, row.key)));
    return {};
  }
  Result<void> issue(const model::Issue&, std::int64_t, std::int64_t, std::uint64_t) override { return {}; }
  void failed_row() override {}
  std::vector<std::string> keys;

 private:
  const analysis::Program& program_;
};

std::uint64_t data_bytes(const Job& job) {
  return job.input.bytes - std::min(job.input.bytes, job.plan.layout.data_offset);
}

// Into how many parts of at most so many bytes the data are cut. All workers end at about the same time when each has
// as many parts as the others.
std::size_t parts_of(const Job& job, std::uint64_t part_bytes, std::size_t most) {
  const std::uint64_t bytes = data_bytes(job);
  const std::uint64_t parts = (bytes + part_bytes - 1) / part_bytes;
  const std::uint64_t workers = bytes > kSmallFileBytes ? job.options.workers : 1;
  return std::clamp<std::size_t>((parts + workers - 1) / workers * workers, 1, most);
}

std::size_t wanted_buckets(const Job& job, definition::Partition partition) {
  if (partition == definition::Partition::single) return 1;
  const std::size_t buckets = parts_of(job, job.options.bucket_bytes, kMaxBuckets);
  return data_bytes(job) > kSmallFileBytes ? std::max<std::size_t>(buckets, 2 * job.options.workers) : buckets;
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

// What one pass over the file finds: the chunks, and records spread over it.
struct Scan {
  csv::Split split;
  std::string sample;  // whole records, one after another
};

// The pass over the file, on a thread of its own. Whoever no longer wants it drops it: it stops and is waited for.
class Scanning {
 public:
  Scanning(const Job& job, std::size_t buckets, std::stop_token stop)
      : result_(std::async(std::launch::async,
                           [this, &job, buckets, stop = std::move(stop)] { return scan(job, buckets, stop); })) {}
  ~Scanning() { dropped_.request_stop(); }
  Scanning(const Scanning&) = delete;
  Scanning& operator=(const Scanning&) = delete;
  Result<Scan> get() { return result_.get(); }

 private:
  Result<Scan> scan(const Job& job, std::size_t buckets, const std::stop_token& stop) const {
    const std::uint64_t bytes = data_bytes(job);
    Sampler sampler(bytes, std::max(kMinSamples, kSamplesPerBucket * buckets));
    FileRange range(job.input.file, job.plan.layout.data_offset, job.input.bytes);
    const std::uint64_t chunk_bytes = bytes / parts_of(job, job.options.chunk_bytes, kMaxChunks) + 1;
    const csv::ChunkStart start{job.plan.layout.data_offset, 1, job.plan.layout.data_line};
    Scan found;
    LADE_ASSIGN(found.split,
                csv::split(range, job.reader_options(start), chunk_bytes, [&](const csv::Batch& batch) -> Result<void> {
                  if (buckets > 1) sampler.take(batch);
                  if (stop.stop_requested() || dropped_.stop_requested()) return fail(cancelled());
                  return {};
                }));
    found.sample = std::move(sampler.text);
    return found;
  }

  std::stop_source dropped_;
  std::future<Result<Scan>> result_;
};

Result<std::vector<std::string>> sampled_keys(const Job& job, const std::string& text, db::Connection& connection) {
  MemorySource source(text);
  csv::Reader reader(source, job.reader_options({}));
  analysis::Analyser analyser(*job.program, job.maps, &connection,
                              {job.plan.layout.dialect, job.options.batch_rows, job.definition().partition, 0, true});
  KeySink sink(*job.program);
  csv::Batch batch;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) return std::move(sink.keys);
    LADE_TRY(analyser.analyse(batch, sink));
  }
}

const std::string kClaims(1, analysis::kClaim);

Result<void> choose_buckets(Job& job, const std::string& sample, std::size_t buckets, db::Connection& connection) {
  if (job.definition().partition == definition::Partition::hash && !job.program->row_is_key) {
    job.plan.splitters = hash_splitters(buckets);
  } else if (buckets > 1) {
    LADE_ASSIGN(std::vector<std::string> keys, sampled_keys(job, sample, connection));
    job.plan.splitters = choose_splitters(std::move(keys), buckets);
  }
  if (job.program->has_claims) job.plan.splitters.push_back(kClaims);
  return {};
}

std::string now_text() {
  std::string text;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  analysis::append_timestamp(text, std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  return text;
}

}  // namespace

Error cancelled() {
  return {"cancelled", "the import was cancelled", {}, ErrorKind::cancelled};
}

csv::ReaderOptions Job::reader_options(const csv::ChunkStart& start) const {
  csv::ReaderOptions reader;
  reader.dialect = plan.layout.dialect;
  reader.columns = plan.layout.header.size();
  reader.block_bytes = options.block_bytes;
  reader.first_offset = start.offset;
  reader.first_row = start.row;
  reader.first_line = start.line;
  return reader;
}

bool Plan::has_claims() const {
  return !splitters.empty() && splitters.back() == kClaims;
}

std::uint64_t Plan::chunk_end(std::size_t chunk) const {
  return chunk + 1 < split.chunks.size() ? split.chunks[chunk + 1].offset : split.end.offset;
}

std::int64_t Plan::chunk_rows(std::size_t chunk) const {
  return (chunk + 1 < split.chunks.size() ? split.chunks[chunk + 1].row : split.end.row) - split.chunks[chunk].row;
}

namespace {

analysis::Context context_of(const Job& job) {
  return {{"company", std::to_string(job.options.company)},
          {"project", job.options.project == 0 ? "" : std::to_string(job.options.project)},
          {"user", job.options.user},
          {"user_id", job.options.user_id == 0 ? "" : std::to_string(job.options.user_id)},
          {"job", job.uuid},
          {"now", job.plan.now}};
}

}  // namespace

Result<void> check_binding(const Job& job, const definition::Definition& definition,
                           const std::vector<std::string>& header, db::Connection& connection) {
  analysis::Context context = context_of(job);
  context["now"] = now_text();
  LADE_ASSIGN(const auto known, known_matches(connection, job.options.company, definition.slug, header));
  const definition::Definition matched = definition::with_all_columns(
      definition::with_matches(definition, definition::matches_to_follow(definition, header, known)), header);
  LADE_TRY(analysis::bind(matched, header, connection, context, steps::step_maker(job.options.handlers, job.uuid)));
  return {};
}

Result<void> bind_job(Job& job, const definition::Definition& definition, db::Connection& connection) {
  const definition::Definition matched =
      definition::with_all_columns(definition::with_matches(definition, job.plan.matches), job.plan.layout.header);
  LADE_ASSIGN(job.program,
              analysis::bind(matched, job.plan.layout.header, connection, context_of(job),
                             steps::step_maker(job.options.handlers, job.uuid, memory_of(job.options.company))));
  open_handler(job);
  LADE_ASSIGN(job.area, staging::Area::create(job.options.scratch(), job.options.staging_memory));
  for (const analysis::LookupProgram& lookup : job.program->lookups) {
    const auto& type = job.program->columns[static_cast<std::size_t>(lookup.column)].type;
    LADE_ASSIGN(auto map, analysis::load_lookup(lookup, type, connection, job.options.lookup_rows));
    job.maps.push_back(std::move(map));
  }
  return {};
}

Result<std::unique_ptr<db::Connection>> plan_job(Job& job, const definition::Definition& definition,
                                                 const std::stop_token& stop,
                                                 const std::function<Result<void>(db::Connection&)>& on_bound,
                                                 const source::Overrides* overrides) {
  LADE_ASSIGN(job.plan.layout,
              source::recognise(job.input, overrides != nullptr ? *overrides : overrides_of(definition)));
  const std::size_t buckets = wanted_buckets(job, definition.partition);
  // The file is read while the database is asked.
  Scanning scanning(job, buckets, stop);
  job.plan.now = now_text();
  LADE_ASSIGN(auto connection, db::connect(job.options.database));
  LADE_ASSIGN(const definition::Definition whole, expanded(definition, *connection, job.options));
  LADE_ASSIGN(auto known, known_matches(*connection, job.options.company, whole.slug, job.plan.layout.header));
  // What somebody says of this very file beats what was said of others.
  const std::set<std::string, std::less<>> chosen = chosen_columns(job.options);
  std::erase_if(known, [&](const definition::KnownMatch& match) { return chosen.contains(match.data_column); });
  job.plan.matches = definition::matches_to_follow(whole, job.plan.layout.header, known);
  LADE_TRY(bind_job(job, whole, *connection));
  if (on_bound) LADE_TRY(on_bound(*connection));
  LADE_ASSIGN(Scan found, scanning.get());
  job.plan.split = std::move(found.split);
  constexpr std::int64_t kMaxRows = 2'147'483'647;
  if (job.plan.split.rows > kMaxRows)
    return fail("too_many_rows", "the file has more than 2147483647 rows", "split the file", ErrorKind::invalid);
  LADE_TRY(choose_buckets(job, found.sample, buckets, *connection));
  return connection;
}

}  // namespace lade::jobs
