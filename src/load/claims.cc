#include "load/claims.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

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
  Claims(const analysis::Program& program, staging::IssueWriter* issues) : program_(program), issues_(issues) {}

  Result<void> add(const staging::Record& record) {
    if (record.key != key_) LADE_TRY(finish());
    key_ = record.key;
    std::string_view entity;
    const staging::RowPlace place = staging::read_row(record, entity);
    claimants_.push_back({place, XXH3_64bits(entity.data(), entity.size())});
    return {};
  }

  // All rows that claim the same have been seen, in the order of the file.
  Result<void> finish() {
    if (claimants_.empty()) return {};
    const auto is_first = [&](const Claimant& one) { return one.entity == claimants_.front().entity; };
    if (column() == program_.asked_column) {
      for (const Claimant& one : claimants_)
        if (is_first(one)) results_.granted.push_back(one.place.row_id);
    } else if (!std::ranges::all_of(claimants_, is_first)) {
      for (const Claimant& one : claimants_) LADE_TRY(refuse(one));
    }
    claimants_.clear();
    return {};
  }

  ClaimResults results() && {
    for (auto* rows : {&results_.contested, &results_.granted}) {
      std::ranges::sort(*rows);
      const auto repeated = std::ranges::unique(*rows);
      rows->erase(repeated.begin(), repeated.end());
    }
    return std::move(results_);
  }

 private:
  int column() const { return db::read_big_endian<std::int16_t>(key_.data() + kColumnAt); }

  Result<void> refuse(const Claimant& claimant) {
    results_.contested.push_back(claimant.place.row_id);
    if (issues_ == nullptr) return {};
    const auto is_other = [&](const Claimant& other) { return other.entity != claimant.entity; };
    const Claimant& other = *std::ranges::find_if(claimants_, is_other);
    const definition::DataColumn& column = program_.columns[static_cast<std::size_t>(this->column())].column;
    model::Issue issue;
    issue.code = "claimed_twice";
    issue.column = column.name;
    issue.value = column.sensitive ? "***" : key_.substr(kWhatAt);
    issue.message = fmt::format("row {} is about another unit and has it too", other.place.row_id);
    issue.hint = "give each unit its own, or give the same identifiers in all rows of one unit";
    return tell(*issues_, claimant.place, model::Outcome::failed, std::move(issue));
  }

  const analysis::Program& program_;
  staging::IssueWriter* const issues_;
  std::string key_;
  std::vector<Claimant> claimants_;
  ClaimResults results_;
};

}  // namespace

Result<ClaimResults> settle_claims(const analysis::Program& program, const File& staged,
                                   std::span<const staging::Range> claims, staging::IssueWriter* issues) {
  staging::Merge merge(staged, claims, kMergeBytes);
  Claims settled(program, issues);
  staging::Record record;
  for (;;) {
    LADE_ASSIGN(const bool more, merge.next(record));
    if (!more) break;
    LADE_TRY(settled.add(record));
  }
  LADE_TRY(settled.finish());
  return std::move(settled).results();
}

}  // namespace lade::load
