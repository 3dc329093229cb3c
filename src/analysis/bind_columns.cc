#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "analysis/binder.h"
#include "analysis/convert.h"
#include "analysis/fold_case.h"
#include "definition/match.h"

namespace lade::analysis {
namespace {

using definition::DataColumn;
using definition::TypeKind;

constexpr std::size_t kMostProposals = 10;

std::string joined(const std::vector<std::string>& names, std::size_t limit = 30) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < limit; ++i) text += fmt::format("{}'{}'", i ? ", " : "", names[i]);
  if (names.size() > limit) text += fmt::format(" and {} more", names.size() - limit);
  return text;
}

bool gives_blank_a_value(const DataColumn& column) {
  return std::any_of(column.values.begin(), column.values.end(), [](const auto& entry) { return entry.first.empty(); });
}

}  // namespace

bool is_result_column(std::string_view name) {
  return name == "_row" || name == "_code" || name == "_message" || name.starts_with("_page_");
}

bool is_result_file(const std::vector<std::string>& header) {
  const std::set<std::string_view> names(header.begin(), header.end());
  return names.contains("_row") && names.contains("_code") && names.contains("_message");
}

void Binder::fault_missing(const DataColumn& column) {
  std::string message = fmt::format("the file has no column {} (wanted by '{}')", joined(column.from), column.name);
  std::vector<std::string> similar;
  // Of a file that has nothing to do with the definition the first few tell enough.
  if (faults_.size() < kMostProposals)
    for (const definition::SimilarName& name : definition::similar_names(column.from, program_->header))
      similar.push_back(fmt::format("'{}' ({:.2f})", name.source_column, name.confidence));
  if (!similar.empty())
    message += fmt::format("; similar: {}; if that is it: lade match FILE -d {} --save", fmt::join(similar, ", "),
                           program_->definition.slug);
  message += fmt::format("; the header has: {}", joined(program_->header));
  fault("header_mismatch", std::move(message));
}

void Binder::bind_source(ColumnProgram& program) {
  const DataColumn& column = program.column;
  if (column.value) {
    program.fixed = context_value(*column.value);
  } else if (column.expression == DataColumn::SourceExpression::now) {
    program.fixed = context_value({"now", true});
  } else if (column.expression == DataColumn::SourceExpression::default_value) {
    program.fixed = "";  // as if every cell were blank
  } else if (!column.lookup && column.purpose == DataColumn::Purpose::source_input) {
    for (const std::string& name : column.from) {
      program.source = definition::find_name(program_->header, name);
      if (program.source >= 0) break;
    }
    if (program.source < 0) {
      program.absent = true;
      program_->absent.push_back(column.name);
      if (column.required) fault_missing(column);
      if (column.default_value || gives_blank_a_value(column)) program.fixed = "", program.absent = false;
    }
  }
}

void Binder::bind_formats(ColumnProgram& program) {
  const DataColumn& column = program.column;
  const auto place = [&](Error error) {
    fault(error.code,
          fmt::format("column '{}': {}{}{}", column.name, error.message, error.hint.empty() ? "" : "; ", error.hint));
  };
  const TypeKind kind = program.type.kind;
  if (kind == TypeKind::integer || kind == TypeKind::decimal) {
    if (auto numbers = NumberFormat::for_locale(column.locale, column.formats)) {
      program.numbers = *numbers;
    } else {
      place(numbers.error());
    }
  }
  if (kind == TypeKind::boolean) {
    if (auto booleans = BooleanFormat::parse(column.formats.empty() ? "" : column.formats.front())) {
      program.booleans = *booleans;
    } else {
      place(booleans.error());
    }
  }
  if (kind == TypeKind::date || kind == TypeKind::timestamp) {
    if (auto dates = DateFormat::parse(column.formats, column.locale, column.timezone)) {
      program.dates = *dates;
      program.plain_dates = *DateFormat::parse("", column.timezone);
    } else {
      place(dates.error());
    }
  }
  if (!column.pattern.empty()) program.pattern = std::make_shared<const re2::RE2>(column.pattern, re2::RE2::Quiet);
  for (const auto& [cell, value] : column.values) program.values.emplace(cell, value);
  for (const auto& [cell, text] : column.replace) program.replace.emplace(cell, text);
  const bool of_source = program.source >= 0 && !column.null_values_given;
  for (const std::string& value : of_source ? program_->definition.source.null_values : column.null_values)
    program.null_values.push_back(folded_case(value));
}

std::optional<Cell> Binder::bound_value(ColumnProgram& program, const std::string& text, std::string& keep) {
  keep = text;
  // Bounds are written plainly in the definition, whatever the file's locale and format are.
  ColumnProgram plain;
  plain.type = program.type;
  plain.numbers = *NumberFormat::for_locale("");
  plain.dates = *DateFormat::parse("");
  Cell cell;
  if (const CastFault refused = cast_text(plain, keep, cell)) {
    fault("definition_bad_value",
          fmt::format("column '{}': the bound '{}' is not a value of type {} ({})", program.column.name, text,
                      definition::to_string(program.type), refused.code));
    return std::nullopt;
  }
  return cell;
}

void Binder::bind_limits(ColumnProgram& program) {
  const DataColumn& column = program.column;
  if (column.min) program.min = bound_value(program, *column.min, program.min_text);
  if (column.max) program.max = bound_value(program, *column.max, program.max_text);
  program.max_length = column.max_length.value_or(0);
}

void Binder::bind_column(const DataColumn& column) {
  ColumnProgram& program = program_->columns.emplace_back();
  program.column = column;
  program.type = column.type;
  bind_source(program);
  bind_formats(program);
  bind_limits(program);
}

void Binder::bind_columns() {
  const auto& columns = program_->definition.columns;
  program_->columns.reserve(columns.size());
  for (const DataColumn& column : columns) bind_column(column);
  refuse_strange_header();
  note_unmapped();
}

// A file with none of the columns is another file, also when none of them is required.
void Binder::refuse_strange_header() {
  const auto reads_file = [](const ColumnProgram& program) { return !program.column.from.empty(); };
  const auto found = [](const ColumnProgram& program) { return program.source >= 0; };
  const auto& columns = program_->columns;
  if (!faults_.empty() || std::ranges::none_of(columns, reads_file) || std::ranges::any_of(columns, found)) return;
  fault("header_mismatch",
        fmt::format("none of the definition's columns is in the file; the header has: {}", joined(program_->header)));
}

void Binder::note_unmapped() {
  std::set<int> used;
  std::map<std::string, int> seen;
  for (const ColumnProgram& column : program_->columns) used.insert(column.source);
  for (const std::string& name : program_->header) ++seen[name];
  for (std::size_t i = 0; i < program_->header.size(); ++i) {
    const std::string& name = program_->header[i];
    if (is_result_column(name)) continue;
    if (used.contains(static_cast<int>(i))) {
      if (seen[name] > 1)
        fault("header_ambiguous",
              fmt::format("the header has the column '{}' {} times; give them different names", name, seen[name]));
    } else {
      program_->unmapped.push_back(name);
    }
  }
  program_->resubmitted = is_result_file(program_->header);
}

}  // namespace lade::analysis
