#include "jobs/match_detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_map>

#include "base/nearest.h"
#include "csv/reader.h"
#include "db/values.h"
#include "definition/utf8.h"

namespace lade::jobs {
namespace {

using definition::DataColumn;
using definition::Definition;
using definition::Lookup;

constexpr std::size_t kMostAccepted = 200, kMostReference = 5000;

using Counts = std::unordered_map<std::string, std::int64_t>;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The lookup that is made by this column alone.
const Lookup* lookup_by(const Definition& definition, const std::string& column) {
  for (const DataColumn& other : definition.columns)
    if (other.lookup && other.lookup->match.size() == 1 && other.lookup->match.front().first == column)
      return &*other.lookup;
  return nullptr;
}

bool takes_some_values(const Definition& definition, const DataColumn& column) {
  return !column.sensitive && (column.values_only || lookup_by(definition, column.name) != nullptr);
}

std::optional<std::size_t> place_of(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::vector<Candidate> candidates_for(const DataColumn& column, const std::optional<Candidate>& match,
                                      const std::vector<std::string>& header) {
  std::vector<Candidate> found;
  if (match) found.push_back(*match);
  std::vector<std::string> wanted = column.from;
  wanted.push_back(column.name);
  for (const definition::SimilarName& name : definition::similar_names(wanted, header, kMostCandidates))
    if (!match || match->source_column != name.source_column)
      found.push_back({name.source_column, definition::MatchKind::similar, name.confidence});
  if (found.size() > kMostCandidates) found.resize(kMostCandidates);
  return found;
}

std::vector<TargetDetail> targets_of(const Definition& definition, const definition::HeaderMatch& match,
                                     const std::vector<std::string>& header) {
  std::vector<TargetDetail> targets;
  for (const DataColumn& column : definition.columns) {
    if (column.from.empty()) continue;
    TargetDetail target{.column = &column};
    const auto found = std::ranges::find(match.matches, column.name, &definition::ColumnMatch::data_column);
    if (found != match.matches.end()) {
      target.match = Candidate{found->source_column, found->kind, found->confidence};
      target.source = place_of(header, found->source_column);
    }
    target.candidates = candidates_for(column, target.match, header);
    targets.push_back(std::move(target));
  }
  return targets;
}

// How often which text stands in these columns of the file.
struct Census {
  std::vector<std::size_t> columns;  // of the header
  std::vector<Counts> counts;
  std::int64_t rows = 0;
  bool complete = true;
};

void count_cell(std::string_view text, Counts& counts) {
  if (text.empty()) return;
  const auto found = counts.find(std::string(text));
  if (found != counts.end())
    ++found->second;
  else if (counts.size() < kMostDistinct)
    counts.emplace(text, 1);
}

Result<void> take_census(const source::Input& input, const source::Layout& layout, Census& census) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.columns = layout.header.size();
  options.max_columns = std::max(options.max_columns, layout.header.size());
  options.first_offset = layout.data_offset;
  options.first_line = layout.data_line;
  FileRange range(input.file, layout.data_offset, input.bytes);
  csv::Reader reader(range, options);
  csv::Batch batch;
  std::string scratch;
  census.counts.resize(census.columns.size());
  while (true) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    if (census.rows >= kMostValueRows) {
      census.complete = false;
      break;
    }
    census.rows += static_cast<std::int64_t>(batch.rows());
    for (std::size_t i = 0; i < census.columns.size(); ++i)
      for (std::size_t row = 0; row < batch.rows(); ++row)
        count_cell(trimmed(csv::unescape(batch.field(row, census.columns[i]), layout.dialect, scratch)),
                   census.counts[i]);
  }
  return {};
}

// What a column accepts: texts, and what each is read as.
using Accepted = std::unordered_map<std::string, std::string>;

Accepted accepted_by_enum(const DataColumn& column) {
  Accepted accepted;
  for (const auto& [cell, value] : column.values) accepted.emplace(cell, value);
  for (const auto& [cell, text] : column.replace) accepted.emplace(cell, text);
  return accepted;
}

// The texts that can be keys: PostgreSQL takes no others.
std::string json_list(const Counts& counts) {
  boost::json::array list;
  for (const auto& [text, count] : counts)
    if (text.find('\0') == std::string::npos && !definition::find_invalid_utf8(text)) list.emplace_back(text);
  return boost::json::serialize(list);
}

// The keys of a reference table; of a large one those that the file has.
Result<Accepted> accepted_by_lookup(db::Connection& connection, const Lookup& lookup, const Counts& counts) {
  Accepted accepted;
  LADE_ASSIGN(const auto table, connection.describe(lookup.table));
  const std::string& name = lookup.match.front().second;
  if (!table || table->find(name) == nullptr) return accepted;
  const std::string key = fmt::format("CAST({} AS text)", db::Connection::quote_name(name));
  std::string from = fmt::format("FROM {} WHERE {} IS NOT NULL", table->quoted, db::Connection::quote_name(name));
  std::vector<db::Value> values;
  for (const auto& [column, value] : lookup.where) {
    if (value.is_context || table->find(column) == nullptr) continue;
    values.emplace_back(value.text);
    from += fmt::format(" AND CAST({} AS text) = ${}", db::Connection::quote_name(column), values.size());
  }
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT DISTINCT {} {} LIMIT {}", key, from, kMostReference + 1), values));
  if (rows.size() <= kMostReference) {
    for (const db::Row& row : rows) accepted.emplace(db::text_of(row[0]), db::text_of(row[0]));
    return accepted;
  }
  // In one pass over the table: no index knows its keys as texts.
  values.emplace_back(json_list(counts));
  const std::string wanted = connection.backend() == db::Backend::sqlite
                                 ? "SELECT value FROM json_each(${})"
                                 : "SELECT jsonb_array_elements_text(${}::jsonb)";
  LADE_ASSIGN(const auto found,
              connection.query(fmt::format("SELECT DISTINCT {0} {1} AND {0} IN ({2}) LIMIT {3}", key, from,
                                           fmt::format(fmt::runtime(wanted), values.size()), kMostReference),
                               values));
  for (const db::Row& row : found) accepted.emplace(db::text_of(row[0]), db::text_of(row[0]));
  return accepted;
}

ValueList list_values(std::string kind, const Counts& counts, const Accepted& accepted) {
  ValueList list{.kind = std::move(kind), .total = static_cast<std::int64_t>(counts.size())};
  for (const auto& [text, value] : accepted) list.accepted.push_back(text);
  std::ranges::sort(list.accepted);
  for (const auto& [text, rows] : counts) {
    const auto found = accepted.find(text);
    ValueCount value{text, rows};
    if (found != accepted.end())
      value.target = found->second;
    else
      list.rows_open += rows;
    list.items.push_back(std::move(value));
  }
  std::ranges::sort(list.items, [](const ValueCount& a, const ValueCount& b) {
    if (a.target.has_value() != b.target.has_value()) return !a.target.has_value();
    return a.rows != b.rows ? a.rows > b.rows : a.text < b.text;
  });
  if (list.items.size() > kMostListedValues) list.items.resize(kMostListedValues);
  for (ValueCount& value : list.items)
    if (!value.target) value.similar = nearest(value.text, std::span<const std::string>(list.accepted));
  if (list.accepted.size() > kMostAccepted) list.accepted.resize(kMostAccepted);
  return list;
}

Result<ValueList> values_of(db::Connection& connection, const Definition& definition, const DataColumn& column,
                            const Counts& counts) {
  if (column.values_only) return list_values("enum", counts, accepted_by_enum(column));
  LADE_ASSIGN(Accepted accepted, accepted_by_lookup(connection, *lookup_by(definition, column.name), counts));
  for (const auto& [cell, text] : column.replace) accepted.emplace(cell, text);
  return list_values("lookup", counts, accepted);
}

}  // namespace

Result<MatchDetail> match_detail(db::Connection& connection, const Definition& definition,
                                 const definition::HeaderMatch& match, const source::Input& input,
                                 const source::Layout& layout) {
  MatchDetail detail;
  detail.targets = targets_of(definition, match, layout.header);
  LADE_ASSIGN(detail.sources, source::column_evidence(input, layout, kMostEvidenceRows));
  Census census;
  std::vector<TargetDetail*> counted;
  for (TargetDetail& target : detail.targets)
    if (target.source && takes_some_values(definition, *target.column)) {
      census.columns.push_back(*target.source);
      counted.push_back(&target);
    }
  LADE_TRY(take_census(input, layout, census));
  for (std::size_t i = 0; i < counted.size(); ++i) {
    LADE_ASSIGN(counted[i]->values, values_of(connection, definition, *counted[i]->column, census.counts[i]));
  }
  detail.rows = census.rows;
  detail.complete = census.complete;
  return detail;
}

}  // namespace lade::jobs
