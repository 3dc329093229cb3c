#include "jobs/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "analysis/formula_guard.h"
#include "base/one_line.h"
#include "base/whole_file.h"
#include "jobs/result_table.h"
#include "jobs/source_record.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using staging::Finding;

std::string result_format(const Job& job) {
  return job.options.output_format.empty() ? job.plan.layout.origin.format : job.options.output_format;
}

// What the findings of one row add up to.
struct RowVerdict {
  Outcome outcome = Outcome::unchanged;  // unchanged: only warnings
  std::string codes;
  std::string messages;

  void add(const Finding& finding) {
    const bool first_failure = finding.verdict == Outcome::failed && outcome != Outcome::failed;
    if (first_failure || (finding.verdict == Outcome::unprocessed && outcome != Outcome::failed) ||
        outcome == Outcome::unchanged)
      outcome = finding.verdict;
    if (finding.issue.code.empty()) return;
    if ((" " + codes + " ").find(" " + finding.issue.code + " ") == std::string::npos)
      codes += (codes.empty() ? "" : " ") + finding.issue.code;
    messages += messages.empty() ? "" : "; ";
    if (!finding.issue.column.empty()) messages += finding.issue.column + ": ";
    messages += finding.issue.message;
    if (!finding.issue.value.empty()) messages += fmt::format(" ('{}')", finding.issue.value);
    if (!finding.issue.hint.empty()) messages += fmt::format(" - {}", finding.issue.hint);
  }
};

// Rows of the source on their way into a result file.
class ResultWriter {
 public:
  ResultWriter(const Job& job, ResultSink& sink, const Corrections* corrections)
      : sink_(sink),
        job_(job),
        corrections_(corrections),
        dialect_(job.plan.layout.dialect),
        resubmitted_(analysis::is_result_file(job.plan.layout.header)) {
    const std::vector<std::string>& header = job.plan.layout.header;
    for (std::size_t i = 0; i < header.size(); ++i)
      if (!analysis::is_result_column(header[i])) columns_.push_back(i), names_.push_back(header[i]);
    for (const char* name : {"_row", "_code", "_message"}) names_.emplace_back(name);
    cells_.resize(names_.size());
  }

  Result<void> write(const csv::Batch& batch, std::size_t row, const RowVerdict& verdict) {
    if (!table_) {
      const ResultStyle style{result_format(job_), job_.options.result_bom};
      LADE_ASSIGN(table_, open_result_table(job_.plan.layout, style, names_, job_.options.scratch()));
      LADE_ASSIGN(bytes_, sink_.open());
    }
    const std::string_view surplus = surplus_of(batch, row);
    const Cells* const corrected = corrections_ == nullptr ? nullptr : corrections_->cells_of(batch.row_id(row));
    auto cell = cells_.begin();
    for (const std::size_t column : columns_) {
      const bool takes_surplus = !surplus.empty() && column + 1 == batch.columns();
      const csv::Field field = batch.field(row, column);
      std::string_view text = takes_surplus ? surplus : csv::unescape(field, dialect_, scratch_);
      cell->typed = dialect_.rows_are_lines && !field.quoted;
      if (resubmitted_) text = analysis::unguard_formula(text);
      if (const CellText* now = corrected_cell(corrected, column)) text = now->text, cell->typed = now->typed;
      (cell++)->text = analysis::guard_formula(text, guard_);
    }
    *cell++ = {std::to_string(batch.row_id(row)), true};
    *cell++ = {verdict.codes};
    *cell++ = {one_line(analysis::guard_formula(verdict.messages, guard_))};
    return table_->write(cells_, *bytes_);
  }

  Result<void> finish() { return table_ ? table_->finish(*bytes_) : Result<void>(); }

 private:
  // What stands in the cell now; null: what the source has.
  const CellText* corrected_cell(const Cells* corrected, std::size_t column) const {
    if (corrected == nullptr) return nullptr;
    const auto found = corrected->find(job_.plan.layout.header[column]);
    return found == corrected->end() ? nullptr : &found->second;
  }

  ResultSink& sink_;
  const Job& job_;
  const Corrections* const corrections_;
  std::unique_ptr<ResultTable> table_;  // once there is a row
  ByteSink* bytes_ = nullptr;
  const csv::Dialect dialect_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> names_;
  std::vector<ResultCell> cells_;
  const bool resubmitted_;  // the source itself is a result file
  std::string scratch_, guard_;
};

// The findings of one row at a time, in row order.
class VerdictReader {
 public:
  explicit VerdictReader(const staging::IssueLog& log) : reader_(log) {}
  Result<void> advance() {
    if (!started_) LADE_TRY(fetch());
    started_ = true;
    row = 0;
    verdict = {};
    while (has_ahead_ && (row == 0 || ahead_.place.row_id == row)) {
      row = ahead_.place.row_id;
      verdict.add(ahead_);
      LADE_TRY(fetch());
    }
    return {};
  }
  std::int64_t row = 0;  // 0: no more
  RowVerdict verdict;

