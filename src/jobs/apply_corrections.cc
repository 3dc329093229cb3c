#include "jobs/apply_corrections.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/formula_guard.h"
#include "jobs/analyse.h"
#include "jobs/bucket.h"
#include "jobs/questions.h"
#include "jobs/resettle.h"
#include "jobs/source_record.h"
#include "jobs/staged_rows.h"
#include "jobs/store_issues.h"
#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using store::RowVersion;
using Issues = std::map<std::uint32_t, std::vector<model::Issue>>;  // by row

// So many are looked for one by one; of more all versions of the job are read.
constexpr std::size_t kFewRows = 64;

std::uint32_t id_of(std::int64_t row) {
  return static_cast<std::uint32_t>(row);
}

// Corrects the rows of one job, chunk by chunk.
class Work {
 public:
  Work(db::Connection& connection, const Job& job, const storage::Storage& storage, const Corrector& corrector)
      : connection_(connection),
        job_(job),
        storage_(storage),
        corrector_(corrector),
        analyser_(job, connection),
        before_(job, storage),
        resubmitted_(analysis::is_result_file(job.plan.layout.header)) {}

  Result<void> run(const RowCells& corrections) {
    LADE_TRY(find_last_versions(corrections));
    LADE_TRY(before_.open(connection_));
    LADE_ASSIGN(segments_, store::segments_of(connection_, job_.id));
    for (auto first = corrections.begin(); first != corrections.end();) {
      auto next = first;
      const std::size_t chunk = chunk_of(job_.plan, first->first);
      while (next != corrections.end() && chunk_of(job_.plan, next->first) == chunk) ++next;
      LADE_TRY(correct_chunk(chunk, first, next));
      first = next;
    }
    return publish();
  }

 private:
  using Place = RowCells::const_iterator;

  Result<void> find_last_versions(const RowCells& corrections) {
    if (corrections.size() <= kFewRows) {
      for (const auto& [row, cells] : corrections) {
        LADE_ASSIGN(auto last, store::find_row_version(connection_, job_.id, row));
        if (last) last_.emplace(row, std::move(*last));
      }
      return {};
    }
    LADE_ASSIGN(auto versions, store::row_versions(connection_, job_.id));
    for (RowVersion& version : versions)
      if (corrections.contains(version.row_id)) last_.insert_or_assign(version.row_id, std::move(version));
    return {};
  }

  const RowVersion* last_of(std::int64_t row) const {
    const auto found = last_.find(row);
    return found == last_.end() ? nullptr : &found->second;
  }

