#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "db/catalogue.h"
#include "db/wire.h"

// The timeline of one entity: which stored rows must be deleted, updated and inserted so that rows of the file hold for
// their periods. Knows no database. docs/temporal.md has the rules with examples.
namespace lade::load {

// Days since 1970-01-01; analysis::kInfinityDay comes after all others.
using Day = std::int32_t;

enum class FieldRole : std::uint8_t {
  core,       // a change of it is a new slice
  ephemeral,  // written, but never cuts the timeline
  audit,      // the same, and is no reason to write
  fixed,      // key, id and period: equal in all slices or made from them
};

struct TimelineField {
  const db::Column* column = nullptr;
  FieldRole role = FieldRole::core;
  // Where a row holds for days of which nothing is stored and does not write it: the value of the slice before or, if
  // there is none, behind. Other fields are NULL there.
  bool lasting = false;
};

struct TimelineRules {
  std::vector<TimelineField> fields;
  // Rows are laid over each other in their order; otherwise the last one alone counts where several hold.
  bool patch = false;
  // Only where something is stored; otherwise rows extend the timeline and fill its gaps.
  bool clipped = false;
};

// What holds from one day up to another one, which is not included. `values` are as many as the rules have fields.
struct TimelineSlice {
  Day from = 0;
  Day until = 0;
  const db::WireField* values = nullptr;
};

// A period for which a row of the file holds. Fields that the row does not write are analysis::kKeep. A NULL is
// written, but never over a value in a column that is NOT NULL.
struct IncomingPeriod {
  TimelineSlice slice;
  std::uint32_t row = 0;  // an index; several periods may be of one row, and do not overlap then
};

enum class RowFeedback : std::uint8_t { no_target, eclipsed, identical, applied };

struct TimelineEdit {
  enum class Kind : std::uint8_t { remove, update, insert } kind = Kind::insert;
  Day from = 0;
  Day until = 0;
  std::uint32_t stored = 0;  // index of the slice that is removed or updated
  std::uint32_t row = 0;     // a row on whose account it is done
  bool has_origin = true;    // a part of it was stored before: columns that no row writes have a value
  std::size_t values = 0;    // see TimelinePlanner::values()
};

// Used for one entity after the other; keeps its memory.
class TimelinePlanner {
 public:
  explicit TimelinePlanner(TimelineRules rules) : rules_(std::move(rules)) {}

  // `stored`: by `from`, not overlapping. `incoming`: rows in the order in which they count, `rows` of them. Values
  // must live until the results have been read.
  void plan(std::span<const TimelineSlice> stored, std::span<const IncomingPeriod> incoming, std::size_t rows);

  // By kind, then in the order of time: executed so, no two rows ever hold for the same day.
  std::span<const TimelineEdit> edits() const { return edits_; }
  // Per row.
  std::span<const RowFeedback> feedback() const { return feedback_; }
  // The values of what is written, none of them kKeep.
  const db::WireField* values(const TimelineEdit& edit) const { return pool_.data() + edit.values; }

  const TimelineRules& rules() const { return rules_; }

 private:
  // The longest time in which nothing begins or ends.
  struct Segment {
    Day from, until;
    std::int32_t stored;       // index, -1: nothing is
    std::uint32_t begin, end;  // of contributions_: the rows that hold here
    std::size_t values;        // in pool_
    bool dirty;                // its core is not what is stored
    bool joined;               // with the segment before
  };
  struct Contribution {
    std::uint32_t period;
    bool changes;
  };

  void collect_boundaries();
  void cut();
  void add_segment(Day from, Day until, std::size_t next_stored, std::span<const std::uint32_t> active);
  bool lay_over(db::WireField* values, bool has_values, const db::WireField* row) const;
  void take_lasting(const Segment& segment, std::size_t next_stored);
  void join();
  void finish_slice(std::size_t first, std::size_t last);
  void choose_passing_values(std::size_t first, std::size_t last);
  void tell_rows(std::size_t first, std::size_t last, const db::WireField* values);
  void add_edit(std::size_t first, std::size_t last, const db::WireField* values);
  void remove_rest();
  bool same(const db::WireField* left, const db::WireField* right, bool with_ephemeral) const;

  const TimelineRules rules_;
  std::span<const TimelineSlice> stored_;
  std::span<const IncomingPeriod> incoming_;
  std::vector<Day> boundaries_;
  std::vector<std::uint32_t> by_start_;  // periods
  std::vector<std::uint32_t> active_;    // periods that hold at the segment at hand, in the order of their rows
  std::vector<Segment> segments_;
  std::vector<Contribution> contributions_;
  std::vector<db::WireField> pool_;
  std::vector<bool> kept_;  // stored slices of whose `from` a slice still begins
  std::uint32_t blamed_ = 0;
  std::vector<TimelineEdit> edits_;
  std::vector<RowFeedback> feedback_;
};

}  // namespace lade::load
