#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>

#include "csv/reader.h"
#include "source/input.h"
#include "source/sample_records.h"
#include "source/sheet_input.h"
#include "source/sniff_content.h"
#include "source/sniff_dialect.h"
#include "source/sniff_header.h"

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kSampleBytes = 256 * 1024;
constexpr std::size_t kSampleRecords = 200;

Error header_not_found(const Input& input) {
  return {"header_not_found", fmt::format("{}: the file has fewer lines than the header row asked for", input.name),
          "correct source.header_row or source.skip_rows", ErrorKind::invalid};
}

// The place behind the first `lines` physical lines, which end with CR alone only in files that have no LF.
Result<SamplePlace> skip_lines(const Input& input, int lines) {
  SamplePlace place{0, 1 + lines};
  std::vector<char> block(lines > 0 ? kBlockBytes : 0);
  LADE_ASSIGN(const std::size_t seen, input.file.read_at(0, block));
  const char line_end = std::string_view(block.data(), seen).find('\n') == std::string_view::npos ? '\r' : '\n';
  while (lines > 0) {
    LADE_ASSIGN(const std::size_t count, input.file.read_at(place.offset, block));
    if (count == 0) return fail(header_not_found(input));
    const auto begin = block.begin(), end = block.begin() + static_cast<std::ptrdiff_t>(count);
    auto at = begin;
    while (lines > 0 && at != end) {
      at = std::find(at, end, line_end);
      if (at != end) ++at, --lines;
    }
    place.offset += static_cast<std::uint64_t>(at - begin);
  }
  return place;
}

// The same in a sheet, whose rows may hold line ends.
Result<SamplePlace> skip_rows(const Input& input, const csv::Dialect& dialect, int rows) {
  if (rows == 0) return SamplePlace{};
  FileRange range(input.file, 0, input.bytes);
  csv::ReaderOptions options;
  options.dialect = dialect;
  csv::Reader reader(range, options);
  csv::Batch batch;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) return fail(header_not_found(input));
    for (std::size_t row = 0; row < batch.rows(); ++row)
      if (batch.line(row) > rows) return SamplePlace{batch.offset(row), batch.line(row)};
  }
}

// The start of the data as far as it is looked at.
struct Sample {
  std::string text;
  SamplePlace place;

  void skip_line() {
    const std::size_t end = std::min(text.find('\n'), text.find('\r'));
    const std::size_t next = std::min(end + (text.substr(end, 2) == "\r\n" ? 2 : 1), text.size());
    text.erase(0, next);
    place.offset += next;
    ++place.line;
  }
};

Result<Sample> sample_at(const Input& input, const SamplePlace& place) {
  Sample sample{std::string(std::min<std::uint64_t>(kSampleBytes, input.bytes - place.offset), '\0'), place};
  LADE_ASSIGN(const std::size_t count, input.file.read_at(place.offset, sample.text));
  sample.text.resize(count);
  if (auto checked = check_text(sample.text); !checked) return fail(std::move(checked.error()).within(input.name));
  return sample;
}

// The delimiter in a line "sep=;", which Excel writes and reads above the header.
std::optional<char> declared_delimiter(std::string_view text) {
  constexpr std::string_view kWord = "sep=";
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!text.starts_with(kWord) || text.size() < kWord.size() + 2) return {};
  const char end = text[kWord.size() + 1];
  if (end != '\r' && end != '\n') return {};
  return text[kWord.size()];
}

// A file of few or ragged rows says little about its delimiter; the names that the definition expects say more.
void choose_by_names(const Sample& sample, const Overrides& overrides, Reading& best,
                     std::vector<std::string>& evidence) {
  const auto most_names = [&](const csv::Dialect& dialect) {
    std::size_t most = 0;
    for (const SampleRecord& record : sample_records(sample.text, dialect, sample.place, kSampleRecords))
      most = std::max(most, names_shown(record, overrides.expected));
    return most;
  };
  if (overrides.expected.empty()) return;
  std::size_t most = most_names(best.dialect);
  for (const char delimiter : {',', ';', '\t', '|'}) {
    Overrides given = overrides;
    given.delimiter = delimiter;
    const Reading reading = sniff_dialect(sample.text, given).best;
    const std::size_t names = reading.records > 0 ? most_names(reading.dialect) : 0;
    if (names <= most) continue;
    most = names;
    best = reading;
    evidence.push_back(fmt::format("delimiter {}: the header then has {} of the names that the definition expects",
                                   shown(delimiter), names));
  }
}

Error file_empty(const Input& input) {
  return {"file_empty",
          input.bytes == 0 ? fmt::format("{}: the file is empty", input.name)
                           : fmt::format("{}: the file has no records, nothing but blank lines", input.name),
          "check that the export has finished and wrote its rows, and that the right file was given",
          ErrorKind::invalid};
}

