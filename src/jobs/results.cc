#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "analysis/formula_guard.h"
#include "csv/writer.h"
#include "jobs/job.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using staging::Finding;

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

// A row with more fields than the header: what stands from the last column on, as it stands, so that nothing is lost.
std::string_view surplus_of(const csv::Batch& batch, std::size_t row) {
  const auto ragged =
      std::lower_bound(batch.ragged().begin(), batch.ragged().end(), row,
                       [](const csv::RaggedRecord& record, std::size_t wanted) { return record.row < wanted; });
  if (ragged == batch.ragged().end() || ragged->row != row || ragged->fields <= batch.columns()) return {};
  const csv::Field last = batch.field(row, batch.columns() - 1);
  const std::string_view record = batch.record(row);
  const char* begin = last.raw.data() - (last.quoted ? 1 : 0);
  return {begin, static_cast<std::size_t>(record.data() + record.size() - begin)};
}

// A result file that comes into being with its first row, under a temporary name until it is complete.
class ResultFile {
 public:
  ResultFile(std::filesystem::path path, const csv::Dialect& dialect, const std::vector<std::string>& header,
             bool resubmitted)
      : path_(std::move(path)), dialect_(dialect), resubmitted_(resubmitted) {
    for (std::size_t i = 0; i < header.size(); ++i)
      if (!analysis::is_result_column(header[i])) columns_.push_back(i), add(header[i]);
    for (const char* name : {"_row", "_code", "_message"}) add(name);
    end_record();
  }

  Result<void> write(const csv::Batch& batch, std::size_t row, const RowVerdict& verdict) {
    if (!sink_) LADE_TRY(create());
    const std::string_view surplus = surplus_of(batch, row);
    for (const std::size_t column : columns_) {
      const bool takes_surplus = !surplus.empty() && column + 1 == batch.columns();
      std::string_view text = takes_surplus ? surplus : csv::unescape(batch.field(row, column), dialect_, scratch_);
      if (resubmitted_) text = analysis::unguard_formula(text);
      add(analysis::guard_formula(text, guard_));
    }
    add(std::to_string(batch.row_id(row)));
    add(verdict.codes);
    add(analysis::guard_formula(verdict.messages, guard_));
    end_record();
    LADE_TRY(sink_->write(line_));
    line_.clear();
    return {};
  }

  // The path of the finished file; empty when there was no row.
  Result<std::string> finish() {
    if (!sink_) return std::string();
    LADE_TRY(sink_->finish());
    std::error_code error;
    std::filesystem::rename(partial(), path_, error);
    if (error)
      return fail("file_error", fmt::format("{}: cannot rename the file: {}", path_.string(), error.message()));
    complete_ = true;
    return path_.string();
  }

  // Nothing half-written is kept.
  ~ResultFile() {
    std::error_code ignored;
    if (sink_ && !complete_) std::filesystem::remove(partial(), ignored);
  }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

 private:
  Result<void> create() {
    LADE_ASSIGN(File file, File::create(partial()));
    sink_ = std::make_unique<FileSink>(std::move(file));
    return {};
  }
  std::filesystem::path partial() const { return path_.string() + ".part"; }
  void add(std::string_view text) {
    if (!first_) line_.push_back(dialect_.delimiter);
    first_ = false;
    if (dialect_.quote != '\0') return csv::append_field(line_, text, dialect_);
    // Without quotes nothing can be quoted: only lade's own messages hold such characters.
    for (const char c : text) line_.push_back(c == dialect_.delimiter || c == '\r' || c == '\n' ? ' ' : c);
  }
  void end_record() {
    line_ += "\r\n";
    first_ = true;
  }

  const std::filesystem::path path_;
  const csv::Dialect dialect_;
  std::vector<std::size_t> columns_;
  std::unique_ptr<FileSink> sink_;
  const bool resubmitted_;  // the source itself is a result file
  std::string line_, scratch_, guard_;
  bool first_ = true;
  bool complete_ = false;
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

Result<void> write_issue_file(const Job& job) {
  LADE_ASSIGN(File file, File::create(job.options.issues_file));
  FileSink sink(std::move(file));
  staging::IssueReader reader(*job.log);
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

}  // namespace

Result<void> write_results(Job& job, Summary& summary) {
  if (!job.options.issues_file.empty()) LADE_TRY(write_issue_file(job));
  if (job.options.results == Results::none) return {};
  const bool all = job.options.results == Results::all;
  const auto& folder = job.options.results_folder;
  const auto& header = job.layout.header;
  const bool again = job.program->resubmitted;
  ResultFile failed(folder / "failed.csv", job.layout.dialect, header, again);
  ResultFile succeeded(folder / "succeeded.csv", job.layout.dialect, header, again);
  ResultFile unprocessed(folder / "unprocessed.csv", job.layout.dialect, header, again);
  VerdictReader verdicts(*job.log);
  LADE_TRY(verdicts.advance());
  static const RowVerdict clean;
  for (std::size_t chunk = 0; chunk < job.split.chunks.size(); ++chunk) {
    const std::int64_t chunk_end =
        chunk + 1 < job.split.chunks.size() ? job.split.chunks[chunk + 1].row : job.split.end.row;
    if (!all && (verdicts.row == 0 || verdicts.row >= chunk_end)) continue;
    FileRange range(job.input.file, job.split.chunks[chunk].offset, job.chunk_end(chunk));
    csv::Reader reader(range, job.reader_options(job.split.chunks[chunk]));
    csv::Batch batch;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(batch));
      if (!more) break;
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        const bool told = batch.row_id(row) == verdicts.row;
        const Outcome outcome = told ? verdicts.verdict.outcome : job.untold;
        if (outcome == Outcome::failed) LADE_TRY(failed.write(batch, row, verdicts.verdict));
        if (all && outcome == Outcome::unprocessed) LADE_TRY(unprocessed.write(batch, row, verdicts.verdict));
        if (all && outcome != Outcome::failed && outcome != Outcome::unprocessed)
          LADE_TRY(succeeded.write(batch, row, told ? verdicts.verdict : clean));
        if (told) LADE_TRY(verdicts.advance());
      }
    }
  }
  LADE_ASSIGN(summary.failed_file, failed.finish());
  LADE_ASSIGN(summary.succeeded_file, succeeded.finish());
  LADE_ASSIGN(summary.unprocessed_file, unprocessed.finish());
  return {};
}

}  // namespace lade::jobs
