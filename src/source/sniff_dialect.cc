#include "source/sniff_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "csv/reader.h"

namespace lade::source {
namespace {

constexpr std::size_t kMostRecords = 1000;

// Some bytes separate fields more often than others; ':' stands in every time of day.
struct Candidate {
  char delimiter;
  double weight;
};
constexpr std::array kDelimiters = {Candidate{',', 1.0},  Candidate{';', 1.0},  Candidate{'\t', 1.0},
                                    Candidate{'|', 0.99}, Candidate{'^', 0.95}, Candidate{'~', 0.95},
                                    Candidate{':', 0.7}};

std::vector<csv::Dialect> quotings(std::string_view sample) {
  std::vector<csv::Dialect> result;
  for (const char quote : {'"', '\''}) {
    csv::Dialect dialect;
    dialect.quote = quote;
    dialect.escape = quote;
    result.push_back(dialect);
    if (sample.find(std::string{'\\', quote}) == std::string_view::npos) continue;
    dialect.escape = '\\';
    result.push_back(dialect);
  }
  result.push_back({.quote = 0});
  return result;
}

struct Counts {
  std::map<std::size_t, std::size_t> records_by_fields;
  std::vector<std::size_t> fields_of_record;
  std::size_t faults = 0;
  std::size_t quoted = 0;
};

void count(const csv::Batch& batch, Counts& counts) {
  const std::size_t first = counts.fields_of_record.size();
  counts.fields_of_record.resize(first + batch.rows(), batch.columns());
  for (const csv::RaggedRecord& ragged : batch.ragged()) counts.fields_of_record[first + ragged.row] = ragged.fields;
  counts.faults += batch.faults().size();
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    for (std::size_t column = 0; column < batch.columns(); ++column) counts.quoted += batch.field(row, column).quoted;
  }
}

Counts count_fields(std::string_view sample, const csv::Dialect& dialect) {
  MemorySource source(sample);
  csv::ReaderOptions options;
  options.dialect = dialect;
  options.block_bytes = std::min(options.block_bytes, sample.size());
  options.max_columns = sample.size() + 1;
  csv::Reader reader(source, options);
  csv::Batch batch;
  Counts counts;
  while (counts.fields_of_record.size() < kMostRecords) {
    const Result<bool> more = reader.next(batch);
    if (!more || !*more) break;
    count(batch, counts);
  }
  // The last record may be cut off.
  const bool cut = !sample.ends_with('\n') && !sample.ends_with('\r');
  if (cut && counts.fields_of_record.size() > 1 &&
      counts.fields_of_record.back() < counts.fields_of_record[counts.fields_of_record.size() - 2]) {
    counts.fields_of_record.pop_back();
  }
  for (const std::size_t fields : counts.fields_of_record) ++counts.records_by_fields[fields];
  return counts;
}

// Between 0 and about 1: high when nearly all records have the same number of fields, a little higher for more fields,
// lower for records with faults. One field in each record says little, but more than fields that hardly ever agree.
double score_of(const Reading& reading, double weight) {
  // An apostrophe is a quote only where it is seen to be one.
  if (reading.records == 0 || (reading.dialect.quote == '\'' && reading.quoted == 0)) return 0;
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(reading.records);
  };
  const double agreement = share(reading.fitting);
  const auto fields = static_cast<double>(reading.fields);
  double score = agreement * agreement * agreement * (reading.fields < 2 ? 0.2 : fields / (fields + 1));
  // A delimiter that stands in nearly every record of a ragged table is still one.
  if (share(reading.divided) >= 0.9) score = std::max(score, 0.25 + 0.05 * agreement);
  score *= weight;
  score *= 1 - 0.5 * std::min(share(reading.faults), 1.0);
  score *= reading.first_fits ? 1.0 : 0.9;
  // A quote that is seen to work beats one that is only possible, and both beat none.
  score *= reading.dialect.quote == 0 ? 0.8 : 1 + 0.05 * std::min(share(reading.quoted), 1.0);
  return score;
}

