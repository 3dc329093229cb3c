#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/formula_guard.h"
#include "csv/reader.h"
#include "jobs/fix.h"
#include "jobs/open_source.h"
#include "jobs/stored_job.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

constexpr std::string_view kRowColumn = "_row";
// They are held in memory at once. Beyond it a file of its own is the better way.
constexpr std::size_t kMostFixes = 500'000;

Error invalid(std::string message, std::string hint) {
  return {"fixes_invalid", std::move(message), std::move(hint), ErrorKind::invalid};
}

std::size_t place_of(const std::vector<std::string>& header, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
}

Result<std::int64_t> row_number(std::string_view text, std::int64_t line) {
  std::int64_t row = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  if (error == std::errc() && end == text.data() + text.size() && row > 0) return row;
  return fail(invalid(fmt::format("line {}: '{}' in the column _row is no row number", line, text),
                      "leave the column _row as it was"));
}

// Which columns of the corrected file are columns of the job's.
Result<std::vector<bool>> own_columns(const std::vector<std::string>& header, const std::vector<std::string>& known) {
  std::vector<bool> own;
  for (const std::string& name : header) {
    own.push_back(!analysis::is_result_column(name));
    if (own.back() && place_of(known, name) == known.size())
      return fail("source_column_unknown", fmt::format("the job's file has no column '{}'", name),
                  fmt::format("its columns: {}", fmt::join(known, ", ")), ErrorKind::invalid);
  }
  return own;
}

// Reads the records behind the header.
class FixReader {
 public:
  FixReader(const source::Input& input, const source::Layout& layout, std::vector<bool> own)
      : layout_(layout),
        own_(std::move(own)),
        row_column_(place_of(layout.header, kRowColumn)),
        range_(input.file, layout.data_offset, input.bytes),
        reader_(range_, options(layout)) {}

  Result<std::vector<Fix>> read() {
    std::vector<Fix> fixes;
    csv::Batch batch;
    for (;;) {
      LADE_ASSIGN(const bool more, reader_.next(batch));
      if (!more) return fixes;
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        LADE_ASSIGN(Fix fix, fix_of(batch, row));
        fixes.push_back(std::move(fix));
      }
      if (fixes.size() > kMostFixes)
        return fail("fixes_too_many", fmt::format("more than {} rows are to be fixed at once", kMostFixes),
                    "import the corrected failed file as a job of its own", ErrorKind::invalid);
    }
  }

 private:
  static csv::ReaderOptions options(const source::Layout& layout) {
    csv::ReaderOptions options;
    options.dialect = layout.dialect;
    options.columns = layout.header.size();
    options.first_offset = layout.data_offset;
    options.first_line = layout.data_line;
    return options;
  }

  Result<Fix> fix_of(const csv::Batch& batch, std::size_t row) {
    Fix fix;
    for (std::size_t column = 0; column < own_.size(); ++column) {
      const csv::Field field = batch.field(row, column);
      const std::string_view text = csv::unescape(field, layout_.dialect, scratch_);
      if (column == row_column_) {
        LADE_ASSIGN(fix.row, row_number(text, batch.line(row)));
      } else if (own_[column]) {
        fix.cells.insert_or_assign(layout_.header[column], CellText(std::string(analysis::unguard_formula(text)),
                                                                    layout_.dialect.rows_are_lines && !field.quoted));
      }
    }
    return fix;
  }

  const source::Layout& layout_;
  const std::vector<bool> own_;
  const std::size_t row_column_;
  FileRange range_;
  csv::Reader reader_;
  std::string scratch_;
};

}  // namespace

Result<std::vector<Fix>> read_fixes(db::Connection& connection, const ReviewPlace& place, const store::JobRecord& job,
                                    File file, const std::string& name) {
  LADE_ASSIGN(const store::JobPlan stored, store::read_plan(connection, job.id));
  LADE_ASSIGN(const Plan plan, read_plan(stored.plan));
  const std::vector<std::string>& known = plan.layout.header;
  source::Overrides overrides;
  overrides.expected = known;
  overrides.expected.emplace_back(kRowColumn);
  LADE_ASSIGN(const source::Input input,
              source::as_input(std::move(file), name, place.here.scratch(), place.here.max_bytes, overrides));
  LADE_ASSIGN(const source::Layout layout, source::recognise(input, overrides));
  if (place_of(layout.header, kRowColumn) == layout.header.size())
    return fail(invalid(fmt::format("{} has no column _row", name),
                        "send the failed file as lade gave it back, with its rows corrected"));
  LADE_ASSIGN(auto own, own_columns(layout.header, known));
  return FixReader(input, layout, std::move(own)).read();
}

}  // namespace lade::jobs
