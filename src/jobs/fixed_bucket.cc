#include "jobs/fixed_bucket.h"

#include <algorithm>
#include <map>

#include "jobs/resettle.h"
#include "jobs/store_issues.h"
#include "load/revert.h"
#include "store/journal.h"
#include "store/row_versions.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using Rows = std::set<std::uint32_t>;

constexpr std::size_t kMergeBytes = 4 * 1024 * 1024;

bool is_in(Outcome outcome) {
  return outcome == Outcome::inserted || outcome == Outcome::updated || outcome == Outcome::unchanged;
}

// The rows of one entity, as they are staged now.
struct Entity {
  std::string root;
  std::string records;  // a range
  Rows rows;
  Rows winners = {};     // that count, when keys are repeated
  bool changed = false;  // other rows count than before, or with other values
};

class Fixing {
 public:
  Fixing(const Job& job, BucketLoader& loader, const StagedBucket& staged, const store::BucketOutcomes& stored)
      : job_(job), loader_(loader), staged_(staged), stored_(stored), settled_(*job.area) {}

  Result<FixedBucket> run(const load::JournalSink& journal, const std::stop_token& stop) {
    if (staged_.corrections)
      touched_ = staged_.corrections->touched(static_cast<std::size_t>(stored_.bucket), stored_.revision);
    LADE_TRY(collect());
    Rows rows = touched_.rows;
    for (const Entity& entity : entities_) rows.insert(entity.rows.begin(), entity.rows.end());
    LADE_ASSIGN(Remainder rest, without(job_, stored_, rows));
    LADE_TRY(settle());
    for (Entity& entity : entities_) entity.changed = has_changed(entity, rest);
    FixedBucket fixed{std::move(rest.result), std::move(rows), std::move(rest.findings)};
    LADE_TRY(keep_unchanged(rest.taken, fixed));
    LADE_TRY(load_changed(rest.taken, journal, stop, fixed.result));
    return fixed;
  }

 private:
  std::string_view root_of(std::string_view key) const { return key.substr(0, load::root_bytes(*job_.program, key)); }

  // All rows of the entities that the corrected ones belong or belonged to.
  Result<void> collect() {
    std::set<std::string, std::less<>> roots;
    for (const std::string& key : touched_.keys) roots.emplace(root_of(key));
    staging::Merge merge(job_.area->file(), staged_.ranges, kMergeBytes);
    for (staging::Record record;;) {
      LADE_ASSIGN(const bool more, merge.next(record));
      if (!more) return {};
      const std::string_view root = root_of(record.key);
      if (!roots.contains(root)) continue;
      if (entities_.empty() || entities_.back().root != root) entities_.push_back({std::string(root), {}, {}});
      staging::append_record(entities_.back().records, record);
      entities_.back().rows.insert(record.row_id);
    }
  }

  std::string records_of(bool only_changed) const {
    std::string records;
    for (const Entity& entity : entities_)
      if (entity.changed || !only_changed) records += entity.records;
    return records;
  }

  Result<void> settle() {
    const std::string records = records_of(false);
    const staging::Range range{.memory = records.data(), .bytes = records.size()};
    load::Settler settler(*job_.program, job_.area->file(), {&range, 1}, {}, staged_.claims);
    load::Slice slice;
    model::RowCounts counts;
    staging::IssueWriter issues(settled_);
    auto entity = entities_.begin();
    for (;;) {
      LADE_ASSIGN(const bool more, settler.next(slice, issues, counts));
      if (!more) break;
      for (const load::Row& row : slice.rows) {
        while (entity->root != row.root()) ++entity;
        entity->winners.insert(row.place.row_id);
      }
    }
    staging::IssueCounts counted;
    return issues.publish(counted);
  }

  bool has_changed(const Entity& entity, const Remainder& before) const {
    const auto is_touched = [&](std::uint32_t row) { return touched_.rows.contains(row); };
    if (std::ranges::any_of(entity.winners, is_touched)) return true;
    if (job_.definition().duplicates == definition::DuplicatePolicy::merge && !entity.winners.empty() &&
        std::ranges::any_of(entity.rows, is_touched))
      return true;
    Rows were_in;
    for (const std::uint32_t row : entity.rows)
      if (const auto taken = before.taken.find(row); taken != before.taken.end() && is_in(taken->second))
        were_in.insert(row);
    return were_in != entity.winners;
  }

  // Rows that count stay as they were loaded; of the others it is told again why they do not.
  Result<void> keep_unchanged(const std::map<std::uint32_t, Outcome>& taken, FixedBucket& fixed) {
    Rows winners, losers;
    for (const Entity& entity : entities_) {
      if (entity.changed) continue;
      winners.insert(entity.winners.begin(), entity.winners.end());
      losers.insert(entity.rows.begin(), entity.rows.end());
    }
    BucketResult kept(job_);
    staging::IssueWriter issues(*kept.findings);
    for (const std::uint32_t row : winners) {
      losers.erase(row);
      ++kept.counts[taken.at(row)];
      kept.outcomes.add({row, taken.at(row)});
    }
    for (const staging::Finding& finding : fixed.outdated)
      if (winners.contains(finding.place.row_id)) LADE_TRY(issues.add(finding));
    staging::IssueReader reader(settled_);
    std::uint32_t last = 0;
    for (staging::Finding finding;;) {
      LADE_ASSIGN(const bool more, reader.next(finding));
      if (!more) break;
      const std::uint32_t row = finding.place.row_id;
      if (!losers.contains(row)) continue;
      LADE_TRY(issues.add(finding));
      if (std::exchange(last, row) == row) continue;
      ++kept.counts[finding.verdict];
      kept.outcomes.add({row, finding.verdict, finding.issue.code});
    }
    LADE_TRY(issues.publish(kept.issues));
    return add(fixed.result, kept);
  }