Reading read_as(std::string_view sample, const csv::Dialect& dialect, double weight) {
  const Counts counts = count_fields(sample, dialect);
  Reading reading;
  reading.dialect = dialect;
  reading.records = counts.fields_of_record.size();
  reading.faults = counts.faults;
  reading.quoted = counts.quoted;
  for (const auto& [fields, records] : counts.records_by_fields) {
    if (fields > 1) reading.divided += records;
    if (records < reading.fitting) continue;
    reading.fields = fields;
    reading.fitting = records;
  }
  reading.first_fits = reading.records > 0 && counts.fields_of_record.front() == reading.fields;
  reading.score = score_of(reading, weight);
  return reading;
}

std::string shown(char byte) {
  return byte == '\t' ? "tab" : fmt::format("'{}'", byte);
}

std::string describe(const Reading& reading) {
  return fmt::format("{}: {} field{} in {} of {} records", shown(reading.dialect.delimiter), reading.fields,
                     reading.fields == 1 ? "" : "s", reading.fitting, reading.records);
}

std::string delimiter_evidence(const Reading& best, const std::vector<Reading>& readings) {
  if (best.fields < 2)
    return fmt::format("delimiter: none found, {} of {} records are one field", best.fitting, best.records);
  std::string text = "delimiter " + describe(best);
  for (const Reading& reading : readings) {
    const bool same_quoting =
        reading.dialect.quote == best.dialect.quote && reading.dialect.escape == best.dialect.escape;
    if (!same_quoting || reading.fields < 2 || reading.dialect.delimiter == best.dialect.delimiter) continue;
    text += "; " + describe(reading);
  }
  return text;
}

std::string quote_evidence(const Reading& best) {
  if (best.dialect.quote == 0) return "quote: none, quotes stand inside of fields as ordinary characters";
  if (best.quoted == 0) return fmt::format("quote {}: assumed, no field is quoted", shown(best.dialect.quote));
  std::string text = fmt::format("quote {}: {} fields are quoted", shown(best.dialect.quote), best.quoted);
  if (best.dialect.escape != best.dialect.quote) text += fmt::format(", escaped by {}", shown(best.dialect.escape));
  if (best.faults > 0) text += fmt::format(", {} records have stray quotes", best.faults);
  return text;
}

std::string line_end_evidence(std::string_view sample, bool lone_cr) {
  if (lone_cr) return "line ends: CR alone";
  std::size_t pairs = 0;
  std::size_t feeds = 0;
  for (std::size_t at = sample.find('\n'); at != std::string_view::npos; at = sample.find('\n', at + 1)) {
    ++(at > 0 && sample[at - 1] == '\r' ? pairs : feeds);
  }
  if (pairs > 0 && feeds > 0) return fmt::format("line ends: {} CRLF, {} LF", pairs, feeds);
  return pairs > 0 ? "line ends: CRLF" : "line ends: LF";
}

}  // namespace

DialectFinding sniff_dialect(std::string_view sample) {
  const bool lone_cr = sample.find('\n') == std::string_view::npos && sample.find('\r') != std::string_view::npos;
  std::vector<Reading> readings;
  for (csv::Dialect dialect : quotings(sample)) {
    dialect.lone_cr = lone_cr;
    for (const Candidate& candidate : kDelimiters) {
      dialect.delimiter = candidate.delimiter;
      readings.push_back(read_as(sample, dialect, candidate.weight));
    }
  }
  // The first of equals: ',' and '"'.
  const auto best = std::ranges::max_element(readings, {}, &Reading::score);
  DialectFinding finding{*best, {}};
  finding.evidence = {delimiter_evidence(*best, readings), quote_evidence(*best), line_end_evidence(sample, lone_cr)};
  return finding;
}

}  // namespace lade::source
