#include "load/claims.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <set>

#include "load/slice.h"

namespace lade::load {
namespace {

constexpr std::size_t kMergeBytes = 4 * 1024 * 1024;
constexpr std::size_t kColumnAt = 1;  // of a claim's key: after its tag stand the column and what is claimed
constexpr std::size_t kWhatAt = kColumnAt + sizeof(std::int16_t);

struct Claimant {
  staging::RowPlace place;
  std::uint64_t entity;
};

class Claims {
 public:
  Claims(const analysis::Program& program, staging::IssueWriter& issues) : program_(program), issues_(issues) {}

  Result<void> add(const staging::Record& record) {
    if (record.key != key_) LADE_TRY(finish());
    key_ = record.key;
    std::string_view entity;
    const staging::RowPlace place = staging::read_row(record, entity);
    claimants_.push_back({place, XXH3_64bits(entity.data(), entity.size())});
    contested_ = contested_ || claimants_.back().entity != claimants_.front().entity;
    return {};
  }

  // All rows that claim the same have been seen.
  Result<void> finish() {
    if (contested_)
      for (const Claimant& claimant : claimants_) LADE_TRY(refuse(claimant));
    claimants_.clear();
    contested_ = false;
    return {};
  }

  std::size_t failed_rows() const { return failed_.size(); }

 private:
  Result<void> refuse(const Claimant& claimant) {
    const auto is_other = [&](const Claimant& other) { return other.entity != claimant.entity; };
    const Claimant& other = *std::ranges::find_if(claimants_, is_other);
    const auto index = static_cast<std::size_t>(db::read_big_endian<std::int16_t>(key_.data() + kColumnAt));
    const definition::DataColumn& column = program_.columns[index].column;
    model::Issue issue;
    issue.code = "claimed_twice";
    issue.column = column.name;
    issue.value = column.sensitive ? "***" : key_.substr(kWhatAt);
    issue.message = fmt::format("row {} is about another unit and has it too", other.place.row_id);
    issue.hint = "give each unit its own, or give the same identifiers in all rows of one unit";
    failed_.insert(claimant.place.row_id);
    return tell(issues_, claimant.place, model::Outcome::failed, std::move(issue));
  }

  const analysis::Program& program_;
  staging::IssueWriter& issues_;
  std::string key_;
  std::vector<Claimant> claimants_;
  bool contested_ = false;
  std::set<std::uint32_t> failed_;
};

}  // namespace

Result<void> refuse_contested(const analysis::Program& program, const File& staged,
                              std::span<const staging::Range> ranges, staging::IssueWriter& issues,
                              model::RowCounts& counts) {
  staging::Merge merge(staged, ranges, kMergeBytes);
  Claims claims(program, issues);
  staging::Record record;
  for (;;) {
    LADE_ASSIGN(const bool more, merge.next(record));
    if (!more) break;
    LADE_TRY(claims.add(record));
  }
  LADE_TRY(claims.finish());
  counts[model::Outcome::failed] += static_cast<std::int64_t>(claims.failed_rows());
  return {};
}

}  // namespace lade::load
