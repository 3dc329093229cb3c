#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/program.h"
#include "load/timeline.h"

namespace lade::load {

// The days of periods ↔ the fields of the columns that hold them. Rows that follow each other mostly have the same
// ones, so the last answer is kept.
class PeriodDays {
 public:
  PeriodDays(const db::Column& from, const db::Column& until);

  // nullopt: it is no day.
  std::optional<Day> from(db::WireField field) { return day_of(field, from_); }
  // The last day of a period; gives the day after it.
  std::optional<Day> after(db::WireField field);
  // NULL: it never ends.
  std::optional<Day> until(db::WireField field);

  // Appends the field of a column.
  void append_from(std::string& tuple, Day day) { tuple += field_of(day, from_); }
  void append_until(std::string& tuple, Day day) { tuple += field_of(day, until_); }

 private:
  struct Side {
    db::WireType wire;
    analysis::WireForm form;
    std::string bytes;  // of the field read last
    std::optional<Day> day;
    Day written = 0;  // the day written last, and its field
    std::string field;
  };
  std::optional<Day> day_of(db::WireField field, Side& side);
  const std::string& field_of(Day day, Side& side);

  Side from_, until_;
  analysis::TextArena arena_;
};

}  // namespace lade::load
