#include "jobs/bucket.h"

#include <boost/json.hpp>

#include <algorithm>
#include <map>

#include "analysis/entity_key.h"
#include "base/failpoint.h"
#include "store/journal.h"

namespace lade::jobs {
namespace {

using model::Outcome;

constexpr std::size_t kSliceBytes = 16 * 1024 * 1024;

}  // namespace

BucketLoader::BucketLoader(const Job& job, db::Connection& writer, db::Connection* reader)
    : job_(job), writer_(writer), has_reader_(reader != nullptr), loader_(*job.program, writer, reader) {
  for (const analysis::Stage& stage : job.program->stages)
    if (stage.step && stage.step->processes()) processing_.push_back(stage.step.get());
  if (!job.gives_way) return;
  loader_.give_way_to([this](std::string_view table, std::string_view first, std::string_view last) {
    return store::later_blocks(writer_, job_.id, table, first, last);
  });
}

Result<void> BucketLoader::next_slice() {
  if (only_ == nullptr) {
    LADE_ASSIGN(more_, settler_->next(slice_, *issues_, result_->counts));
    return {};
  }
  // What is said about the other rows was said before.
  staging::IssueLog said(*job_.area);
  staging::IssueWriter ignored(said);
  model::RowCounts counted;
  LADE_ASSIGN(more_, settler_->next(slice_, ignored, counted));
  if (more_) std::erase_if(slice_.rows, [&](const load::Row& row) { return !only_->contains(row.place.row_id); });
  return {};
}

Result<void> BucketLoader::begin(const StagedBucket& staged, const Rows* only) {
  only_ = only;
  expect(std::nullopt);
  load::SettleOptions options{.slice_bytes = kSliceBytes};
  if (leftovers_ != nullptr) options.on_failed = [this](std::string_view key) { leftovers_->spare(key); };
  settler_ = std::make_unique<load::Settler>(*job_.program, job_.area->file(), staged.ranges, std::move(options),
                                             staged.claims);
  result_ = std::make_unique<BucketResult>(job_);
  issues_ = std::make_unique<staging::IssueWriter>(*result_->findings);
  return next_slice();
}

Result<void> BucketLoader::compare_ahead() {
  return more_ && has_reader_ ? loader_.decide_ahead(slice_) : Result<void>();
}

template <class Load>
Result<BucketResult> BucketLoader::run(const std::stop_token& stop, Load&& load) {
  while (more_) {
    if (stop.stop_requested()) return fail(cancelled());
    LADE_FAILPOINT("load");
    LADE_TRY(load());
    if (leftovers_ != nullptr) LADE_TRY(leftovers_->keep(slice_));
    for (const load::Row& row : slice_.rows) {
      if (row.outcome == Outcome::unprocessed) {
        result_->held.insert(row.place.row_id);
      } else if (row.outcome != Outcome::failed && row.outcome != Outcome::skipped) {
        result_->outcomes.add({row.place.row_id, row.outcome});  // findings tell the rest, with their codes
      }
    }
    LADE_TRY(next_slice());
  }
  result_->counts[Outcome::unprocessed] = static_cast<std::int64_t>(result_->held.size());
  LADE_TRY(issues_->publish(result_->issues));
  LADE_TRY(pack_findings(*result_));
  return std::move(*result_);
}

Result<std::vector<analysis::Step::RefusedRow>> BucketLoader::process_slice() {
  std::vector<std::int64_t> rows;
  for (const load::Row& row : slice_.rows)
    if (row.outcome <= Outcome::inserted && row.outcome != Outcome::skipped) rows.push_back(row.place.row_id);
  std::ranges::sort(rows);
  std::vector<analysis::Step::RefusedRow> refused;
  for (const analysis::Step* step : processing_) {
    LADE_ASSIGN(auto said, step->process(writer_, job_.id, rows));
    std::ranges::move(said, std::back_inserter(refused));
    if (!refused.empty()) break;  // the others are called with what is left
  }
  return refused;
}

// The rows fail, and a new entity of which one fails is not loaded at all.
Result<void> BucketLoader::take_out(const std::vector<analysis::Step::RefusedRow>& refused) {
  std::map<std::string, std::uint32_t, std::less<>> entities;
  for (load::Row& row : slice_.rows) {
    row.outcome = Outcome::unprocessed;
    const auto found = std::ranges::find(refused, row.place.row_id, &analysis::Step::RefusedRow::row_id);
    if (found == refused.end()) continue;
    row.outcome = Outcome::failed;
    ++result_->counts[Outcome::failed];
    LADE_TRY(load::tell(*issues_, row.place, Outcome::failed, found->issue));
    if (job_.program->step_names_entities && analysis::is_new_entity(row.key))
      entities.emplace(row.root(), row.place.row_id);
  }
  for (load::Row& row : slice_.rows) {
    const auto guilty = entities.find(row.root());
    if (guilty == entities.end() || row.outcome == Outcome::failed) continue;
    row.outcome = Outcome::skipped;
    ++result_->counts[Outcome::skipped];
    LADE_TRY(load::tell(*issues_, row.place, Outcome::skipped, load::sibling_failed(guilty->second)));
  }
  std::erase_if(slice_.rows, [](const load::Row& row) { return row.outcome != Outcome::unprocessed; });
  return {};
}

// Steps with a process half of their own see the rows in the target tables; those that they refuse are taken back, and
// the rest is loaded without them.
Result<void> BucketLoader::load_slice(const load::JournalSink& journal) {
  if (processing_.empty()) return loader_.load(slice_, *issues_, result_->counts);
  for (;;) {
    LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(writer_));
    staging::IssueLog found(*job_.area);
    staging::IssueWriter issues(found);
    model::RowCounts counts;
    LADE_TRY(loader_.load(slice_, issues, counts));
    LADE_TRY(loader_.finish_journal());
    LADE_ASSIGN(const auto refused, process_slice());
    if (!refused.empty()) {
      LADE_TRY(savepoint.rollback());
      loader_.journal_to(journal);
      LADE_TRY(take_out(refused));
      continue;
    }
    LADE_TRY(savepoint.release());
    result_->counts += counts;
    staging::IssueCounts counted;
    LADE_TRY(issues.publish(counted));
    staging::IssueReader reader(found);
    for (staging::Finding finding;;) {
      LADE_ASSIGN(const bool more, reader.next(finding));
      if (!more) return {};
      LADE_TRY(issues_->add(finding));
    }
  }
}

