#include "definition/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "definition/header_name.h"

namespace lade::definition {
namespace {

// Below this a name is not worth proposing, and below kTaken it is not taken.
constexpr double kProposed = 0.70;
constexpr double kTaken = 0.80;
// Two candidates closer than this are equal.
constexpr double kNearlyEqual = 0.04;

// Beyond so many pairs of names nothing is proposed: it would take seconds, and nobody would read it.
constexpr std::size_t kMostPairs = 200'000;

bool reads_file(const DataColumn& column) {
  return !column.from.empty();
}

std::optional<std::string> find_exact(const DataColumn& column, const std::vector<std::string>& header) {
  for (const std::string& name : column.from)
    if (const int at = find_name(header, name); at >= 0) return header[static_cast<std::size_t>(at)];
  return std::nullopt;
}

std::optional<std::string> find_known(const DataColumn& column, const std::vector<std::string>& header,
                                      const std::vector<KnownMatch>& known, bool same_header) {
  for (const KnownMatch& match : known) {
    if (match.data_column != column.name || match.same_header != same_header) continue;
    if (const int at = find_name(header, match.source_column); at >= 0) return header[static_cast<std::size_t>(at)];
  }
  return std::nullopt;
}

// What people have said, where it is something else than what the definition finds itself.
std::optional<std::string> find_said(const DataColumn& column, const std::vector<std::string>& header,
                                     const std::vector<KnownMatch>& known, const std::optional<std::string>& exact) {
  auto said = find_known(column, header, known, true);
  if (!said && !exact) said = find_known(column, header, known, false);
  return said == exact ? std::nullopt : said;
}

double best_similarity(const std::vector<std::string>& wanted, const std::string& name) {
  double best = 0;
  for (const std::string& one : wanted) best = std::max(best, name_similarity(one, name));
  return best;
}

// Pairs of open data columns and free source columns.
class Guesses {
 public:
  Guesses(const std::vector<const DataColumn*>& open, const std::vector<std::string>& free) : open_(open), free_(free) {
    if (open.size() * free.size() > kMostPairs) return;
    for (std::size_t column = 0; column < open.size(); ++column)
      for (std::size_t name = 0; name < free.size(); ++name)
        if (const double alike = wanted_like(*open[column], free[name]); alike >= kTaken)
          pairs_.push_back({column, name, alike});
    std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.alike > b.alike; });
  }

  // Best first, each column and each name once.
  std::vector<ColumnMatch> take() const {
    std::vector<ColumnMatch> taken;
    std::set<std::size_t> columns, names;
    for (const Pair& pair : pairs_) {
      if (columns.contains(pair.column) || names.contains(pair.name)) continue;
      if (is_contested(pair, columns, names)) continue;
      columns.insert(pair.column);
      names.insert(pair.name);
      taken.push_back({free_[pair.name], open_[pair.column]->name, MatchKind::similar, pair.alike});
    }
    return taken;
  }

 private:
  struct Pair {
    std::size_t column, name;
    double alike;
  };

  // The data column's own name says something too, but less than what its author listed.
  static double wanted_like(const DataColumn& column, const std::string& name) {
    const double own = name_similarity(column.name, name);
    return std::max(best_similarity(column.from, name), std::min(own, 0.9));
  }

  bool is_contested(const Pair& pair, const std::set<std::size_t>& columns, const std::set<std::size_t>& names) const {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& other) {
      if ((other.column == pair.column) == (other.name == pair.name)) return false;
      if (columns.contains(other.column) || names.contains(other.name)) return false;
      return other.alike > pair.alike - kNearlyEqual;
    });
  }

  const std::vector<const DataColumn*>& open_;
  const std::vector<std::string>& free_;
  std::vector<Pair> pairs_;
};

std::vector<std::string> unused(const std::vector<std::string>& header, const std::vector<ColumnMatch>& matches) {
  std::set<std::string_view> used;
  for (const ColumnMatch& match : matches) used.insert(match.source_column);
  std::vector<std::string> free;
  for (const std::string& name : header)
    if (!used.contains(name)) free.push_back(name);
  return free;
}

void sort_like(const Definition& definition, std::vector<ColumnMatch>& matches) {
  std::map<std::string_view, std::size_t> places;
  for (const DataColumn& column : definition.columns) places.emplace(column.name, places.size());
  std::stable_sort(matches.begin(), matches.end(), [&](const ColumnMatch& a, const ColumnMatch& b) {
    return places[a.data_column] < places[b.data_column];
  });
}

// What is left over once the matches are known.
void list_rest(HeaderMatch& found, const Definition& definition, const std::vector<std::string>& header) {
  sort_like(definition, found.matches);
  found.unmapped = unused(header, found.matches);
  found.missing.clear();
  std::set<std::string_view> matched;
  for (const ColumnMatch& match : found.matches) matched.insert(match.data_column);
  for (const DataColumn& column : definition.columns)
    if (reads_file(column) && !matched.contains(column.name))
      found.missing.push_back({column.name, column.from, column.required, {}});
  if (found.missing.size() * found.unmapped.size() > kMostPairs) return;
  for (MissingColumn& column : found.missing) column.similar = similar_names(column.from, found.unmapped);
}

