#include "load/timeline.h"

#include <algorithm>
#include <numeric>

#include "analysis/wire_codec.h"

namespace lade::load {
namespace {

using analysis::kKeep;
using db::WireField;

// Whether a row's value goes over what is there.
bool is_written(const WireField& value, const WireField* over, const db::Column& column) {
  if (value.length == kKeep) return false;
  return value.length >= 0 || !column.not_null || over == nullptr || over->length < 0;
}

}  // namespace

bool TimelinePlanner::same(const WireField* left, const WireField* right, bool with_ephemeral) const {
  for (std::size_t i = 0; i < rules_.fields.size(); ++i) {
    const TimelineField& field = rules_.fields[i];
    if (field.role != FieldRole::core && !(with_ephemeral && field.role == FieldRole::ephemeral)) continue;
    if (!analysis::same_value(left[i], right[i], *field.column)) return false;
  }
  return true;
}

void TimelinePlanner::collect_boundaries() {
  boundaries_.clear();
  for (const TimelineSlice& slice : stored_) boundaries_.insert(boundaries_.end(), {slice.from, slice.until});
  for (const IncomingPeriod& period : incoming_)
    boundaries_.insert(boundaries_.end(), {period.slice.from, period.slice.until});
  std::sort(boundaries_.begin(), boundaries_.end());
  boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end()), boundaries_.end());
}

// Lays a row over `values`; true when that changes more than the audit fields.
bool TimelinePlanner::lay_over(WireField* values, bool has_values, const WireField* row) const {
  bool changes = !has_values;
  for (std::size_t i = 0; i < rules_.fields.size(); ++i) {
    const TimelineField& field = rules_.fields[i];
    if (!is_written(row[i], has_values ? &values[i] : nullptr, *field.column)) continue;
    const bool counts = field.role == FieldRole::core || field.role == FieldRole::ephemeral;
    changes = changes || (counts && !analysis::same_value(values[i], row[i], *field.column));
    values[i] = row[i];
  }
  return changes;
}

// Gives a segment of which nothing is stored what lasts, unless a row has written it.
void TimelinePlanner::take_lasting(const Segment& segment, std::size_t next_stored) {
  if (stored_.empty()) return;
  const TimelineSlice& neighbour = stored_[next_stored > 0 ? next_stored - 1 : 0];
  for (std::size_t i = 0; i < rules_.fields.size(); ++i) {
    if (!rules_.fields[i].lasting) continue;
    const auto begin = contributions_.begin() + segment.begin, end = contributions_.begin() + segment.end;
    const bool written = std::any_of(begin, end, [&](const Contribution& contribution) {
      return incoming_[contribution.period].slice.values[i].length != kKeep;
    });
    if (!written) pool_[segment.values + i] = neighbour.values[i];
  }
}

// `next_stored`: the first stored slice that does not end before.
void TimelinePlanner::add_segment(Day from, Day until, std::size_t next_stored, std::span<const std::uint32_t> active) {
  const bool is_stored = next_stored < stored_.size() && stored_[next_stored].from <= from;
  if (!is_stored && active.empty()) return;
  Segment segment{from,
                  until,
                  is_stored ? static_cast<std::int32_t>(next_stored) : -1,
                  static_cast<std::uint32_t>(contributions_.size()),
                  0,
                  pool_.size(),
                  !is_stored,
                  false};
  pool_.resize(pool_.size() + rules_.fields.size());
  WireField* values = pool_.data() + segment.values;
  if (is_stored) std::copy_n(stored_[next_stored].values, rules_.fields.size(), values);
  bool filled = is_stored;
  for (const std::uint32_t period : rules_.patch || active.empty() ? active : active.last(1)) {
    contributions_.push_back({period, lay_over(values, filled, incoming_[period].slice.values)});
    filled = true;
  }
  segment.end = static_cast<std::uint32_t>(contributions_.size());
  if (is_stored) {
    segment.dirty = segment.end > segment.begin && !same(stored_[next_stored].values, values, false);
  } else {
    take_lasting(segment, next_stored);
  }
  segments_.push_back(segment);
}

// Goes along the boundaries with the rows that hold there.
void TimelinePlanner::cut() {
  by_start_.resize(incoming_.size());
  std::iota(by_start_.begin(), by_start_.end(), 0u);
  std::sort(by_start_.begin(), by_start_.end(),
            [&](auto a, auto b) { return incoming_[a].slice.from < incoming_[b].slice.from; });
  active_.clear();
  std::size_t next_period = 0, next_stored = 0;
  for (std::size_t i = 0; i + 1 < boundaries_.size(); ++i) {
    const Day from = boundaries_[i];
    std::erase_if(active_, [&](auto period) { return incoming_[period].slice.until <= from; });
    for (; next_period < by_start_.size() && incoming_[by_start_[next_period]].slice.from == from; ++next_period) {
      const std::uint32_t period = by_start_[next_period];
      const auto later = [&](auto a, auto b) { return incoming_[a].row < incoming_[b].row; };
      active_.insert(std::upper_bound(active_.begin(), active_.end(), period, later), period);
    }
    while (next_stored < stored_.size() && stored_[next_stored].until <= from) ++next_stored;
    const bool is_stored = next_stored < stored_.size() && stored_[next_stored].from <= from;
    if (!is_stored && rules_.clipped) continue;
    for (const std::uint32_t period : active_) {
      RowFeedback& told = feedback_[incoming_[period].row];
      told = std::max(told, RowFeedback::eclipsed);  // until it is seen to count
    }
    add_segment(from, boundaries_[i + 1], next_stored, active_);
  }
}

