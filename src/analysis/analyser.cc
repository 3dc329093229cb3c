#include "analysis/analyser.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "analysis/entity_key.h"
#include "analysis/evaluate.h"

namespace lade::analysis {
namespace {

using definition::ManyPolicy;
using definition::MissingPolicy;
using model::Issue;
using model::Severity;

// A fault of the whole record rather than of one cell.
Issue record_issue(std::string code, std::string message, std::string hint) {
  return {Severity::error, std::move(code), {}, {}, std::move(message), std::move(hint)};
}

Issue ragged_issue(std::size_t fields, std::size_t columns) {
  return record_issue("ragged_row", fmt::format("the row has {} fields, the header has {}", fields, columns),
                      fields < columns ? "add the missing fields" : "quote fields that contain the delimiter");
}

// How many bytes of a text that is not UTF-8 are: whole characters up to the first that is none.
std::size_t valid_beginning(std::string_view text) {
  constexpr std::size_t kStride = 4096;
  std::size_t at = 0;
  const auto character = [&] {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size() - at); ++length)
      if (simdjson::validate_utf8(text.data() + at, length)) return length;
    return std::size_t{0};
  };
  while (at + kStride <= text.size() && simdjson::validate_utf8(text.data() + at, kStride)) at += kStride;
  for (std::size_t length = character(); length > 0; length = character()) at += length;
  return at;
}

Issue fault_issue(std::string_view code) {
  if (code == "unterminated_quote")
    return record_issue(std::string(code), "a quoted field is not closed before the file ends",
                        "add the closing quote");
  return record_issue(std::string(code), "a quote stands where none belongs",
                      "double quotes inside quoted fields, or quote the whole field");
}

}  // namespace

Analyser::Analyser(const Program& program, const LookupMaps& maps, db::Connection* connection, AnalyserOptions options)
    : program_(program),
      maps_(maps),
      connection_(connection),
      options_(options),
      columns_(program.columns.size()),
      suggestions_(program.columns.size()) {}

Result<void> Analyser::analyse(const csv::Batch& batch, AnalysisSink& sink, const std::stop_token& stop) {
  stop_ = stop;
  for (std::size_t begin = 0; begin < batch.rows(); begin += options_.batch_rows)
    LADE_TRY(analyse_rows(batch, begin, std::min(options_.batch_rows, batch.rows() - begin), sink));
  return {};
}

Result<void> Analyser::analyse_rows(const csv::Batch& batch, std::size_t begin, std::size_t rows, AnalysisSink& sink) {
  raw_ = {&batch, begin, rows, options_.dialect, program_.resubmitted};
  issues_.reset(rows);
  arena_.clear();
  check_structure();
  check_text();
  step_rows_.emplace(program_, raw_, columns_, issues_, arena_, connection_, options_.job, stop_);
  for (const Stage& stage : program_.stages) {
    issues_.close_failed();
    LADE_TRY(run_stage(stage));
  }
  return emit(sink);
}

Result<void> Analyser::run_stage(const Stage& stage) {
  for (const std::size_t i : stage.columns)
    convert_column(program_.columns[i], raw_, columns_[i], issues_, arena_, suggestions_[i]);
  for (const std::size_t i : stage.lookups) LADE_TRY(resolve(i));
  const bool runs = stage.step && (options_.job != 0 || !stage.step->needs_job()) &&
                    !(options_.sample && stage.step->skips_samples());
  if (runs) LADE_TRY(stage.step->analyse(*step_rows_));
  run_checks(stage);
  return {};
}

// Ragged rows and misplaced quotes: the fields cannot be trusted, so nothing else is said about such a row.
void Analyser::check_structure() {
  const auto inside = [&](std::uint32_t row) { return row >= raw_.begin && row < raw_.begin + raw_.rows; };
  for (const csv::RaggedRecord& ragged : raw_.batch->ragged()) {
    if (!inside(ragged.row)) continue;
    // The rows of a sheet end with their last cell.
    const bool may_be_short =
        program_.definition.source.ragged == definition::RaggedPolicy::pad || options_.dialect.rows_are_lines;
    const bool pad = may_be_short && ragged.fields < raw_.batch->columns();
    if (!pad) issues_.add_broken(ragged.row - raw_.begin, ragged_issue(ragged.fields, raw_.batch->columns()));
  }
  for (const csv::RecordFault& fault : raw_.batch->faults())
    if (inside(fault.row) && !issues_.broken(fault.row - raw_.begin))
      issues_.add_broken(fault.row - raw_.begin, fault_issue(fault.code));
}