// Finds the dialect of the sample, as far as nobody has said it; `fields` of most records.
Result<std::size_t> find_dialect(const Input& input, const Overrides& overrides, Sample& sample, Layout& layout) {
  Overrides open = overrides;
  if (const auto declared = declared_delimiter(sample.text); declared && !overrides.delimiter) {
    layout.evidence.push_back(fmt::format("delimiter {}: the line \"sep=\" says so", shown(*declared)));
    open.delimiter = declared;
    sample.skip_line();
  }
  DialectFinding finding = sniff_dialect(sample.text, open);
  layout.evidence.insert(layout.evidence.end(), finding.evidence.begin(), finding.evidence.end());
  if (!open.delimiter && overrides.header_row.value_or(1) > 0)
    choose_by_names(sample, overrides, finding.best, layout.evidence);
  layout.dialect = finding.best.dialect;
  if (auto valid = csv::validate(layout.dialect); !valid) return fail(std::move(valid.error()).within(input.name));
  if (finding.best.records == 0) return fail(file_empty(input));
  return finding.best.fields;
}

// Of most records; the larger number of equals.
std::size_t usual_fields(const std::vector<SampleRecord>& records) {
  std::map<std::size_t, std::size_t> counts;
  for (const SampleRecord& record : records) ++counts[record.fields.size()];
  std::size_t usual = 0;
  for (const auto& [fields, count] : counts)
    if (count >= counts[usual]) usual = fields;
  return usual;
}

void find_header_line(const Sample& sample, std::size_t fields, const Overrides& overrides, Layout& layout) {
  const auto records = sample_records(sample.text, layout.dialect, sample.place, kSampleRecords);
  if (records.empty()) return;
  const HeaderFinding found =
      overrides.header_row ? sniff_header(records) : find_header(records, fields, overrides.expected);
  layout.has_header = overrides.header_row ? *overrides.header_row > 0 : found.has_header;
  layout.header_offset = records[found.record].offset;
  layout.header_line = records[found.record].line;
  if (!overrides.header_row) {
    layout.evidence.push_back(found.evidence);
  } else if (found.has_header != layout.has_header) {
    layout.evidence.push_back(found.evidence + "; overruled");
  }
}

// Reads the header record and finds where the record behind it begins.
Result<void> read_header(const Input& input, const Overrides& overrides, Layout& layout) {
  const bool is_header = overrides.header_row.value_or(1) > 0;
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.max_columns = overrides.max_columns;
  options.max_record_bytes = overrides.max_record_bytes;
  options.first_offset = layout.header_offset;
  options.first_line = layout.header_line;
  FileRange range(input.file, layout.header_offset, input.bytes);
  csv::Reader reader(range, options);
  csv::Batch batch;
  auto more = reader.next(batch);
  if (!more) return fail(std::move(more.error()).within(input.name));
  if (!*more) return fail(file_empty(input));
  const std::string_view record = batch.record(0);
  if (is_header && !simdjson::validate_utf8(record.data(), record.size()))
    return fail("unsupported_encoding",
                fmt::format("{}: the header in line {} has bytes that mean nothing in {}", input.name, batch.line(0),
                            input.origin.encoding),
                "name the right encoding, or correct the header", ErrorKind::invalid);
  std::string scratch;
  for (std::size_t i = 0; i < batch.columns(); ++i)
    layout.header.emplace_back(is_header ? std::string(csv::unescape(batch.field(0, i), layout.dialect, scratch))
                                         : fmt::format("column_{}", i + 1));
  if (is_header) {
    layout.data_offset = batch.rows() > 1 ? batch.offset(1) : reader.offset();
    layout.data_line = batch.rows() > 1 ? batch.line(1) : reader.line();
  } else {
    std::copy_n(overrides.header.begin(), std::min(overrides.header.size(), layout.header.size()),
                layout.header.begin());
    layout.data_offset = batch.offset(0);
    layout.data_line = batch.line(0);
  }
  return {};
}

}  // namespace

Result<Layout> recognise(const Input& input, const Overrides& overrides) {
  const int before = overrides.skip_rows + std::max(0, overrides.header_row.value_or(1) - 1);
  Layout layout;
  layout.origin = input.origin;
  const csv::Dialect of_sheets = sheet_dialect();
  LADE_ASSIGN(const SamplePlace place,
              input.sheet_rows ? skip_rows(input, of_sheets, before) : skip_lines(input, before));
  LADE_ASSIGN(Sample sample, sample_at(input, place));
  layout.header_offset = place.offset;
  layout.header_line = place.line;
  if (input.sheet_rows) {
    layout.dialect = of_sheets;
    find_header_line(sample, usual_fields(sample_records(sample.text, of_sheets, sample.place, kSampleRecords)),
                     overrides, layout);
  } else {
    LADE_ASSIGN(const std::size_t fields, find_dialect(input, overrides, sample, layout));
    find_header_line(sample, fields, overrides, layout);
  }
  LADE_TRY(read_header(input, overrides, layout));
  return layout;
}

}  // namespace lade::source
