#include "load/slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/entity_key.h"
#include "load/tuple_fields.h"

namespace lade::load {

using definition::DuplicatePolicy;
using definition::TypeKind;
using model::Outcome;

void Slice::clear() {
  rows.clear();
  arena_.clear();
  bytes_ = 0;
}

Row& Slice::add(std::string_view key, const staging::RowPlace& place, std::string_view tuple) {
  bytes_ += key.size() + tuple.size() + sizeof(Row);
  Row& row = rows.emplace_back();
  row.key = key;
  row.place = place;
  row.tuple = tuple;
  return row;
}

void Slice::replace_tuple(Row& row, std::string_view tuple) {
  bytes_ += tuple.size();
  row.tuple = tuple;
}

Result<void> tell(staging::IssueWriter& issues, const staging::RowPlace& place, Outcome verdict, model::Issue issue) {
  return issues.add({place, verdict, std::move(issue)});
}

model::Issue sibling_failed(std::uint32_t row) {
  model::Issue issue;
  issue.severity = model::Severity::warning;
  issue.code = "sibling_failed";
  issue.message = fmt::format("row {} is about the same new unit and failed", row);
  issue.hint = "correct that row and send both again";
  return issue;
}

std::uint32_t root_bytes(const analysis::Program& program, std::string_view key) {
  if (program.step_names_entities) return static_cast<std::uint32_t>(analysis::entity_bytes(key));
  if (program.row_is_key || program.root_parts == program.identity.size())
    return static_cast<std::uint32_t>(key.size());
  std::size_t at = program.definition.partition == definition::Partition::hash ? 2 : 0;
  for (std::size_t i = 0; i < program.root_parts; ++i) {
    const TypeKind kind = program.identity[i].type.kind;
    if (kind == TypeKind::uuid) {
      at += 16;
    } else if (kind == TypeKind::text || kind == TypeKind::json) {
      at = key.find('\0', at) + 1;
    } else {
      const int length = static_cast<unsigned char>(key[at]) - 0x80;
      at += 1 + static_cast<std::size_t>(length < 0 ? -length : length);
    }
  }
  return static_cast<std::uint32_t>(at);
}

Settler::Settler(const analysis::Program& program, const File& staged, std::span<const staging::Range> ranges,
                 SettleOptions options, std::shared_ptr<const ClaimResults> claims)
    : program_(program),
      options_(options),
      in_memory_(std::all_of(ranges.begin(), ranges.end(),
                             [](const auto& range) { return range.memory != nullptr || range.bytes == 0; })),
      claims_(std::move(claims)),
      merge_(staged, ranges, options.buffer_bytes) {}

// The next record that is a row. Those that stand for failed rows of a new entity come before the entity's others.
Result<void> Settler::fetch() {
  for (;;) {
    LADE_ASSIGN(has_ahead_, merge_.next(ahead_));
    if (!has_ahead_) return {};
    if (claims_ && std::ranges::binary_search(claims_->contested, ahead_.row_id)) continue;
    std::string_view tuple;
    staging::read_row(ahead_, tuple);
    if (!tuple.empty()) {
      const bool is_sibling = !failed_entity_.empty() && ahead_.key.starts_with(failed_entity_);
      ahead_sibling_ = is_sibling ? failed_row_ : 0;
      return {};
    }
    if (program_.entries.front().set) {
      tell_failed(ahead_.key);
      continue;
    }
    if (failed_entity_ != ahead_.key) failed_row_ = ahead_.row_id;
    failed_entity_ = ahead_.key;
  }
}

void Settler::tell_failed(std::string_view key) const {
  if (!options_.on_failed) return;
  const bool hashed = program_.definition.partition == definition::Partition::hash;
  options_.on_failed(hashed ? key.substr(2) : key);
}

// The tuple of the record at hand as it is kept; true in the column that its row has asked for, if it was granted.
std::string_view Settler::with_grant(Slice& slice, std::string_view tuple) {
  if (!claims_ || program_.asked_slot < 0 || !std::ranges::binary_search(claims_->granted, ahead_.row_id))
    return kept(slice, tuple);
  const analysis::Slot& slot = program_.slots[static_cast<std::size_t>(program_.asked_slot)];
  char field[16];
  analysis::Cell yes;
  yes.number = 1;
  const char* end = analysis::write_value(field, yes, {definition::TypeKind::boolean}, slot.form);
  std::string_view granted(field, static_cast<std::size_t>(end - field));
  return slice.keep(with_field(tuple, program_.asked_slot, db::take_field(granted)));
}

void Settler::add_to_group(Slice& slice, const staging::RowPlace& place, std::string_view tuple) {
  const DuplicatePolicy policy = program_.definition.duplicates;
  Row& row = slice.rows.back();
  if (policy == DuplicatePolicy::merge) {
    if (!merger_) merger_.emplace(program_).add(row.tuple);
    merger_->add(tuple);
  } else if (policy == DuplicatePolicy::last) {
    slice.replace_tuple(row, with_grant(slice, tuple));
  }
  places_.push_back(place);
}

// Reads all rows of the next identity; they are one row of the slice.
Result<bool> Settler::read_group(Slice& slice) {
  if (!has_ahead_) LADE_TRY(fetch());
  if (!has_ahead_) return false;
  failed_sibling_ = ahead_sibling_;
  std::string_view tuple;
  const staging::RowPlace first = staging::read_row(ahead_, tuple);
  const std::string_view key = slice.add(kept(slice, ahead_.key), first, with_grant(slice, tuple)).key;
  places_.assign(1, first);
  merger_.reset();
  for (;;) {
    LADE_TRY(fetch());
    if (!has_ahead_ || ahead_.key != key) return true;
    const staging::RowPlace place = staging::read_row(ahead_, tuple);
    add_to_group(slice, place, tuple);
  }
}

Result<void> Settler::fail_group(const model::Issue& issue, staging::IssueWriter& issues, model::RowCounts& counts) {
  for (const staging::RowPlace& place : places_) {
    ++counts[Outcome::failed];
    LADE_TRY(tell(issues, place, Outcome::failed, issue));
  }
  return {};
}

Result<void> Settler::reject_group(staging::IssueWriter& issues, model::RowCounts& counts) {
  for (const staging::RowPlace& place : places_) {
    const bool first = &place == &places_.front();
    model::Issue issue;
    issue.code = "duplicate_in_file";
    issue.message = fmt::format("row {} has the same key", (first ? places_[1] : places_[0]).row_id);
    issue.hint = "keep one of the rows";
    ++counts[Outcome::failed];
    LADE_TRY(tell(issues, place, Outcome::failed, std::move(issue)));
  }
  return {};
}

Result<void> Settler::skip_losers(const staging::RowPlace& winner, staging::IssueWriter& issues,
                                  model::RowCounts& counts) {
  const bool merged = merger_.has_value();
  model::Issue issue;
  issue.severity = model::Severity::warning;
  issue.code = merged ? "merged_into" : "duplicate_in_file";
  issue.message = merged ? fmt::format("merged into row {}, which has the same key", winner.row_id)
                         : fmt::format("row {} has the same key and is used instead", winner.row_id);
  for (const staging::RowPlace& place : places_) {
    if (place.row_id == winner.row_id) continue;
    ++counts[Outcome::skipped];
    LADE_TRY(tell(issues, place, Outcome::skipped, issue));
  }
  return {};
}

Result<void> Settler::skip_siblings(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts) {
  slice.rows.pop_back();
  for (const staging::RowPlace& place : places_) {
    ++counts[Outcome::skipped];
    LADE_TRY(tell(issues, place, Outcome::skipped, sibling_failed(failed_sibling_)));
  }
  return {};
}

Result<void> Settler::settle_group(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts) {
  Row& row = slice.rows.back();
  row.root_bytes = root_bytes(program_, row.key);
  if (failed_sibling_ != 0) return skip_siblings(slice, issues, counts);
  if (places_.size() == 1) return {};
  const DuplicatePolicy policy = program_.definition.duplicates;
  if (policy == DuplicatePolicy::reject) {
    tell_failed(row.key);
    slice.rows.pop_back();
    return reject_group(issues, counts);
  }
  if (merger_) {
    const auto merged = merger_->finish();
    if (!merged) {
      tell_failed(row.key);
      slice.rows.pop_back();
      return fail_group(merger_->refusal(), issues, counts);
    }
    slice.replace_tuple(row, slice.keep(*merged));
  }
  row.place = policy == DuplicatePolicy::first ? places_.front() : places_.back();
  return skip_losers(row.place, issues, counts);
}

Result<bool> Settler::next(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts) {
  slice.clear();
  bool any = false;
  for (;;) {
    // A full slice ends where a new root entity begins.
    const bool full = slice.bytes() >= options_.slice_bytes;
    if (full && has_ahead_ &&
        (slice.rows.empty() || ahead_.key.substr(0, root_bytes(program_, ahead_.key)) != slice.rows.back().root()))
      return true;
    LADE_ASSIGN(const bool more, read_group(slice));
    if (!more) return any;
    any = true;
    LADE_TRY(settle_group(slice, issues, counts));
  }
}

}  // namespace lade::load
