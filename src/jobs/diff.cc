#include "jobs/diff.h"

#include <fmt/format.h>

#include "jobs/task.h"
#include "store/comparisons.h"

namespace lade::jobs {
namespace {

// A place in the diff is one number: bucket, block, and how many of its records were passed.
constexpr unsigned kRecordBits = 12, kBlockBits = 24;
constexpr std::int64_t kMostRecords = (1 << kRecordBits) - 1;

std::int64_t place_of(const store::DiffPlace& block, std::int64_t passed) {
  return ((block.bucket << kBlockBits | block.block) << kRecordBits) + passed;
}

Error no_diff(const store::JobRecord& job) {
  return {"no_diff", fmt::format("job {} was not compared with what is stored", job.slug),
          "with 'review: always' or 'on_issues' in its definition it is, before anything is written; "
          "lade plan FILE -d DEFINITION shows the changes without a job",
          ErrorKind::invalid};
}

// Takes the wanted records of a block behind the first `passed` ones; false when the page is full.
bool take(const std::string& lines, const load::DiffMatcher& matcher, const store::DiffPlace& block,
          std::int64_t passed, std::int64_t limit, DiffPage& page) {
  std::int64_t number = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const std::string_view record = std::string_view(lines).substr(at, end - at);
    at = end + 1;
    if (++number <= passed || !matcher.matches(record)) continue;
    if (static_cast<std::int64_t>(page.records.size()) == limit) {
      page.next = place_of(block, number - 1);
      return false;
    }
    page.records.emplace_back(record);
  }
  return true;
}

}  // namespace

Result<DiffPage> diff_page(db::Connection& connection, const store::JobRecord& job, const load::DiffFilter& filter,
                           std::int64_t after, std::int64_t limit) {
  LADE_ASSIGN(const auto compared, store::compared_rows(connection, job.id));
  LADE_ASSIGN(const auto blocks, store::diff_places(connection, job.id));
  if (!compared && blocks.empty()) return fail(no_diff(job));
  DiffPage page;
  const load::DiffMatcher matcher(filter);
  bool full = false;
  for (const store::DiffPlace& block : blocks) {
    LADE_ASSIGN(const load::DiffCounts counts, load::read_diff_counts(block.counts));
    page.counts += counts;
    if (full || after >= place_of(block, kMostRecords) || filter.matches(counts) == 0) continue;
    LADE_ASSIGN(const std::string packed, store::diff_block(connection, job.id, block));
    LADE_ASSIGN(const std::string lines, load::unpack_diff(packed));
    const std::int64_t passed = after > place_of(block, 0) ? after - place_of(block, 0) : 0;
    full = !take(lines, matcher, block, passed, limit, page);
  }
  return page;
}

Result<std::optional<model::RowCounts>> rows_to_come(db::Connection& connection, const store::JobRecord& job) {
  if (job.standing.state != model::JobState::waiting_for_review) return std::nullopt;
  LADE_ASSIGN(auto counts, store::compared_rows(connection, job.id));
  if (!counts) return std::nullopt;
  LADE_ASSIGN((*counts)[model::Outcome::failed], failed_rows(connection, job.id));
  counts->read = counts->accounted();
  return counts;
}

}  // namespace lade::jobs
