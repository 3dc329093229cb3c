#include "jobs/row_tables.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <map>

#include "db/in_transaction.h"
#include "db/values.h"
#include "db/wire.h"
#include "jobs/analyse.h"
#include "jobs/analysed_rows.h"
#include "jobs/row_table_columns.h"
#include "jobs/stored_job.h"
#include "store/job_tables.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
using definition::Strategy;
using model::Outcome;
using store::ListedRow;

// Rows on their way into a table, in the database's own form.
class Tuples final : public db::TupleSource {
 public:
  explicit Tuples(db::Backend backend) : sqlite_(backend == db::Backend::sqlite) {}

  std::optional<std::string_view> next() override {
    if (given_ == ends_.size()) return std::nullopt;
    const std::size_t begin = given_ == 0 ? 0 : ends_[given_ - 1];
    return std::string_view(bytes_).substr(begin, ends_[given_++] - begin);
  }
  void clear() {
    bytes_.clear();
    ends_.clear();
    given_ = 0;
  }

  void integer(std::int64_t value) {
    if (sqlite_) return db::append_sqlite_integer(bytes_, value);
    db::append_big_endian<std::int32_t>(bytes_, sizeof(std::int32_t));
    db::append_big_endian(bytes_, static_cast<std::int32_t>(value));
  }
  void text(std::string_view value) {
    sqlite_ ? db::append_sqlite_text(bytes_, value) : db::append_field(bytes_, value);
  }
  void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }
  // As jsonb has it; an empty object is NULL.
  void object(const json::object& value) {
    if (value.empty()) return null();
    text((sqlite_ ? "" : "\1") + json::serialize(value));
  }
  void null() { db::append_null(bytes_); }
  void end_row() { ends_.push_back(bytes_.size()); }

 private:
  const bool sqlite_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::size_t given_ = 0;
};

bool replaces(Strategy strategy) {
  return strategy == Strategy::insert_or_replace || strategy == Strategy::replace_only;
}

// What the row asks for: insert, or replace or update of what is stored.
std::string_view operation_of(const ListedRow& row, Strategy strategy) {
  const std::string_view change = replaces(strategy) ? "replace" : "update";
  switch (row.outcome) {
    case Outcome::inserted: return "insert";
    case Outcome::updated:
    case Outcome::unchanged: return change;
    case Outcome::skipped: return row.issue.code == "no_target" ? "insert" : row.issue.code == "exists" ? change : "";
    case Outcome::deleted: return "delete";
    case Outcome::failed:
    case Outcome::unprocessed: break;
  }
  return {};
}

std::string_view action_of(const ListedRow& row, Strategy strategy) {
  return row.outcome == Outcome::updated && replaces(strategy) ? "replace" : model::row_action(row.outcome);
}

// Calls `take` with each of the columns that an issue names.
template <class Take>
void for_each_column(std::string_view columns, Take&& take) {
  while (!columns.empty()) {
    const std::size_t comma = columns.find(", ");
    take(columns.substr(0, comma));
    if (comma == std::string_view::npos) return;
    columns.remove_prefix(comma + 2);
  }
}

void add_message(json::object& errors, std::string_view key, const std::string& message) {
  json::value& value = errors[key];
  value = value.is_string() ? std::string(value.as_string()) + "; " + message : message;
}

using RowErrors = std::map<std::int64_t, json::object>;

// Errors of the rows [first, last]: column → message; of a whole row under its code.
Result<RowErrors> errors_of(db::Connection& connection, std::int64_t job, std::int64_t first, std::int64_t last) {
  const db::Value values[] = {job, first, last};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT row_id, code, column_name, message FROM lade_issue WHERE job_id = $1 AND row_id "
                               "BETWEEN $2 AND $3 AND severity = 'error' ORDER BY row_id, code, column_name",
                               values));
  RowErrors errors;
  for (const db::Row& row : rows) {
    json::object& of_row = errors[db::integer_of(row[0])];
    const std::string columns = db::text_of(row[2]), message = db::text_of(row[3]);
    if (columns.empty()) add_message(of_row, db::text_of(row[1]), message);
    for_each_column(columns, [&](std::string_view column) { add_message(of_row, column, message); });
  }
  return errors;
}