// Joins neighbours that touch and say the same, where a row has changed the core or nothing was parted before.
void TimelinePlanner::join() {
  for (std::size_t i = 1; i < segments_.size(); ++i) {
    const Segment& left = segments_[i - 1];
    Segment& right = segments_[i];
    if (left.until != right.from) continue;
    const bool may = left.dirty || right.dirty || left.stored == right.stored;
    right.joined = may && same(pool_.data() + left.values, pool_.data() + right.values, false);
  }
  for (std::size_t first = 0; first < segments_.size();) {
    std::size_t last = first + 1;
    while (last < segments_.size() && segments_[last].joined) ++last;
    finish_slice(first, last);
    first = last;
  }
}

// The values beside the core of a slice: those of the last row that has one, else those stored last in time.
void TimelinePlanner::choose_passing_values(std::size_t first, std::size_t last) {
  WireField* values = pool_.data() + segments_[first].values;
  for (std::size_t i = 0; i < rules_.fields.size(); ++i) {
    const TimelineField& field = rules_.fields[i];
    if (field.role != FieldRole::ephemeral && field.role != FieldRole::audit) continue;
    const WireField* of_stored = nullptr;
    const WireField* of_row = nullptr;
    std::uint32_t row = 0;
    for (std::size_t s = first; s < last; ++s) {
      const Segment& segment = segments_[s];
      if (segment.stored >= 0) of_stored = &stored_[static_cast<std::size_t>(segment.stored)].values[i];
      for (std::size_t c = segment.begin; c < segment.end; ++c) {
        const IncomingPeriod& period = incoming_[contributions_[c].period];
        const WireField& value = period.slice.values[i];
        if (value.length == kKeep || (of_row != nullptr && period.row < row)) continue;
        row = period.row;
        of_row = &value;
      }
    }
    if (of_row != nullptr && is_written(*of_row, of_stored, *field.column)) {
      values[i] = *of_row;
    } else {
      values[i] = of_stored != nullptr ? *of_stored : WireField{};
    }
  }
}

// A row counts where it changes something that has not come out as it was.
void TimelinePlanner::tell_rows(std::size_t first, std::size_t last, const WireField* values) {
  for (std::size_t s = first; s < last; ++s) {
    const Segment& segment = segments_[s];
    const bool differs =
        segment.stored < 0 || !same(stored_[static_cast<std::size_t>(segment.stored)].values, values, true);
    for (std::size_t c = segment.begin; c < segment.end; ++c) {
      RowFeedback& told = feedback_[incoming_[contributions_[c].period].row];
      const bool applied = differs && contributions_[c].changes;
      told = std::max(told, applied ? RowFeedback::applied : RowFeedback::identical);
    }
  }
}

void TimelinePlanner::add_edit(std::size_t first, std::size_t last, const WireField* values) {
  TimelineEdit edit;
  edit.from = segments_[first].from;
  edit.until = segments_[last - 1].until;
  edit.values = segments_[first].values;
  edit.has_origin = std::any_of(segments_.begin() + static_cast<std::ptrdiff_t>(first),
                                segments_.begin() + static_cast<std::ptrdiff_t>(last),
                                [](const Segment& segment) { return segment.stored >= 0; });
  for (std::size_t s = first; s < last; ++s)
    if (segments_[s].end > segments_[s].begin) blamed_ = incoming_[contributions_[segments_[s].end - 1].period].row;
  edit.row = blamed_;
  const std::int32_t stored = segments_[first].stored;
  if (stored >= 0 && stored_[static_cast<std::size_t>(stored)].from == edit.from) {
    const TimelineSlice& before = stored_[static_cast<std::size_t>(stored)];
    kept_[static_cast<std::size_t>(stored)] = true;
    if (before.until == edit.until && same(before.values, values, true)) return;
    edit.kind = TimelineEdit::Kind::update;
    edit.stored = static_cast<std::uint32_t>(stored);
  }
  edits_.push_back(edit);
}

void TimelinePlanner::finish_slice(std::size_t first, std::size_t last) {
  choose_passing_values(first, last);
  const WireField* values = pool_.data() + segments_[first].values;
  tell_rows(first, last, values);
  add_edit(first, last, values);
}

void TimelinePlanner::remove_rest() {
  for (std::uint32_t i = 0; i < stored_.size(); ++i) {
    if (kept_[i]) continue;
    TimelineEdit edit;
    edit.kind = TimelineEdit::Kind::remove;
    edit.from = stored_[i].from;
    edit.until = stored_[i].until;
    edit.stored = i;
    edit.row = blamed_;
    edits_.push_back(edit);
  }
}

void TimelinePlanner::plan(std::span<const TimelineSlice> stored, std::span<const IncomingPeriod> incoming,
                           std::size_t rows) {
  stored_ = stored;
  incoming_ = incoming;
  segments_.clear();
  contributions_.clear();
  pool_.clear();
  edits_.clear();
  kept_.assign(stored.size(), false);
  feedback_.assign(rows, RowFeedback::no_target);
  blamed_ = incoming.empty() ? 0 : incoming.front().row;
  collect_boundaries();
  cut();
  join();
  remove_rest();
  std::stable_sort(edits_.begin(), edits_.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
}

}  // namespace lade::load