 private:
  Result<void> fetch() {
    LADE_ASSIGN(has_ahead_, reader_.next(ahead_));
    return {};
  }
  staging::IssueReader reader_;
  Finding ahead_;
  bool has_ahead_ = false, started_ = false;
};

// A result file beside others in a folder.
class FolderResult final : public ResultSink {
 public:
  FolderResult(const Job& job, const std::filesystem::path& folder, const char* purpose)
      : path_(folder / result_name(job, purpose)) {}
  Result<ByteSink*> open() override {
    LADE_ASSIGN(file_, WholeFile::create(path_));
    return file_.get();
  }
  // Its path; empty when there was no row.
  Result<std::string> finish() {
    if (!file_) return std::string();
    LADE_TRY(file_->finish());
    return path_.string();
  }

 private:
  const std::filesystem::path path_;
  std::unique_ptr<WholeFile> file_;
};

}  // namespace

std::string result_name(const Job& job, std::string_view purpose) {
  return fmt::format("{}{}.{}", job.options.result_file_prefix, purpose, result_format(job));
}

Result<void> write_issue_file(const std::filesystem::path& path, const staging::IssueLog& findings) {
  LADE_ASSIGN(File file, File::create(path));
  FileSink sink(std::move(file));
  staging::IssueReader reader(findings);
  Finding finding;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (finding.verdict == Outcome::unprocessed) continue;
    const boost::json::object object{
        {"row", finding.place.row_id},
        {"line", finding.place.line},
        {"severity", finding.issue.severity == model::Severity::error ? "error" : "warning"},
        {"code", finding.issue.code},
        {"column", finding.issue.column},
        {"value", finding.issue.value},
        {"message", finding.issue.message},
        {"hint", finding.issue.hint}};
    LADE_TRY(sink.write(boost::json::serialize(object) + "\n"));
  }
  LADE_TRY(sink.finish());
  return {};
}

Result<void> write_results(const Job& job, const Verdicts& verdicts, const ResultSinks& sinks) {
  if (job.options.results == Results::none) return {};
  const bool all = job.options.results == Results::all;
  ResultWriter failed(job, sinks.failed, verdicts.corrections), succeeded(job, sinks.succeeded, verdicts.corrections),
      unprocessed(job, sinks.unprocessed, verdicts.corrections);
  VerdictReader told(verdicts.findings);
  LADE_TRY(told.advance());
  static const RowVerdict clean;
  const csv::Split& split = job.plan.split;
  for (std::size_t chunk = 0; chunk < split.chunks.size(); ++chunk) {
    const std::int64_t chunk_end = split.chunks[chunk].row + job.plan.chunk_rows(chunk);
    if (!all && (told.row == 0 || told.row >= chunk_end)) continue;
    FileRange range(job.input.file, split.chunks[chunk].offset, job.plan.chunk_end(chunk));
    csv::Reader reader(range, job.reader_options(split.chunks[chunk]));
    csv::Batch batch;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(batch));
      if (!more) break;
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        const bool is_told = batch.row_id(row) == told.row;
        Outcome outcome = is_told ? told.verdict.outcome : verdicts.untold[chunk];
        // A warning alone does not tell whether the row was reached.
        if (outcome == Outcome::unchanged) outcome = verdicts.untold[chunk];
        const RowVerdict& verdict = is_told ? told.verdict : clean;
        if (outcome == Outcome::failed) LADE_TRY(failed.write(batch, row, verdict));
        if (all && outcome == Outcome::unprocessed) LADE_TRY(unprocessed.write(batch, row, verdict));
        if (all && outcome != Outcome::failed && outcome != Outcome::unprocessed)
          LADE_TRY(succeeded.write(batch, row, verdict));
        if (is_told) LADE_TRY(told.advance());
      }
    }
  }
  for (ResultWriter* writer : {&failed, &succeeded, &unprocessed}) LADE_TRY(writer->finish());
  return {};
}

Result<ResultFiles> write_result_files(const Job& job, const Verdicts& verdicts, const std::filesystem::path& folder) {
  FolderResult failed(job, folder, "failed"), succeeded(job, folder, "succeeded"),
      unprocessed(job, folder, "unprocessed");
  LADE_TRY(write_results(job, verdicts, {failed, succeeded, unprocessed}));
  ResultFiles files;
  LADE_ASSIGN(files.failed, failed.finish());
  LADE_ASSIGN(files.succeeded, succeeded.finish());
  LADE_ASSIGN(files.unprocessed, unprocessed.finish());
  return files;
}

}  // namespace lade::jobs
