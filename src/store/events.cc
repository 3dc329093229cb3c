#include "store/events.h"

#include <fmt/format.h>

#include "model/job_state.h"
#include "store/batch_events.h"
#include "store/outbox.h"
#include "store/sql.h"

namespace lade::store {
namespace {

Event event_of(const db::Row& row) {
  return {integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), text_of(row[4]), text_of(row[5])};
}

}  // namespace

using db::Value;

std::span<const std::string_view> event_kinds() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> kinds = {"created",
                                           "paused",
                                           "resumed",
                                           "cancel_requested",
                                           "waits_for_target",
                                           "pages_planned",
                                           "page_retry_scheduled",
                                           "page_marked_retryable"};
    for (std::size_t i = 0; i < model::kJobEvents; ++i) kinds.push_back(to_string(static_cast<model::JobEvent>(i)));
    return kinds;
  }();
  return all;
}

Result<std::int64_t> append_event(db::Connection& connection, const NewEvent& event) {
  return in_transaction(connection, [&]() -> Result<std::int64_t> {
    // The job's row hands out the numbers and is locked by it: whoever gets the next one waits for this commit.
    const Value job[] = {event.job};
    LADE_ASSIGN(const auto rows, connection.query("UPDATE lade_job SET events = events + 1 WHERE id = $1 "
                                                  "RETURNING events, company_id, state, batch_id",
                                                  job));
    if (rows.empty())
      return fail("job_not_found", fmt::format("there is no job {}", event.job), "", ErrorKind::invalid);
    const Value values[] = {event.job, rows[0][0], rows[0][1], event.kind, rows[0][2], event.actor, event.data};
    LADE_TRY(connection.execute(
        fmt::format("INSERT INTO lade_event (job_id, number, company_id, kind, state, actor, data, created_at) "
                    "VALUES ($1, $2, $3, $4, $5, $6, $7, {})",
                    now_sql(connection)),
        values));
    const std::int64_t number = integer_of(rows[0][0]);
    LADE_TRY(put_into_outbox(connection, {event.job, integer_of(rows[0][1]), number, event.kind}));
    if (const std::int64_t batch = integer_of(rows[0][3]); batch != 0)
      LADE_TRY(tell_batch(connection, batch, event.job, event.kind));
    return number;
  });
}

Result<std::vector<Event>> events_of(db::Connection& connection, std::int64_t job, std::int64_t after,
                                     std::int64_t limit) {
  const Value values[] = {job, after, limit};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT number, kind, state, actor, data, {} FROM lade_event "
                                           "WHERE job_id = $1 AND number > $2 ORDER BY number LIMIT $3",
                                           time_sql(connection, "created_at")),
                               values));
  std::vector<Event> events;
  for (const db::Row& row : rows) events.push_back(event_of(row));
  return events;
}

Result<std::optional<Event>> last_event(db::Connection& connection, std::int64_t job, std::string_view kind) {
  const Value values[] = {job, std::string(kind)};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT number, kind, state, actor, data, {} FROM lade_event "
                                           "WHERE job_id = $1 AND kind = $2 ORDER BY number DESC LIMIT 1",
                                           time_sql(connection, "created_at")),
                               values));
  if (rows.empty()) return std::optional<Event>();
  return std::optional(event_of(rows.front()));
}

}  // namespace lade::store