  // What the chunk's findings say about rows that nobody has corrected before.
  Result<Issues> issues_of(std::size_t chunk, const std::set<std::uint32_t>& rows) {
    Issues issues;
    if (rows.empty()) return issues;
    staging::IssueLog findings(*job_.area);
    LADE_ASSIGN(const staging::Range range, before_.findings(chunk));
    findings.add_range(range);
    staging::IssueReader reader(findings);
    staging::Finding finding;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(finding));
      if (!more || finding.place.row_id > *rows.rbegin()) return issues;
      if (rows.contains(finding.place.row_id)) issues[finding.place.row_id].push_back(finding.issue);
    }
  }

  // All cells of the row that differ from the source's.
  Result<Cells> changed_cells(const SourceRecord& source, const Cells& given) const {
    const RowVersion* const last = last_of(source.row);
    Cells cells = last == nullptr ? Cells() : read_cells(last->changes);
    for (const auto& [column, cell] : given) cells[column] = cell;
    LADE_ASSIGN(const auto own, given_cells(job_, source));
    const std::vector<std::string>& header = job_.plan.layout.header;
    for (std::size_t i = 0; i < own.size() && i < header.size(); ++i) {
      const auto found = cells.find(header[i]);
      if (found == cells.end()) continue;
      const std::string_view text = resubmitted_ ? analysis::unguard_formula(own[i].text) : own[i].text;
      if (found->second.text == text && found->second.typed == own[i].typed) cells.erase(found);
    }
    return cells;
  }

  Result<void> correct_chunk(std::size_t chunk, Place first, Place last) {
    std::vector<std::int64_t> rows;
    std::set<std::uint32_t> untouched;
    for (Place at = first; at != last; ++at) {
      rows.push_back(at->first);
      if (last_of(at->first) == nullptr) untouched.insert(id_of(at->first));
    }
    LADE_ASSIGN(const auto sources, read_records(job_, rows));
    LADE_ASSIGN(auto records, before_.records_of(chunk, untouched));
    LADE_ASSIGN(auto issues, issues_of(chunk, untouched));
    staging::IssueCounts counts;
    store::SegmentRecord& segment = segments_.at(chunk);
    add_counts(counts, segment.issues);
    Place at = first;
    for (const SourceRecord& source : sources) {
      const std::uint32_t row = id_of(source.row);
      if (untouched.contains(row)) keep_original(source, std::move(records[row]), issues[row]);
      LADE_TRY(correct(source, (at++)->second, segment, counts));
    }
    std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
    segment.issues = to_text(counts);
    return store::record_segment(connection_, job_.id, segment);
  }

  // The source's own row, as it was analysed, is where its history begins.
  void keep_original(const SourceRecord& source, std::string records, const std::vector<model::Issue>& issues) {
    RowVersion original{.row_id = source.row,
                        .version = 0,
                        .records = std::move(records),
                        .line = source.line,
                        .position = source.offset,
                        .issues = to_text(issues)};
    versions_.push_back(original);
    last_.emplace(source.row, std::move(original));
  }

  Result<void> correct(const SourceRecord& source, const Cells& given, store::SegmentRecord& segment,
                       staging::IssueCounts& counts) {
    const RowVersion& last = *last_of(source.row);
    LADE_ASSIGN(const Cells cells, changed_cells(source, given));
    LADE_ASSIGN(const SourceRecord corrected, with_cells(job_, source, cells));
    SingleRecord single(job_, corrected);
    LADE_ASSIGN(const csv::Batch* const batch, single.read());
    LADE_ASSIGN(auto analysed, analyser_.analyse(*batch));
    const std::vector<model::Issue>& now = analysed.front().issues;
    const std::vector<model::Issue> then = read_issues(last.issues);
    for (const model::Issue& issue : then) --counts[{issue.code, issue.column}];
    for (const model::Issue& issue : now) ++counts[{issue.code, issue.column}];
    const std::int64_t failures = std::int64_t{has_error(now)} - std::int64_t{has_error(then)};
    segment.failed_rows += failures;
    segment.rows -= failures;
    failed_ += failures;
    changes_.push_back({id_of(source.row), last.records, analysed.front().records});
    versions_.push_back({.row_id = source.row,
                         .version = last.version + 1,
                         .records = std::move(analysed.front().records),
                         .line = source.line,
                         .position = source.offset,
                         .changes = to_text(cells),
                         .issues = to_text(now),
                         .revision = corrector_.revision});
    return {};
  }

  Result<void> replace_issues() {
    std::vector<std::int64_t> rows;
    staging::IssueLog findings(*job_.area);
    staging::IssueWriter writer(findings);
    for (const RowVersion& version : versions_) {
      if (version.version == 0) continue;
      rows.push_back(version.row_id);
      const staging::RowPlace place{id_of(version.row_id), static_cast<std::uint32_t>(version.line), version.position};
      for (const model::Issue& issue : read_issues(version.issues))
        LADE_TRY(writer.add(
            {place, issue.severity == model::Severity::error ? Outcome::failed : Outcome::unchanged, issue}));
    }
    LADE_TRY(store::forget_issues(connection_, job_.id, rows));
    staging::IssueCounts counted;  // with their chunks
    LADE_TRY(writer.publish(counted));
    LADE_TRY(store_issues(connection_, job_, findings));
    return replace_questions(connection_, job_, findings, rows);
  }

  Result<void> publish() {
    LADE_TRY(store::save_row_versions(connection_, job_.id, versions_, corrector_.actor));
    LADE_TRY(replace_issues());
    model::RowCounts failed;
    failed[Outcome::failed] = failed_;
    LADE_TRY(store::advance_job(connection_, job_.id, {.rows = failed}));
    StagedRows staged(job_, storage_);
    LADE_TRY(staged.open(connection_));
    if (change_claims(job_, changes_)) LADE_TRY(touch_claimants(staged));
    return resettle(connection_, job_, staged, changes_);
  }

  // Rows of which something else comes now, because others claim or leave what they claim too, are as if they had been
  // corrected: buckets that were loaded are told by that.
  Result<void> touch_claimants(StagedRows& staged) {
    LADE_TRY(before_.settle_claims());
    LADE_TRY(staged.settle_claims());
    LADE_ASSIGN(const StagedBucket then, before_.bucket(job_.plan.buckets()));
    LADE_ASSIGN(const StagedBucket now, staged.bucket(job_.plan.buckets()));
    std::set<std::uint32_t> touched;
    for (const auto rows : {&load::ClaimResults::contested, &load::ClaimResults::granted})
      std::ranges::set_symmetric_difference(*then.claims.*rows, *now.claims.*rows,
                                            std::inserter(touched, touched.end()));
    for (const RowVersion& version : versions_) touched.erase(id_of(version.row_id));
    std::vector<RowVersion> versions;
    for (auto first = touched.begin(); first != touched.end();) {
      const std::size_t chunk = chunk_of(job_.plan, *first);
      std::set<std::uint32_t> rows;
      for (; first != touched.end() && chunk_of(job_.plan, *first) == chunk; ++first) rows.insert(*first);
      LADE_TRY(touch(chunk, rows, versions));
    }
    return store::save_row_versions(connection_, job_.id, versions, corrector_.actor);
  }

  Result<void> touch(std::size_t chunk, const std::set<std::uint32_t>& rows, std::vector<RowVersion>& versions) {
    LADE_ASSIGN(const auto records, before_.records_of(chunk, rows));
    LADE_ASSIGN(auto issues, issues_of(chunk, rows));
    for (const auto& [row, range] : records) {
      LADE_ASSIGN(auto last, store::find_row_version(connection_, job_.id, row));
      if (!last) {
        last = RowVersion{.row_id = row, .records = range, .issues = to_text(issues[row])};
        staging::for_each_record(range, [&](const staging::Record& record) {
          std::string_view tuple;
          const staging::RowPlace place = staging::read_row(record, tuple);
          last->line = place.line, last->position = place.offset;
        });
        versions.push_back(*last);
      }
      ++last->version;
      last->revision = corrector_.revision;
      versions.push_back(std::move(*last));
    }
    return {};
  }

  db::Connection& connection_;
  const Job& job_;
  const storage::Storage& storage_;
  const Corrector& corrector_;
  RecordAnalyser analyser_;
  StagedRows before_;
  const bool resubmitted_;  // the source is a result file itself
  std::map<std::int64_t, RowVersion> last_;
  std::vector<store::SegmentRecord> segments_;
  std::vector<RowVersion> versions_;
  std::vector<RowChange> changes_;
  std::int64_t failed_ = 0;  // by how many failed rows have grown
};

}  // namespace

Result<void> apply_corrections(db::Connection& connection, const Job& job, const storage::Storage& storage,
                               const RowCells& corrections, const Corrector& corrector) {
  for (const auto& [row, cells] : corrections)
    if (row < 1 || row > job.plan.split.rows) return fail(read_record(job, row).error());
  return Work(connection, job, storage, corrector).run(corrections);
}

}  // namespace lade::jobs
