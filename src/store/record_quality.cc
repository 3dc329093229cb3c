#include "store/record_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "db/values.h"
#include "store/sql.h"

namespace lade::store {
namespace {

namespace json = boost::json;
using db::Value;

constexpr std::size_t kPlacesAtOnce = 1000;

// What differs between the databases: lists and members of JSON.
struct Dialect {
  std::string_view places;        // of parameter $1, as e(value)
  std::string_view fields;        // of a page, each with the list of its values as f(value)
  std::string_view length;        // of a list
  std::string_view final_url;     // of a page
  std::string_view completeness;  // of a question
};
constexpr Dialect kSqlite{.places = "json_each($1) AS e",
                          .fields = "json_each(p.fields, '$.fields') AS f",
                          .length = "json_array_length",
                          .final_url = "p.evidence ->> 'final_url'",
                          .completeness = "r.quality ->> 'completeness'"};
constexpr Dialect kPostgresql{.places = "jsonb_array_elements(CAST($1 AS jsonb)) AS e(value)",
                              .fields = "jsonb_each(CAST(p.fields AS jsonb) -> 'fields') AS f",
                              .length = "jsonb_array_length",
                              .final_url = "CAST(p.evidence AS jsonb) ->> 'final_url'",
                              .completeness = "CAST(r.quality AS jsonb) ->> 'completeness'"};

// Doubtful names count once, as such: what their issues say is not counted as a fault of the row, too. A name without
// a question (nobody may see it, or it was decided that it means nobody) is not known at all.
constexpr std::string_view kFacts = R"sql(
WITH place AS (
  SELECT CAST(e.value ->> 'n' AS bigint) AS n, CAST(e.value ->> 'j' AS bigint) AS job_id,
         CAST(e.value ->> 'r' AS bigint) AS row_id
  FROM {places})
SELECT place.n,
       CASE WHEN p.gathered = 1 AND (p.status = 'succeeded' OR p.error_code = 'resolution_failed') THEN 1 ELSE 0 END,
       p.host, {final_url},
       (SELECT count(*) FROM {fields}),
       (SELECT count(*) FROM {fields} WHERE {length}(f.value) > 0),
       (SELECT max(CAST({completeness} AS double precision)) FROM lade_review_item r
        WHERE r.job_id = place.job_id AND r.row_id = place.row_id),
       (SELECT min(CASE WHEN r.status = 'open' THEN r.best / 100 WHEN r.decision = 'reject' THEN 0.0 ELSE 1.0 END)
        FROM lade_review_item r
        WHERE r.job_id = place.job_id AND r.row_id = place.row_id AND r.status <> 'withdrawn'),
       (SELECT count(*) FROM lade_issue i
        WHERE i.job_id = place.job_id AND i.row_id = place.row_id AND i.code IN ('name_doubtful', 'name_unknown')
          AND NOT EXISTS (SELECT 1 FROM lade_review_item r WHERE r.job_id = i.job_id AND r.row_id = i.row_id
                          AND r.column_name = i.column_name AND r.status <> 'withdrawn')),
       (SELECT max(CASE i.severity WHEN 'error' THEN 2 ELSE 1 END) FROM lade_issue i
        WHERE i.job_id = place.job_id AND i.row_id = place.row_id
          AND i.code NOT IN ('name_doubtful', 'name_unknown'))
FROM place LEFT JOIN lade_page p ON p.job_id = place.job_id AND p.row_id = place.row_id)sql";

std::string facts_sql(const db::Connection& connection) {
  const Dialect& dialect = connection.backend() == db::Backend::sqlite ? kSqlite : kPostgresql;
  return fmt::format(fmt::runtime(kFacts), fmt::arg("places", dialect.places), fmt::arg("fields", dialect.fields),
                     fmt::arg("length", dialect.length), fmt::arg("final_url", dialect.final_url),
                     fmt::arg("completeness", dialect.completeness));
}

std::optional<double> real_of(const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? static_cast<double>(integer_of(value)) : *real;
}

// The share of its fields that the page had; of a row without them, what analysis has told with its question.
std::optional<double> completeness_of(bool has_page, std::int64_t fields, std::int64_t filled,
                                      std::optional<double> asked) {
  if (has_page && fields > 0) return static_cast<double>(filled) / static_cast<double>(fields);
  if (asked || !has_page) return asked;
  return 1;  // nothing was to be taken out of it
}

// One row of kFacts, without the place.
std::optional<model::Quality> quality_of(const db::Row& row) {
  const bool has_page = integer_of(row[1]) != 0;
  const auto completeness = completeness_of(has_page, integer_of(row[4]), integer_of(row[5]), real_of(row[6]));
  if (!completeness) return std::nullopt;
  model::Quality quality{.completeness = *completeness};
  if (has_page) quality.source = source_quality_of(text_of(row[2]), text_of(row[3]));
  quality.resolution = integer_of(row[8]) > 0 ? 0 : real_of(row[7]).value_or(1);
  const std::int64_t worst = integer_of(row[9]);
  quality.validation = worst == 0 ? 1 : worst == 1 ? 0.5 : 0;
  return quality;
}

Result<void> add_some(db::Connection& connection, std::span<const RecordPlace> places,
                      std::vector<std::optional<model::Quality>>& qualities) {
  json::array list;
  for (const RecordPlace& place : places) list.push_back({{"n", list.size()}, {"j", place.job}, {"r", place.row}});
  const Value values[] = {json::serialize(list)};
  LADE_ASSIGN(const auto rows, connection.query(facts_sql(connection), values));
  const std::size_t first = qualities.size();
  qualities.resize(first + places.size());
  for (const db::Row& row : rows) qualities[first + static_cast<std::size_t>(integer_of(row[0]))] = quality_of(row);
  return {};
}

std::string_view without_www(std::string_view host) {
  return host.starts_with("www.") ? host.substr(4) : host;
}

}  // namespace

Result<std::vector<std::optional<model::Quality>>> record_qualities(db::Connection& connection,
                                                                    std::span<const RecordPlace> places) {
  std::vector<std::optional<model::Quality>> qualities;
  for (; !places.empty(); places = places.subspan(std::min(places.size(), kPlacesAtOnce)))
    LADE_TRY(add_some(connection, places.first(std::min(places.size(), kPlacesAtOnce)), qualities));
  return qualities;
}

double source_quality_of(std::string_view host, std::string_view final_url) {
  using namespace model::source_quality;
  const bool is_protected = final_url.starts_with("https://");
  std::string_view answered = final_url.substr(std::min(final_url.size(), final_url.find("://") + 3));
  if (answered.starts_with('[')) answered.remove_prefix(1);  // an IPv6 address, which pages have without brackets
  answered = without_www(answered);
  const std::string_view asked = without_www(host);
  const bool is_as_named =
      answered.starts_with(asked) && (answered.size() == asked.size() ||
                                      std::string_view(":/?#]").find(answered[asked.size()]) != std::string_view::npos);
  if (!is_as_named) return kElsewhere;
  return is_protected ? kAsNamed : kUnprotected;
}

}  // namespace lade::store
