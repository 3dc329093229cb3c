#include "analysis/convert.h"

#include <re2/re2.h>

#include <algorithm>

#include "analysis/fold_case.h"
#include "analysis/formula_guard.h"
#include "base/assert.h"
#include "csv/reader.h"

namespace lade::analysis {
namespace {

using definition::BlankPolicy;
using definition::TypeKind;

constexpr std::size_t kMaxCellBytes = 1024 * 1024;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

CellState blank_state(const ColumnProgram& column) {
  switch (column.column.blank) {
    case BlankPolicy::null: return CellState::null;
    case BlankPolicy::keep: return CellState::keep;
    case BlankPolicy::clear: return CellState::clear;
    case BlankPolicy::error: return CellState::bad;
  }
  return CellState::null;
}

// Records a finding about one cell: a hard one fails the row, a soft one only unsets the cell.
void refuse(model::Issue issue, std::size_t row, CellState& state, RowIssues& issues) {
  state = issue.severity == model::Severity::error ? CellState::bad : CellState::null;
  issues.add(row, std::move(issue));
}

void refuse(const ColumnProgram& column, std::string_view code, std::size_t row, std::string_view value,
            CellState& state, RowIssues& issues) {
  refuse(cell_issue(column, code, value), row, state, issues);
}

// What stands for a blank cell: the default, which may be a cell of `values` or a value of it, or what `values` has for
// the empty cell.
std::string_view text_of_blank(const ColumnProgram& column) {
  const std::string text = column.column.default_value.value_or("");
  if (const auto found = column.values.find(text); found != column.values.end()) return found->second;
  return column.column.default_value ? std::string_view(*column.column.default_value) : std::string_view();
}

bool has_limits(const ColumnProgram& column) {
  return column.min || column.max || column.column.min_length || column.pattern;
}

// Digits with an optional minus and point: how cells of numbers are delivered.
bool is_plain_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(text, '.') <= 1;
}

CastFault cast(const definition::Type& type, const NumberFormat& numbers, const BooleanFormat& booleans,
               const DateFormat& dates, std::string_view text, Cell& cell) {
  switch (type.kind) {
    case TypeKind::text: cell.text = text; return {};
    case TypeKind::json: cell.text = text; return json(text);
    case TypeKind::uuid: return uuid(text, cell.uuid);
    case TypeKind::decimal: return numbers.decimal(text, type.precision, type.scale, cell.number);
    case TypeKind::integer: {
      std::int64_t value = 0;
      const CastFault fault = numbers.integer(text, value);
      cell.number = value;
      return fault;
    }
    case TypeKind::boolean: {
      bool value = false;
      const CastFault fault = booleans.boolean(text, value);
      cell.number = value;
      return fault;
    }
    case TypeKind::date: {
      std::int32_t value = 0;
      const CastFault fault = dates.date(text, value);
      cell.number = value;
      return fault;
    }
    case TypeKind::timestamp: {
      std::int64_t value = 0;
      const CastFault fault = dates.timestamp(text, value);
      cell.number = value;
      return fault;
    }
  }
  LADE_ASSERT(false && "a type without a cast");
  return {};
}

// One cell from its text.
class CellConverter {
 public:
  CellConverter(const ColumnProgram& column, RowIssues& issues, TextArena& arena, Suggestions& suggestions)
      : column_(column),
        issues_(issues),
        arena_(arena),
        suggestions_(suggestions),
        trims_(column.column.trim),
        plain_(column.values.empty() && !column.column.values_only && column.null_values.empty() &&
               column.column.cut.empty() && column.replace.empty()),
        is_text_(column.type.kind == TypeKind::text),
        has_limits_(has_limits(column)),
        short_bytes_(column.max_length > 0 ? static_cast<std::size_t>(column.max_length) : kMaxCellBytes),
        text_of_blank_(text_of_blank(column)) {}

