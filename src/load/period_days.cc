#include "load/period_days.h"

#include "base/assert.h"

namespace lade::load {
namespace {

using analysis::kInfinityDay;

const definition::Type kDate{definition::TypeKind::date};
constexpr Day kLastWrittenDay = 2'932'896;  // 9999-12-31

}  // namespace

PeriodDays::PeriodDays(const db::Column& from, const db::Column& until)
    : from_{from.wire, analysis::wire_form(kDate, from).value_or(analysis::WireForm{}), {}, {}, {}, {}},
      until_{until.wire, analysis::wire_form(kDate, until).value_or(analysis::WireForm{}), {}, {}, {}, {}} {}

std::optional<Day> PeriodDays::day_of(db::WireField field, Side& side) {
  if (field.length < 0) return std::nullopt;
  if (side.day && side.bytes == field.bytes()) return side.day;
  analysis::Cell cell;
  side.day.reset();
  side.bytes = field.bytes();
  if (analysis::decode_value(field, side.wire, kDate, arena_, cell)) side.day = static_cast<Day>(cell.number);
  return side.day;
}

std::optional<Day> PeriodDays::after(db::WireField field) {
  const auto last = day_of(field, until_);
  // After the last day that can be written there is none.
  return !last || *last < kLastWrittenDay ? (last ? std::optional(*last + 1) : last) : kInfinityDay;
}

std::optional<Day> PeriodDays::until(db::WireField field) {
  return field.length < 0 ? kInfinityDay : day_of(field, until_);
}

const std::string& PeriodDays::field_of(Day day, Side& side) {
  if (side.field.empty() || side.written != day) {
    analysis::Cell cell;
    cell.number = day;
    side.field.clear();
    side.written = day;
    LADE_ASSERT(analysis::append_value(side.field, cell, kDate, side.form));
  }
  return side.field;
}

}  // namespace lade::load