// Bytes that are not text: found for the whole block at once, then looked for row by row.
void Analyser::check_text() {
  const char* begin = raw_.batch->record(raw_.begin).data();
  const std::string_view last = raw_.batch->record(raw_.begin + raw_.rows - 1);
  const std::string_view all(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
  const bool valid = simdjson::validate_utf8(all.data(), all.size());
  const bool has_nul = std::memchr(all.data(), '\0', all.size()) != nullptr;
  if (valid && !has_nul) return;
  for (std::size_t row = 0; row < raw_.rows; ++row) {
    const std::string_view record = raw_.batch->record(raw_.begin + row);
    if (issues_.broken(row)) continue;
    if (const auto nul = record.find('\0'); nul != std::string_view::npos) {
      issues_.add_broken(row, record_issue("nul_byte",
                                           fmt::format("the row holds a NUL byte at offset {} of the file",
                                                       raw_.batch->offset(raw_.begin + row) + nul),
                                           "remove it; databases cannot store it in text"));
    } else if (!simdjson::validate_utf8(record.data(), record.size())) {
      const std::size_t at = valid_beginning(record);
      issues_.add_broken(
          row,
          record_issue("invalid_utf8",
                       fmt::format("the row is not valid UTF-8 at offset {} of the file (byte 0x{:02X})",
                                   raw_.batch->offset(raw_.begin + row) + at, static_cast<unsigned char>(record[at])),
                       "save the file as UTF-8"));
    }
  }
}

Result<void> Analyser::resolve(std::size_t index) {
  const LookupProgram& lookup = program_.lookups[index];
  const auto column = static_cast<std::size_t>(lookup.column);
  const LookupMap* map = maps_[index].get();
  LookupMap probed;
  if (map == nullptr) {
    for (std::size_t row = 0; row < raw_.rows; ++row) {
      key_.clear();
      if (append_lookup_key(key_, lookup, columns_, row)) probed.at(key_);
    }
    if (probed.size() > 0) LADE_TRY(probe_lookup(lookup, program_.columns[column].type, *connection_, probed));
    map = &probed;
  }
  for (std::size_t row = 0; row < raw_.rows; ++row) {
    if (row > 0 && columns_[column].states[row - 1] == CellState::value && repeats_key(lookup, row)) {
      columns_[column].cells[row] = columns_[column].cells[row - 1];
      columns_[column].states[row] = CellState::value;
      continue;
    }
    key_.clear();
    bool usable = true, blank = false;
    for (const LookupPart& part : lookup.parts) {
      if (part.column < 0) continue;
      const CellState state = columns_[static_cast<std::size_t>(part.column)].states[row];
      usable = usable && state != CellState::bad;
      blank = blank || state != CellState::value;
    }
    if (!usable) {
      columns_[column].states[row] = CellState::bad;
    } else if (blank) {
      leave_blank(column, row);
    } else if (append_lookup_key(key_, lookup, columns_, row)) {
      const LookupHit* hit = map->find(key_);
      apply_hit(lookup, row, hit);
      // What a probe found lives only as long as this call.
      const definition::TypeKind kind = program_.columns[column].type.kind;
      const bool is_text = kind == definition::TypeKind::text || kind == definition::TypeKind::json;
      if (map == &probed && is_text && columns_[column].states[row] == CellState::value)
        columns_[column].cells[row].text = arena_.keep(columns_[column].cells[row].text);
    } else {
      apply_hit(lookup, row, nullptr);  // no value of the reference table's column is like it
    }
  }
  return {};
}

// Whether a row looks for what the row before it did: in many files rows of one thing follow each other.
bool Analyser::repeats_key(const LookupProgram& lookup, std::size_t row) const {
  return std::all_of(lookup.parts.begin(), lookup.parts.end(), [&](const LookupPart& part) {
    if (part.column < 0) return true;
    const TypedColumn& column = columns_[static_cast<std::size_t>(part.column)];
    const Cell& before = column.cells[row - 1];
    const Cell& here = column.cells[row];
    if (column.states[row - 1] != CellState::value || column.states[row] != CellState::value) return false;
    return is_text(part.type) ? here.text == before.text : here.number == before.number;
  });
}

// Nothing was found for a looked-up column, and the lookup allows that.
void Analyser::leave_blank(std::size_t column, std::size_t row) {
  const ColumnProgram& filled = program_.columns[column];
  columns_[column].states[row] = CellState::null;
  if (!filled.column.required) return;
  issues_.add(row, cell_issue(filled, "required", ""));
  if (filled.column.severity == Severity::error) columns_[column].states[row] = CellState::bad;
}

void Analyser::apply_hit(const LookupProgram& lookup, std::size_t row, const LookupHit* hit) {
  const auto index = static_cast<std::size_t>(lookup.column);
  const ColumnProgram& filled = program_.columns[index];
  CellState& state = columns_[index].states[row];
  const std::uint32_t count = hit == nullptr ? 0 : hit->count;
  const bool usable = count == 1 || (count > 1 && lookup.many == ManyPolicy::first);
  if (usable && !hit->is_null) {
    columns_[index].cells[row] = hit->value;
    state = CellState::value;
    const std::string_view text = filled.type.kind == definition::TypeKind::text ? hit->value.text : std::string_view();
    return check_limits(filled, row, text, hit->value, state, issues_);
  }
  if (usable || (count == 0 && lookup.missing == MissingPolicy::null)) return leave_blank(index, row);
  state = CellState::null;
  const bool hard = count == 0 ? lookup.missing == MissingPolicy::error : lookup.many == ManyPolicy::error;
  report_unresolved(lookup, row, count, hard);
  if (hard) state = CellState::bad;
}

void Analyser::report_unresolved(const LookupProgram& lookup, std::size_t row, std::uint32_t count, bool hard) {
  const auto index = static_cast<std::size_t>(lookup.column);
  const ColumnProgram& filled = program_.columns[index];
  std::string value;
  bool sensitive = filled.column.sensitive;
  for (const LookupPart& part : lookup.parts) {
    if (part.column < 0) continue;
    const auto matched = static_cast<std::size_t>(part.column);
    sensitive = sensitive || program_.columns[matched].column.sensitive;
    value += (value.empty() ? "" : ", ") + to_text(columns_[matched].cells[row], program_.columns[matched].type);
  }
  std::string near;
  const LookupMap* map = maps_[static_cast<std::size_t>(filled.lookup)].get();
  if (count == 0 && !sensitive && map != nullptr)
    near = suggestions_[index].hint(value, [&] { return lookup_names(lookup, *map, Suggestions::kMaxNames); });
  // Repeated under each column of the file that takes part, so that a person finds the cell to correct.
  for (const LookupPart& part : lookup.parts) {
    if (part.column < 0) continue;
    const ColumnProgram& matched = program_.columns[static_cast<std::size_t>(part.column)];
    Issue issue;
    issue.severity = hard ? Severity::error : Severity::warning;
    issue.code = count == 0 ? "lookup_missing" : "lookup_many";
    issue.column = matched.column.name;
    issue.value = sensitive ? "***" : value;
    issue.message = count == 0 ? fmt::format("no {} with this {}", lookup.table.name, lookup.described)
                               : fmt::format("{} rows of {} have this {}", count, lookup.table.name, lookup.described);
    issue.hint = count == 0 ? fmt::format("{}correct the cell or add it to {}", near, lookup.table.name)
                            : fmt::format("make {} unique", lookup.table.name);
    issues_.add(row, std::move(issue));
  }
}

void Analyser::run_checks(const Stage& stage) {
  for (const std::size_t index : stage.checks) {
    const CheckProgram& program = program_.checks[index];
    const definition::Check& check = *program.check;
    for (std::size_t row = 0; row < raw_.rows; ++row) {
      if (evaluate(program, program_, columns_, row) != CheckResult::fails) continue;
      for (const std::string& column : check.columns) {
        Issue issue;
        issue.severity = check.severity;
        issue.code = check.code.empty() ? "check_failed" : check.code;
        issue.column = column;
        const auto at = static_cast<std::size_t>(column_named(program_, column));
        const ColumnProgram& named = program_.columns[at];
        if (columns_[at].states[row] == CellState::value)
          issue.value = named.column.sensitive ? "***" : to_text(columns_[at].cells[row], named.type);
        issue.message = check.message.empty() ? fmt::format("does not hold: {}", check.text) : check.message;
        issue.hint = "correct the row";
        issues_.add(row, std::move(issue));
      }
    }
  }
}

bool Analyser::has_identity(std::size_t row) const {
  return std::ranges::all_of(program_.identity, [&](const KeyPart& part) {
    return columns_[static_cast<std::size_t>(part.column)].states[row] == CellState::value;
  });
}

bool Analyser::append_identity(std::size_t row) {
  key_.clear();
  if (program_.row_is_key) {
    db::append_big_endian<std::int64_t>(key_, raw_.batch->row_id(raw_.begin + row));
    return true;
  }
  const bool hashed = options_.partition == definition::Partition::hash;
  if (program_.step_names_entities) {
    key_ = step_rows_->entities_[row];
  } else if (hashed) {
    key_.assign(2, '\0');
  }
  for (std::size_t i = 0; i < program_.identity.size(); ++i) {
    const KeyPart& part = program_.identity[i];
    const auto index = static_cast<std::size_t>(part.column);
    if (columns_[index].states[row] != CellState::value) {
      Issue issue = cell_issue(program_.columns[index], "key_blank", "");
      issue.severity = Severity::error;
      issue.message = "part of the key is blank";
      issue.hint = "fill in the cell";
      issues_.add(row, std::move(issue));
      return false;
    }
    append_sort_key(key_, columns_[index].cells[row], part.type, part.folds_case, part.pad);
    if (hashed && i + 1 == program_.root_parts) {
      const std::uint64_t hash = XXH3_64bits(key_.data() + 2, key_.size() - 2);
      key_[0] = static_cast<char>(hash >> 8);
      key_[1] = static_cast<char>(hash);
    }
  }
  return true;
}

// The row's tuple, in tuple_; nullopt when a value is too large for its target column.
std::optional<std::string_view> Analyser::write_tuple(std::size_t row) {
  std::size_t room = 0;
  for (const Slot& slot : program_.slots) {
    const auto index = static_cast<std::size_t>(slot.column);
    room += room_for(columns_[index].cells[row], program_.columns[index].type);
  }
  if (tuple_.size() < room) tuple_.resize(2 * room);
  char* at = tuple_.data();
  bool fits = true;
  for (const Slot& slot : program_.slots) {
    const auto index = static_cast<std::size_t>(slot.column);
    const CellState state = columns_[index].states[row];
    if (state == CellState::value) {
      char* end = write_value(at, columns_[index].cells[row], program_.columns[index].type, slot.form);
      if (end == nullptr) refuse_range(row, index);
      fits = fits && end != nullptr;
      at = end == nullptr ? at : end;
    } else {
      const bool keeps =
          (state == CellState::keep && slot.blank_keeps) || (state == CellState::null && slot.null_keeps);
      at = db::write_big_endian<std::int32_t>(at, keeps ? kKeep : db::kNull);
    }
  }
  if (!fits) return std::nullopt;
  return std::string_view(tuple_.data(), static_cast<std::size_t>(at - tuple_.data()));
}

void Analyser::refuse_range(std::size_t row, std::size_t index) {
  const ColumnProgram& column = program_.columns[index];
  Issue issue = cell_issue(column, "out_of_range", to_text(columns_[index].cells[row], column.type));
  issue.severity = Severity::error;
  issue.message = "too large for the target column";
  issues_.add(row, std::move(issue));
}

AnalysedRow Analyser::analysed(std::size_t row, std::string_view key, std::string_view tuple) const {
  const csv::Batch& batch = *raw_.batch;
  const std::size_t at = raw_.begin + row;
  return {key, batch.row_id(at), batch.line(at), batch.offset(at), tuple};
}

Result<void> Analyser::emit(AnalysisSink& sink) {
  const csv::Batch& batch = *raw_.batch;
  for (std::size_t row = 0; row < raw_.rows; ++row) {
    if (!issues_.failed(row) && append_identity(row))
      if (const auto tuple = write_tuple(row)) LADE_TRY(sink.row(analysed(row, key_, *tuple)));
    if (!issues_.failed(row)) continue;
    sink.failed_row();
    if (notes_failed_keys_ && has_identity(row) && append_identity(row)) LADE_TRY(sink.note(analysed(row, key_, {})));
    if (!program_.step_names_entities) continue;
    if (const std::string_view entity = step_rows_->entities_[row]; is_new_entity(entity))
      LADE_TRY(sink.note(analysed(row, entity, {})));
  }
  LADE_TRY(emit_claims(sink));
  for (const RowIssues::Entry& entry : issues_.sorted()) {
    const std::size_t at = raw_.begin + entry.row;
    LADE_TRY(sink.issue(entry.issue, batch.row_id(at), batch.line(at), batch.offset(at)));
  }
  return {};
}

Result<void> Analyser::emit_claims(AnalysisSink& sink) {
  for (const StepRows::Claim& claim : step_rows_->claims_) {
    if (issues_.failed(claim.row)) continue;
    key_.assign(1, kClaim);
    db::append_big_endian(key_, static_cast<std::int16_t>(claim.column));
    key_.append(claim.what);
    LADE_TRY(sink.note(analysed(claim.row, key_, step_rows_->entities_[claim.row])));
  }
  return {};
}

}  // namespace lade::analysis
