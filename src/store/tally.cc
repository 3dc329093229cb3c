#include "store/tally.h"

#include <fmt/format.h>

#include "model/outcome.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::string_view kAdd =
    "ON CONFLICT (company_id, name, label) DO UPDATE SET value = lade_tally.value + excluded.value";

}  // namespace

Result<void> add_tally(db::Connection& connection, std::int64_t company, const std::string& name,
                       const std::string& label, std::int64_t value) {
  const Value values[] = {company, name, label, value};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_tally (company_id, name, label, value) VALUES ($1, $2, $3, $4) {}", kAdd), values));
  return {};
}

Result<void> tally_end(db::Connection& connection, std::int64_t job) {
  std::string lines = fmt::format(
      "SELECT company_id, 'jobs_finished' AS name, outcome AS label, 1 AS value FROM lade_job WHERE id = $1 "
      "UNION ALL SELECT company_id, 'job_milliseconds', outcome, {} FROM lade_job WHERE id = $1 AND started_at IS NOT "
      "NULL",
      connection.backend() == db::Backend::sqlite
          ? "CAST((julianday(finished_at) - julianday(started_at)) * 86400000 AS INTEGER)"
          : "CAST(extract(epoch FROM finished_at - started_at) * 1000 AS bigint)");
  for (const model::Outcome outcome : model::kOutcomes)
    lines += fmt::format(" UNION ALL SELECT company_id, 'rows', '{0}', rows_{0} FROM lade_job WHERE id = $1",
                         model::to_string(outcome));
  const Value values[] = {job};
  // Always in the same order, so that jobs which end at once do not wait for each other in a circle.
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_tally (company_id, name, label, value) SELECT company_id, name, label, value FROM "
                  "({}) AS added WHERE true ORDER BY name, label {}",
                  lines, kAdd),
      values));
  return {};
}

}  // namespace lade::store
