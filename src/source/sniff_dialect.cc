#include "source/sniff_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "csv/reader.h"

namespace lade::source {
namespace {

constexpr std::size_t kMostRecords = 1000;

// Lines above a table that are looked for.
constexpr std::size_t kMostTitles = 30;

// Some bytes separate fields more often than others: ':' stands in every time of day, spaces in every text. A weak one
// must divide every record alike.
struct Candidate {
  char delimiter;
  double weight;
  bool weak = false;
  bool comment_is_guess = true;
};
constexpr std::array kDelimiters = {Candidate{',', 1.0},       Candidate{';', 1.0},      Candidate{'\t', 1.0},
                                    Candidate{'|', 0.99},      Candidate{'^', 0.95},     Candidate{'~', 0.95},
                                    Candidate{':', 0.7, true}, Candidate{' ', 0.5, true}};

std::vector<Candidate> delimiters(const Overrides& overrides) {
  std::vector<Candidate> result(kDelimiters.begin(), kDelimiters.end());
  if (overrides.delimiter) result = {{*overrides.delimiter, 1.0}};
  for (Candidate& candidate : result) candidate.comment_is_guess = !overrides.comment;
  return result;
}

std::vector<csv::Dialect> with_escapes(std::string_view sample, const Overrides& overrides, char quote) {
  csv::Dialect dialect;
  dialect.quote = quote;
  dialect.escape = overrides.escape.value_or(quote);
  std::vector<csv::Dialect> result = {dialect};
  if (overrides.escape || sample.find(std::string{'\\', quote}) == std::string_view::npos) return result;
  dialect.escape = '\\';
  result.push_back(dialect);
  return result;
}

std::vector<csv::Dialect> quotings(std::string_view sample, const Overrides& overrides) {
  if (overrides.no_quote) return {{.quote = 0}};
  if (overrides.quote) return with_escapes(sample, overrides, *overrides.quote);
  std::vector<csv::Dialect> result = with_escapes(sample, overrides, '"');
  for (const csv::Dialect& dialect : with_escapes(sample, overrides, '\'')) result.push_back(dialect);
  result.push_back({.quote = 0});
  return result;
}

// A sign that begins lines; that it is a comment's must then be seen.
std::vector<char> comments(std::string_view sample, const Overrides& overrides) {
  if (overrides.comment) return {*overrides.comment};
  std::vector<char> result = {'\0'};
  for (const char sign : {'#', '%'}) {
    const bool begins_line = sample.starts_with(sign) ||
                             sample.find(std::string{'\n', sign}) != std::string_view::npos ||
                             sample.find(std::string{'\r', sign}) != std::string_view::npos;
    if (begins_line) result.push_back(sign);
  }
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
// lower for records with faults and for titles above. One field in each record says little, but more than fields that
// hardly ever agree.
double score_of(const Reading& reading, const Candidate& candidate) {
  // An apostrophe is a quote only where it is seen to be one.
  if (reading.records == 0 || (reading.dialect.quote == '\'' && reading.quoted == 0)) return 0;
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(reading.records);
  };
  const double agreement = share(reading.fitting);
  const bool convincing = agreement == 1 && reading.records >= 3 && reading.titles == 0 && reading.dialect.quote != 0;
  if (candidate.weak && reading.fields > 1 && !convincing) return 0;
  // In a table of one column nothing tells a comment from a value.
  if (candidate.comment_is_guess && reading.dialect.comment != 0 && reading.fields < 2) return 0;
  // Two words in each record are a name rather than two fields.
  if (candidate.delimiter == ' ' && reading.fields == 2) return 0;
  const auto fields = static_cast<double>(reading.fields);
  double score = agreement * agreement * agreement * (reading.fields < 2 ? 0.2 : fields / (fields + 1));
  // A delimiter that stands in nearly every record of a ragged table is still one.
  if (share(reading.divided) >= 0.9) score = std::max(score, 0.25 + 0.05 * agreement);
  score *= candidate.weight;
  score *= 1 - 0.5 * std::min(share(reading.faults), 1.0);
  score *= reading.first_fits ? 1.0 : 0.9;
  // A reading that needs no titles is better than one that declares a header to be one.
  if (reading.titles > 0) score *= 0.9 - 0.01 * static_cast<double>(reading.titles);
  // A quote that is seen to work beats one that is only possible, and both beat none.
  score *= reading.dialect.quote == 0 ? 0.8 : 1 + 0.05 * std::min(share(reading.quoted), 1.0);
  return score;
}

// Records at the front with at most half the fields, when a table of three records or more follows them.
std::size_t count_titles(const std::vector<std::size_t>& fields_of_record, std::size_t fields) {
  std::size_t titles = 0;
  while (titles < fields_of_record.size() && fields_of_record[titles] * 2 <= fields) ++titles;
  return titles <= kMostTitles && titles + 3 <= fields_of_record.size() ? titles : 0;
}

Reading read_as(std::string_view sample, const csv::Dialect& dialect, const Candidate& candidate) {
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
  reading.titles = count_titles(counts.fields_of_record, reading.fields);
  reading.records -= reading.titles;
  reading.first_fits = reading.records > 0 && counts.fields_of_record[reading.titles] == reading.fields;
  reading.score = score_of(reading, candidate);
  return reading;
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
    const bool same_quoting = reading.dialect.quote == best.dialect.quote &&
                              reading.dialect.escape == best.dialect.escape &&
                              reading.dialect.comment == best.dialect.comment;
    if (!same_quoting || reading.score == 0 || reading.fields < 2 ||
        reading.dialect.delimiter == best.dialect.delimiter)
      continue;
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

// The sign of comments stands in front of lines that would not fit.
std::string comment_evidence(const Reading& best, const std::vector<Reading>& readings) {
  const auto without = std::ranges::find_if(readings, [&](const Reading& reading) {
    csv::Dialect dialect = best.dialect;
    dialect.comment = '\0';
    return reading.dialect == dialect;
  });
  if (without == readings.end()) return fmt::format("comment {}: as given", shown(best.dialect.comment));
  return fmt::format("comment {}: {} lines that begin with it are no records", shown(best.dialect.comment),
                     without->records + without->titles - best.records - best.titles);
}

}  // namespace

std::string shown(char byte) {
  switch (byte) {
    case '\0': return "none";
    case '\t': return "tab";
    case ' ': return "space";
    default: return fmt::format("'{}'", byte);
  }
}

DialectFinding sniff_dialect(std::string_view sample, const Overrides& overrides) {
  const bool lone_cr = sample.find('\n') == std::string_view::npos && sample.find('\r') != std::string_view::npos;
  const std::vector<Candidate> candidates = delimiters(overrides);
  std::vector<Reading> readings;
  for (const char comment : comments(sample, overrides)) {
    for (csv::Dialect dialect : quotings(sample, overrides)) {
      dialect.lone_cr = lone_cr;
      dialect.comment = comment;
      for (const Candidate& candidate : candidates) {
        dialect.delimiter = candidate.delimiter;
        readings.push_back(read_as(sample, dialect, candidate));
      }
    }
  }
  // The first of equals: ',' and '"', and no comments.
  const auto best = std::ranges::max_element(readings, {}, &Reading::score);
  DialectFinding finding{*best, {}};
  finding.evidence = {delimiter_evidence(*best, readings), quote_evidence(*best), line_end_evidence(sample, lone_cr)};
  if (best->dialect.comment != 0) finding.evidence.push_back(comment_evidence(*best, readings));
  return finding;
}

}  // namespace lade::source