Result<BucketResult> BucketLoader::load(bool hold, const load::JournalSink& journal, const std::stop_token& stop) {
  loader_.hold_orphans(hold);
  loader_.journal_to(journal);
  LADE_ASSIGN(BucketResult result, run(stop, [&] { return load_slice(journal); }));
  LADE_TRY(loader_.finish_journal());
  return result;
}

Result<BucketResult> BucketLoader::rehearse(const std::stop_token& stop, const load::Rehearsed& told) {
  return run(stop, [&] { return loader_.rehearse(slice_, *issues_, result_->counts, told); });
}

void BucketLoader::expect(std::optional<load::SeenRows> seen) {
  expected_ = std::move(seen);
  loader_.expect(expected_ ? &*expected_ : nullptr);
}

Result<void> pack_findings(BucketResult& result) {
  staging::IssueReader reader(*result.findings);
  staging::Finding finding;
  for (std::uint32_t last = 0;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) return {};
    const bool decides = finding.verdict == Outcome::failed || finding.verdict == Outcome::skipped;
    if (!decides || finding.place.row_id == last) continue;
    last = finding.place.row_id;
    result.outcomes.add({last, finding.verdict, finding.issue.code});
  }
}

Result<BucketResult> refuse_contested(const Job& job, Ranges claims) {
  BucketResult refused(job);
  staging::IssueWriter issues(*refused.findings);
  LADE_ASSIGN(const load::ClaimResults results, load::settle_claims(*job.program, job.area->file(), claims, &issues));
  refused.counts[Outcome::failed] = static_cast<std::int64_t>(results.contested.size());
  LADE_TRY(issues.publish(refused.issues));
  LADE_TRY(pack_findings(refused));
  return refused;
}

Result<std::shared_ptr<const load::ClaimResults>> settle_claims(const Job& job, Ranges claims) {
  LADE_ASSIGN(load::ClaimResults results, load::settle_claims(*job.program, job.area->file(), claims, nullptr));
  return std::make_shared<const load::ClaimResults>(std::move(results));
}