  // `typed`: the workbook says that the cell is no text.
  void convert(std::string_view raw, bool stable, bool typed, std::size_t row, Cell& cell, CellState& state) {
    if (raw.size() > kMaxCellBytes) return refuse(column_, "cell_too_long", row, raw, state, issues_);
    std::string_view text = trims_ ? trimmed(raw) : raw;
    if ((!plain_ || text.empty()) && !replace(text, stable, typed, row, state)) return;
    if (typed && text.starts_with('#')) return refuse(column_, "cell_error", row, text, state, issues_);
    if (is_text_) {
      cell.text = text;
    } else if (const CastFault fault = typed ? cast_typed(column_, text, cell) : cast_text(column_, text, cell)) {
      return refuse(column_, fault.code, row, text, state, issues_);
    }
    state = CellState::value;
    // No text has more characters than bytes.
    if (has_limits_ || text.size() > short_bytes_) check_limits(column_, row, text, cell, state, issues_);
    if (!stable && (is_text_ || column_.type.kind == TypeKind::json)) cell.text = arena_.keep(text);
  }

 private:
  // Puts what the definition has for a blank cell, or in its map of values, into the cell's place; false when the cell
  // is done with.
  bool replace(std::string_view& text, bool& stable, bool& typed, std::size_t row, CellState& state) {
    if (const std::string& cut = column_.column.cut; !cut.empty()) {
      text = text.substr(0, text.find(cut));
      if (trims_) text = trimmed(text);
    }
    if (!column_.replace.empty())
      if (const auto found = column_.replace.find(std::string(text)); found != column_.replace.end()) {
        text = found->second;
        stable = true;
        typed = false;
      }
    if (is_blank(text)) {
      if (text_of_blank_.empty()) return blank(row, text, state), false;
      text = text_of_blank_;
      stable = true;
      typed = false;
    } else if (!column_.values.empty() || column_.column.values_only) {
      const auto found = column_.values.find(std::string(text));
      if (found == column_.values.end()) return refuse_value(text, row, state), false;
      text = found->second;
      stable = true;
      typed = false;
    }
    return true;
  }

  bool is_blank(std::string_view text) const {
    if (text.empty()) return true;
    for (const std::string& null : column_.null_values)
      if (folds_to(text, null)) return true;
    return false;
  }

  void refuse_value(std::string_view text, std::size_t row, CellState& state) {
    model::Issue issue = cell_issue(column_, "value_not_allowed", text);
    if (!column_.column.sensitive)
      issue.hint.insert(0, suggestions_.hint(text, [&] {
        std::vector<std::string> cells;
        for (const auto& [cell, value] : column_.column.values) cells.push_back(cell);
        return cells;
      }));
    refuse(std::move(issue), row, state, issues_);
  }

  void blank(std::size_t row, std::string_view text, CellState& state) {
    if (column_.column.required) return refuse(column_, "required", row, text, state, issues_);
    state = blank_state(column_);
    if (state == CellState::bad) refuse(column_, "blank", row, text, state, issues_);
  }

  const ColumnProgram& column_;
  RowIssues& issues_;
  TextArena& arena_;
  Suggestions& suggestions_;
  const bool trims_;
  const bool plain_;  // a cell that is not empty means what it says
  const bool is_text_;
  const bool has_limits_;
  const std::size_t short_bytes_;         // texts up to this size are not too long
  const std::string_view text_of_blank_;  // empty: a blank cell stays blank
};

}  // namespace

std::int64_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

void RowIssues::reset(std::size_t rows) {
  failed_.assign(rows, 0);
  entries_.clear();
}

void RowIssues::add(std::size_t row, model::Issue issue) {
  const bool asks = !issue.question.empty();
  if (failed_[row] == kClosed || (failed_[row] == kAskedBefore && !asks)) return;
  if (issue.severity == model::Severity::error) {
    if (failed_[row] == 0 && asks) failed_[row] = kAsked;
    if ((failed_[row] == 0 || failed_[row] == kAsked) && !asks) failed_[row] = kFailed;
  }
  entries_.push_back({static_cast<std::uint32_t>(row), std::move(issue)});
}