  Result<void> load_changed(const std::map<std::uint32_t, Outcome>& taken, const load::JournalSink& journal,
                            const std::stop_token& stop, BucketResult& result) {
    const std::string records = records_of(true);
    if (records.empty()) return {};
    std::map<std::uint32_t, Outcome> written;  // before, by rows that are loaded again or not at all any more
    for (const Entity& entity : entities_)
      for (const std::uint32_t row : entity.rows)
        if (const auto found = taken.find(row); entity.changed && found != taken.end() && is_in(found->second))
          written.insert(*found);
    LADE_TRY(put_back(written, journal));
    StagedBucket changed{{staging::Range{.memory = records.data(), .bytes = records.size()}}};
    changed.claims = staged_.claims;
    LADE_TRY(loader_.begin(changed));
    LADE_ASSIGN(BucketResult loaded, loader_.load(true, journal, stop));
    LADE_TRY(remember(written, loaded));
    return add(result, loaded);
  }

  // Takes the rows that were put back out of `written`.
  Result<void> put_back(std::map<std::uint32_t, Outcome>& written, const load::JournalSink& journal) {
    Rows rows;
    for (const auto& [row, outcome] : written)
      if (outcome != Outcome::unchanged) rows.insert(row);
    if (rows.empty()) return {};
    db::Connection& writer = loader_.writer();
    const load::OwnBlocks own = [&](std::string_view table) {
      return store::journal_of(writer, job_.id, table, stored_.bucket);
    };
    const load::LaterBlocks later = [&](std::string_view table, std::string_view first, std::string_view last) {
      return store::later_blocks(writer, job_.id, table, first, last);
    };
    LADE_ASSIGN(const Rows reverted, load::revert(*job_.program, writer, {own, later, journal, rows}));
    for (const std::uint32_t row : reverted) written.erase(row);
    return {};
  }

  // What a row has done before, and was not put back, counts still.
  Result<void> remember(const std::map<std::uint32_t, Outcome>& written, BucketResult& loaded) {
    store::OutcomePacker outcomes;
    const std::string packed = loaded.outcomes.finish();
    LADE_TRY(store::for_each_outcome(packed, [&](store::RowOutcome row) -> Result<void> {
      const auto before = written.find(row.row_id);
      if (before != written.end() && is_in(row.outcome) && before->second > row.outcome) {
        --loaded.counts[row.outcome];
        row.outcome = before->second;
        ++loaded.counts[row.outcome];
      }
      outcomes.add(row);
      return {};
    }));
    loaded.outcomes = std::move(outcomes);
    return {};
  }

  static Result<void> add(BucketResult& to, BucketResult& more) {
    to.held.merge(more.held);
    to.counts += more.counts;
    to.counts[Outcome::unprocessed] = static_cast<std::int64_t>(to.held.size());
    for (const auto& [what, count] : more.issues) to.issues[what] += count;
    for (const staging::Range& range : more.findings->ranges()) to.findings->add_range(range);
    const std::string packed = more.outcomes.finish();
    return store::for_each_outcome(packed, [&](const store::RowOutcome& row) -> Result<void> {
      to.outcomes.add(row);
      return {};
    });
  }

  const Job& job_;
  BucketLoader& loader_;
  const StagedBucket& staged_;
  const store::BucketOutcomes& stored_;
  Corrections::Touched touched_;
  std::vector<Entity> entities_;  // in the order of their keys
  staging::IssueLog settled_;     // what is said about rows that do not count
};

}  // namespace

Result<FixedBucket> load_fixed_bucket(const Job& job, BucketLoader& loader, const StagedBucket& staged,
                                      const store::BucketOutcomes& stored, const load::JournalSink& journal,
                                      const std::stop_token& stop) {
  return Fixing(job, loader, staged, stored).run(journal, stop);
}

Result<model::RowCounts> store_fixed_bucket(db::Connection& connection, const Job& job, FixedBucket& fixed,
                                            const store::BucketOutcomes& before) {
  std::map<std::string, std::vector<std::int64_t>> outdated;  // by code
  for (const staging::Finding& finding : fixed.outdated) outdated[finding.issue.code].push_back(finding.place.row_id);
  for (const auto& [code, rows] : outdated) LADE_TRY(store::forget_issues(connection, job.id, rows, code));
  staging::IssueLog found(*job.area);
  staging::IssueWriter writer(found);
  staging::IssueReader reader(*fixed.result.findings);
  for (staging::Finding finding;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (fixed.rows.contains(finding.place.row_id)) LADE_TRY(writer.add(finding));
  }
  staging::IssueCounts counted;
  LADE_TRY(writer.publish(counted));
  LADE_TRY(store_issues(connection, job, found));
  model::RowCounts grown = fixed.result.counts;
  for (std::size_t i = 0; i < grown.by_outcome.size(); ++i) grown.by_outcome[i] -= before.counts.by_outcome[i];
  LADE_ASSIGN(const auto stored, to_stored(static_cast<std::size_t>(before.bucket), fixed.result, false));
  LADE_TRY(store::save_outcomes(connection, job.id, stored));
  return grown;
}

}  // namespace lade::jobs