Result<BucketResult> settle_bucket(const Job& job, const StagedBucket& staged, const std::stop_token& stop) {
  BucketResult settled(job);
  staging::IssueLog all(*job.area);
  staging::IssueWriter issues(all);
  load::Settler settler(*job.program, job.area->file(), staged.ranges, {.slice_bytes = kSliceBytes}, staged.claims);
  load::Slice slice;
  model::RowCounts counts;
  for (;;) {
    if (stop.stop_requested()) return fail(cancelled());
    LADE_ASSIGN(const bool more, settler.next(slice, issues, counts));
    if (!more) break;
    settled.counts[Outcome::unprocessed] += static_cast<std::int64_t>(slice.rows.size());
    for (const load::Row& row : slice.rows) settled.outcomes.add({row.place.row_id, Outcome::unprocessed});
  }
  staging::IssueCounts ignored;
  LADE_TRY(issues.publish(ignored));
  // A row that would only have been skipped was not processed either.
  settled.counts[Outcome::unprocessed] += counts[Outcome::skipped];
  settled.counts[Outcome::failed] = counts[Outcome::failed];
  staging::IssueReader reader(all);
  staging::IssueWriter failures(*settled.findings);
  staging::Finding finding;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (finding.verdict == Outcome::failed) LADE_TRY(failures.add(finding));
    if (finding.verdict == Outcome::skipped) settled.outcomes.add({finding.place.row_id, Outcome::unprocessed});
  }
  LADE_TRY(failures.publish(settled.issues));
  LADE_TRY(pack_findings(settled));
  return settled;
}

Result<BucketResult> taken_back(const Job& job, BucketResult& loaded) {
  BucketResult result(job);
  staging::IssueWriter failures(*result.findings);
  staging::IssueReader reader(*loaded.findings);
  staging::Finding finding;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (finding.verdict == Outcome::failed) LADE_TRY(failures.add(finding));
  }
  LADE_TRY(failures.publish(result.issues));
  result.counts[Outcome::failed] = loaded.counts[Outcome::failed];
  result.counts[Outcome::unprocessed] = loaded.counts.accounted() - loaded.counts[Outcome::failed];
  for (const std::uint32_t row : loaded.held) result.outcomes.add({row, Outcome::unprocessed});
  LADE_TRY(store::for_each_outcome(loaded.outcomes.finish(), [&](const store::RowOutcome& row) -> Result<void> {
    result.outcomes.add(row.outcome == Outcome::failed ? row : store::RowOutcome{row.row_id, Outcome::unprocessed});
    return {};
  }));
  return result;
}

Result<void> add_orphans(BucketResult& bucket, BucketResult& loaded) {
  bucket.held = std::move(loaded.held);
  bucket.counts[Outcome::unprocessed] = 0;
  bucket.counts += loaded.counts;
  for (const auto& [what, count] : loaded.issues) bucket.issues[what] += count;
  for (const staging::Range& range : loaded.findings->ranges()) bucket.findings->add_range(range);
  return store::for_each_outcome(loaded.outcomes.finish(), [&](const store::RowOutcome& row) -> Result<void> {
    bucket.outcomes.add(row);
    return {};
  });
}

Result<BucketResult> from_stored(const Job& job, const store::BucketOutcomes& stored) {
  BucketResult result(job);
  result.counts = stored.counts;
  add_counts(result.issues, stored.issues);
  LADE_TRY(staging::unpack(stored.findings, *result.findings));
  LADE_TRY(store::for_each_outcome(stored.packed, [&](const store::RowOutcome& row) -> Result<void> {
    if (row.outcome == Outcome::unprocessed && row.code == kWaitsForParent) {
      result.held.insert(row.row_id);
    } else {
      result.outcomes.add(row);
    }
    return {};
  }));
  return result;
}

Result<store::BucketOutcomes> to_stored(std::size_t bucket, BucketResult& result, bool settled) {
  for (const std::uint32_t row : result.held) result.outcomes.add({row, Outcome::unprocessed, kWaitsForParent});
  store::BucketOutcomes stored;
  stored.bucket = static_cast<std::int64_t>(bucket);
  stored.counts = result.counts;
  stored.packed = result.outcomes.finish();
  stored.settled = settled;
  LADE_ASSIGN(stored.findings, staging::pack(*result.findings));
  stored.issues = to_text(result.issues);
  return stored;
}

std::string to_text(const staging::IssueCounts& counts) {
  boost::json::array list;
  for (const auto& [what, count] : counts)
    list.push_back(boost::json::object{{"code", what.first}, {"column", what.second}, {"count", count}});
  return boost::json::serialize(list);
}

void add_counts(staging::IssueCounts& counts, std::string_view text) {
  const boost::json::value list = boost::json::parse(text);
  for (const boost::json::value& entry : list.as_array())
    counts[{std::string(entry.at("code").as_string()), std::string(entry.at("column").as_string())}] +=
        entry.at("count").to_number<std::int64_t>();
}

}  // namespace lade::jobs