json::object invalid_codes(const std::vector<model::Issue>& issues) {
  json::object codes;
  for (const model::Issue& issue : issues)
    if (issue.severity == model::Severity::warning)
      for_each_column(issue.column, [&](std::string_view column) { codes[column] = issue.value; });
  return codes;
}

// Fills both tables, batch by batch.
class Filler {
 public:
  Filler(db::Connection& connection, const Job& job, store::RowFates fates,
         std::shared_ptr<const Corrections> corrections)
      : connection_(connection),
        job_(job),
        fates_(std::move(fates)),
        corrections_(std::move(corrections)),
        analyser_(job, connection),
        upload_columns_(job.plan.layout.header),
        data_columns_(*job.program),
        uploads_(connection.backend()),
        data_(connection.backend()) {}

  Result<void> make(const store::JobRecord& record, const std::string& schema) {
    LADE_ASSIGN(tables.upload, store::make_job_table(connection_, record.id,
                                                     {schema, record.slug + "_upload", upload_columns_.declaration()}));
    LADE_ASSIGN(tables.data, store::make_job_table(
                                 connection_, record.id,
                                 {schema, record.slug + "_data", data_columns_.declaration(connection_.backend())}));
    return {};
  }

  Result<void> fill() {
    const csv::Split& split = job_.plan.split;
    for (std::size_t chunk = 0; chunk < split.chunks.size(); ++chunk) {
      FileRange range(job_.input.file, split.chunks[chunk].offset, job_.plan.chunk_end(chunk));
      csv::Reader reader(range, job_.reader_options(split.chunks[chunk]));
      csv::Batch batch;
      for (;;) {
        LADE_ASSIGN(const bool more, reader.next(batch));
        if (!more) break;
        if (batch.rows() > 0) LADE_TRY(add(batch));
      }
    }
    return {};
  }
  RowTables tables;