tl::unexpected<Error> refuse(std::string message, std::string hint) {
  return fail("match_invalid", std::move(message), std::move(hint), ErrorKind::invalid);
}

}  // namespace

std::string_view to_string(MatchKind kind) {
  switch (kind) {
    case MatchKind::exact: return "exact";
    case MatchKind::remembered: return "remembered";
    case MatchKind::similar: return "similar";
    case MatchKind::given: return "given";
  }
  return "";
}

bool HeaderMatch::is_complete() const {
  return std::none_of(missing.begin(), missing.end(), [](const MissingColumn& column) { return column.required; });
}

int find_name(const std::vector<std::string>& header, std::string_view name) {
  const auto exact = std::find(header.begin(), header.end(), name);
  if (exact != header.end()) return static_cast<int>(exact - header.begin());
  const std::string wanted = folded_name(name);
  const auto alike =
      std::find_if(header.begin(), header.end(), [&](const std::string& one) { return folded_name(one) == wanted; });
  return alike == header.end() ? -1 : static_cast<int>(alike - header.begin());
}

std::vector<SimilarName> similar_names(const std::vector<std::string>& wanted, const std::vector<std::string>& header,
                                       std::size_t most) {
  std::vector<SimilarName> found;
  for (const std::string& name : header)
    if (const double alike = best_similarity(wanted, name); alike >= kProposed) found.push_back({name, alike});
  std::stable_sort(found.begin(), found.end(),
                   [](const SimilarName& a, const SimilarName& b) { return a.confidence > b.confidence; });
  found.resize(std::min(most, found.size()));
  return found;
}

HeaderMatch match_header(const Definition& definition, const std::vector<std::string>& header,
                         const std::vector<KnownMatch>& known) {
  HeaderMatch found;
  std::vector<const DataColumn*> open;
  for (const DataColumn& column : definition.columns) {
    if (!reads_file(column)) continue;
    const auto exact = find_exact(column, header);
    if (const auto said = find_said(column, header, known, exact)) {
      found.matches.push_back({*said, column.name, MatchKind::remembered, 1});
    } else if (exact) {
      found.matches.push_back({*exact, column.name, MatchKind::exact, 1});
    } else {
      open.push_back(&column);
    }
  }
  const std::vector<std::string> free = unused(header, found.matches);
  for (ColumnMatch& guess : Guesses(open, free).take()) found.matches.push_back(std::move(guess));
  list_rest(found, definition, header);
  return found;
}

Result<void> give_matches(HeaderMatch& match, const Definition& definition, const std::vector<std::string>& header,
                          const std::vector<std::string>& given) {
  for (const std::string& one : given) {
    // The last sign: names of files' columns may have one, those of data columns hardly.
    const std::size_t sign = one.rfind('=');
    if (sign == std::string::npos) return refuse(fmt::format("'{}' has no '='", one), "File column=data column");
    const std::string source = one.substr(0, sign), data = one.substr(sign + 1);
    const int at = find_name(header, source);
    if (at < 0)
      return refuse(fmt::format("the file has no column '{}'", source), fmt::format("{}", fmt::join(header, ", ")));
    const DataColumn* column = definition.find(data);
    if (column == nullptr || !reads_file(*column))
      return refuse(fmt::format("'{}' is no column of '{}' that is read from files", data, definition.slug),
                    "lade definitions show names them");
    std::erase_if(match.matches, [&](const ColumnMatch& other) {
      return other.data_column == data || (other.source_column == header[static_cast<std::size_t>(at)] &&
                                           other.kind != MatchKind::exact && other.kind != MatchKind::given);
    });
    match.matches.push_back({header[static_cast<std::size_t>(at)], data, MatchKind::given, 1});
  }
  list_rest(match, definition, header);
  return {};
}

std::vector<KnownMatch> matches_to_follow(const Definition& definition, const std::vector<std::string>& header,
                                          const std::vector<KnownMatch>& known) {
  std::vector<KnownMatch> followed;
  if (known.empty()) return followed;
  for (const DataColumn& column : definition.columns) {
    if (!reads_file(column)) continue;
    if (const auto said = find_said(column, header, known, find_exact(column, header)))
      followed.push_back({*said, column.name});
  }
  return followed;
}

Definition with_matches(Definition definition, const std::vector<KnownMatch>& matches) {
  for (const KnownMatch& match : matches)
    for (DataColumn& column : definition.columns)
      if (column.name == match.data_column) column.from.insert(column.from.begin(), match.source_column);
  return definition;
}

Definition with_all_columns(Definition definition, const std::vector<std::string>& header) {
  const auto is_read = [](const DataColumn& column) { return !column.from.empty(); };
  if (definition.handler() == nullptr || std::ranges::any_of(definition.columns, is_read)) return definition;
  for (const std::string& name : header) {
    if (definition.find(name) != nullptr) continue;  // what a step fills
    DataColumn column;
    column.name = name;
    column.from = {name};
    column.trim = false;
    definition.columns.push_back(std::move(column));
  }
  return definition;
}

}  // namespace lade::definition