void RowIssues::close_failed() {
  std::replace(failed_.begin(), failed_.end(), kFailed, kClosed);
  std::replace(failed_.begin(), failed_.end(), kAsked, kAskedBefore);
}

const std::vector<RowIssues::Entry>& RowIssues::sorted() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
  return entries_;
}

CastFault cast_text(const ColumnProgram& column, std::string_view text, Cell& cell) {
  if (column.column.infinity && column.type.kind == TypeKind::date && folds_to(text, kInfinityWord)) {
    cell.number = kInfinityDay;
    return {};
  }
  return cast(column.type, column.numbers, column.booleans, column.dates, text, cell);
}

CastFault cast_typed(const ColumnProgram& column, std::string_view text, Cell& cell) {
  static const NumberFormat kNumbers;
  static const BooleanFormat kBooleans;
  const bool plain = column.column.locale.empty() && column.column.formats.empty();
  if (plain) return cast_text(column, text, cell);
  const CastFault fault = cast(column.type, kNumbers, kBooleans, column.plain_dates, text, cell);
  // A number that does not fit is not another number: 1.234 is too exact for decimal(14,2), and never 1234.
  const bool counts = column.type.kind == TypeKind::decimal || column.type.kind == TypeKind::integer;
  return !fault || (counts && is_plain_number(text)) ? fault : cast_text(column, text, cell);
}

void check_limits(const ColumnProgram& column, std::size_t row, std::string_view text, const Cell& cell,
                  CellState& state, RowIssues& issues) {
  const bool is_text = column.type.kind == TypeKind::text;
  const auto less = [&](const Cell& a, const Cell& b) { return is_text ? a.text < b.text : a.number < b.number; };
  if (column.min && less(cell, *column.min)) refuse(column, "below_min", row, text, state, issues);
  if (column.max && less(*column.max, cell)) refuse(column, "above_max", row, text, state, issues);
  if (column.max_length > 0 && static_cast<std::int64_t>(text.size()) > column.max_length &&
      characters(text) > column.max_length)
    refuse(column, "too_long", row, text, state, issues);
  if (column.column.min_length && characters(text) < *column.column.min_length)
    refuse(column, "too_short", row, text, state, issues);
  if (column.pattern && !re2::RE2::FullMatch({text.data(), text.size()}, *column.pattern))
    refuse(column, "pattern_mismatch", row, text, state, issues);
}

void convert_cell(const ColumnProgram& column, std::string_view text, std::size_t row, Cell& cell, CellState& state,
                  RowIssues& issues, TextArena& arena) {
  Suggestions suggestions;
  const bool typed = column.type.kind != TypeKind::text && column.type.kind != TypeKind::json;
  CellConverter(column, issues, arena, suggestions).convert(text, false, typed, row, cell, state);
}

void convert_column(const ColumnProgram& column, const RawRows& raw, TypedColumn& out, RowIssues& issues,
                    TextArena& arena, Suggestions& suggestions) {
  out.resize(raw.rows);
  if (column.absent) {
    std::fill(out.states.begin(), out.states.end(), CellState::keep);
    return;
  }
  if (column.source < 0 && !column.fixed) return;  // filled by its lookup
  CellConverter converter(column, issues, arena, suggestions);
  std::string scratch;
  for (std::size_t row = 0; row < raw.rows; ++row) {
    if (issues.broken(row)) {
      out.states[row] = CellState::bad;
      continue;
    }
    const csv::Field field = column.fixed ? csv::Field{*column.fixed}
                                          : raw.batch->field(raw.begin + row, static_cast<std::size_t>(column.source));
    std::string_view text = field.raw;
    if (field.escaped) text = csv::unescape(field, raw.dialect, scratch);
    if (raw.resubmitted && !column.fixed) text = unguard_formula(text);
    const bool typed = raw.dialect.rows_are_lines && !field.quoted && !column.fixed;
    converter.convert(text, !field.escaped, typed, row, out.cells[row], out.states[row]);
  }
}

}  // namespace lade::analysis