 private:
  Result<void> add(const csv::Batch& batch) {
    LADE_ASSIGN(const auto errors, errors_of(connection_, job_.id, batch.row_id(0), batch.row_id(batch.rows() - 1)));
    LADE_ASSIGN(const auto analysed, analyser_.analyse(batch));
    uploads_.clear();
    data_.clear();
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      LADE_ASSIGN(const ListedRow fate, fates_.next(batch.row_id(row)));
      add_upload(batch, row);
      const auto found = errors.find(fate.row_id);
      const json::object none, &error = found == errors.end() ? none : found->second;
      if (corrections_ && corrections_->cells_of(fate.row_id) != nullptr) {
        LADE_TRY(add_corrected(fate, error));
      } else {
        add_data(batch, row, analysed[row], fate, error);
      }
    }
    tables.rows += static_cast<std::int64_t>(batch.rows());
    std::vector<std::string> names = {"row_id"};
    names.insert(names.end(), upload_columns_.names.begin(), upload_columns_.names.end());
    LADE_TRY(connection_.copy_in(tables.upload, names, uploads_));
    LADE_TRY(connection_.copy_in(tables.data, data_columns_.names(), data_));
    return {};
  }

  void add_cell(Tuples& tuples, const csv::Batch& batch, std::size_t row, std::size_t column) {
    const csv::Field field = batch.field(row, column);
    const std::string_view text = csv::unescape(field, job_.plan.layout.dialect, scratch_);
    text.empty() && !field.quoted ? tuples.null() : tuples.text(readable(text));
  }

  void add_upload(const csv::Batch& batch, std::size_t row) {
    uploads_.integer(batch.row_id(row));
    for (std::size_t column = 0; column < batch.columns(); ++column) add_cell(uploads_, batch, row, column);
    uploads_.end_row();
  }

  // The row as it was corrected, analysed anew.
  Result<void> add_corrected(const ListedRow& fate, const json::object& error) {
    LADE_ASSIGN(const SourceRecord source, read_record(job_, fate.row_id));
    LADE_ASSIGN(const SourceRecord corrected, with_cells(job_, source, *corrections_->cells_of(fate.row_id)));
    SingleRecord single(job_, corrected);
    LADE_ASSIGN(const csv::Batch* const batch, single.read());
    LADE_ASSIGN(const auto analysed, analyser_.analyse(*batch));
    add_data(*batch, 0, analysed.front(), fate, error);
    return {};
  }

  void add_data(const csv::Batch& batch, std::size_t row, const AnalysedRecord& analysed, const ListedRow& fate,
                const json::object& error) {
    const std::vector<db::WireField> values = fields_of(analysed.tuple);
    data_.integer(fate.row_id);
    for (const DataField& field : data_columns_.fields) {
      const analysis::ColumnProgram& column = job_.program->columns[static_cast<std::size_t>(field.column)];
      switch (field.kind) {
        case DataField::Kind::cell: add_cell(data_, batch, row, static_cast<std::size_t>(column.source)); break;
        case DataField::Kind::fixed: data_.text(*column.fixed); break;
        case DataField::Kind::value: add_value(values, static_cast<std::size_t>(field.slot), column.type); break;
        case DataField::Kind::none: data_.null(); break;
      }
    }
    const Strategy strategy = job_.program->entries[job_.program->root()].strategy;
    data_.text_or_null(operation_of(fate, strategy));
    data_.text_or_null(action_of(fate, strategy));
    data_.text(model::to_string(fate.state));
    data_.object(error);
    data_.object(invalid_codes(analysed.issues));
    data_.integer(fate.last_completed_priority);
    data_.text_or_null(merge_status(fate));
    data_.end_row();
  }

  // The fields of a staged tuple; none of a row that was refused.
  std::vector<db::WireField> fields_of(std::string_view tuple) const {
    std::vector<db::WireField> fields;
    while (!tuple.empty()) fields.push_back(db::take_field(tuple));
    return fields;
  }

  void add_value(const std::vector<db::WireField>& values, std::size_t slot, const definition::Type& type) {
    analysis::Cell cell;
    arena_.clear();
    const bool known = slot < values.size() && values[slot].length >= 0 &&
                       analysis::decode_value(values[slot], job_.program->slots[slot].form.wire, type, arena_, cell);
    known ? data_.text(analysis::to_text(cell, type)) : data_.null();
  }

  db::Connection& connection_;
  const Job& job_;
  store::RowFates fates_;
  const std::shared_ptr<const Corrections> corrections_;
  RecordAnalyser analyser_;
  const UploadColumns upload_columns_;
  const DataColumns data_columns_;
  Tuples uploads_, data_;
  analysis::TextArena arena_;
  std::string scratch_;
};

}  // namespace

std::string_view merge_status(const ListedRow& row) {
  switch (row.outcome) {
    case Outcome::inserted:
    case Outcome::updated:
    case Outcome::deleted: return "APPLIED";
    case Outcome::unchanged: return "SKIPPED_IDENTICAL";
    case Outcome::failed: return "ERROR";
    case Outcome::unprocessed: return {};
    case Outcome::skipped: break;
  }
  if (row.issue.code == "no_target") return "SKIPPED_NO_TARGET";
  // Rows that others of the file stand for.
  const bool eclipsed =
      row.issue.code == "eclipsed" || row.issue.code == "duplicate_in_file" || row.issue.code == "merged_into";
  return eclipsed ? "SKIPPED_ECLIPSED" : "SKIPPED_FILTERED";
}

Result<RowTables> make_row_tables(db::Connection& connection, const ReviewPlace& place, const store::JobRecord& record,
                                  const std::string& schema) {
  return db::in_transaction(connection, [&]() -> Result<RowTables> {
    LADE_ASSIGN(const auto job, open_planned_job(connection, record, place.here, place.storage));
    LADE_ASSIGN(auto is_analysed, analysed_rows(connection, record));
    LADE_ASSIGN(auto fates, store::RowFates::of(connection, record, std::move(is_analysed)));
    LADE_ASSIGN(auto corrections, Corrections::read(connection, record.id, job->plan.splitters));
    Filler filler(connection, *job, std::move(fates), std::move(corrections));
    LADE_TRY(filler.make(record, schema));
    LADE_TRY(filler.fill());
    return std::move(filler.tables);
  });
}

}  // namespace lade::jobs
