#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/step.h"
#include "jobs/corrections.h"
#include "jobs/job.h"
#include "load/claims.h"
#include "load/leftovers.h"
#include "load/loader.h"
#include "store/outcome_blob.h"
#include "store/outcomes.h"

namespace lade::jobs {

using Ranges = std::span<const staging::Range>;

// A bucket's ranges, one from each chunk and one of corrected rows, and what they lie in.
struct StagedBucket {
  std::vector<staging::Range> ranges;
  std::unique_ptr<char[]> memory = {};  // unless they are too large for it
  std::shared_ptr<const load::ClaimResults> claims = {};
  std::shared_ptr<const Corrections> corrections = {};
};

// What became of the rows of a bucket, so far.
struct BucketResult {
  explicit BucketResult(const Job& job) : findings(std::make_unique<staging::IssueLog>(*job.area)) {}
  std::unique_ptr<staging::IssueLog> findings;
  model::RowCounts counts;
  staging::IssueCounts issues;
  store::OutcomePacker outcomes;  // of all rows but those held
  std::set<std::uint32_t> held;   // rows that wait for their parents, counted as unprocessed
};

// The code of rows whose parents may still come with another bucket.
constexpr std::string_view kWaitsForParent = "waits_for_parent";

// Decides among keys repeated in the file and loads what remains, bucket after bucket. Owned by one thread.
class BucketLoader {
 public:
  // `reader`, when given, compares rows with what is stored while somebody else writes (SQLite).
  BucketLoader(const Job& job, db::Connection& writer, db::Connection* reader);
  // Once, outside a transaction.
  Result<void> prepare() { return loader_.prepare(); }
  db::Connection& writer() const { return writer_; }

  // From now on the keys of all rows are told to `leftovers`: the file is the whole truth of a set. Null: it is not.
  void collect(load::Leftovers* leftovers) { leftovers_ = leftovers; }
  // Of a set that is built aside: load/loader.h.
  void use_versions(std::optional<std::int64_t> active, std::optional<std::int64_t> building) {
    loader_.use_versions(active, building);
  }

  // Settles the first rows of a bucket, of a bucket that was settled before only some. What is staged stays valid until
  // the last one was loaded.
  using Rows = std::set<std::uint32_t>;
  Result<void> begin(const StagedBucket& staged, const Rows* only = nullptr);
  // Compares them with the reader, if there is one. Outside the writer's transaction.
  Result<void> compare_ahead();
  // Loads the bucket that was begun, in the writer's transaction, and tells the journal. With `hold`, rows that wait
  // for their parents are left unprocessed. Fails with `cancelled` when it is asked to stop.
  Result<BucketResult> load(bool hold, const load::JournalSink& journal, const std::stop_token& stop);
  // The same decisions without writing.
  Result<BucketResult> rehearse(const std::stop_token& stop, const load::Rehearsed& told = {});
  // For the bucket that was begun: rows are loaded only if what is stored is what a reviewer has seen.
  void expect(std::optional<load::SeenRows> seen);

 private:
  Result<void> next_slice();
  Result<void> load_slice(const load::JournalSink& journal);
  Result<std::vector<analysis::Step::RefusedRow>> process_slice();
  Result<void> take_out(const std::vector<analysis::Step::RefusedRow>& refused);
  template <class Load>
  Result<BucketResult> run(const std::stop_token& stop, Load&& load);

  const Job& job_;
  db::Connection& writer_;
  const bool has_reader_;
  load::Loader loader_;
  // The bucket at hand.
  std::unique_ptr<load::Settler> settler_;
  std::unique_ptr<BucketResult> result_;
  std::unique_ptr<staging::IssueWriter> issues_;
  const Rows* only_ = nullptr;
  load::Leftovers* leftovers_ = nullptr;
  std::vector<const analysis::Step*> processing_;  // steps with a process half of their own
  load::Slice slice_;
  bool more_ = false;
  std::optional<load::SeenRows> expected_;  // nullopt: whatever is stored
};

// Decides only among keys repeated in the file: failed rows are failed, all others unprocessed.
Result<BucketResult> settle_bucket(const Job& job, const StagedBucket& staged, const std::stop_token& stop);

// Fails the rows that claim what rows of other entities claim too.
Result<BucketResult> refuse_contested(const Job& job, Ranges claims);
// What comes of all claims of the job's rows, without telling.
Result<std::shared_ptr<const load::ClaimResults>> settle_claims(const Job& job, Ranges claims);

// Adds the rows that findings decide to what is packed.
Result<void> pack_findings(BucketResult& result);

// What is left when the bucket is taken back: failed rows stay failed, all others were not processed.
Result<BucketResult> taken_back(const Job& job, BucketResult& loaded);
// Adds what a later attempt at held rows has come to; those that wait still are its held rows.
Result<void> add_orphans(BucketResult& bucket, BucketResult& loaded);

// The result as the store keeps it, and back.
Result<store::BucketOutcomes> to_stored(std::size_t bucket, BucketResult& result, bool settled);
Result<BucketResult> from_stored(const Job& job, const store::BucketOutcomes& stored);

// How often which issue, as JSON and back.
std::string to_text(const staging::IssueCounts& counts);
void add_counts(staging::IssueCounts& counts, std::string_view text);

}  // namespace lade::jobs
