#include "store/blocked_pages.h"

#include <fmt/format.h>

#include "store/pages.h"

namespace lade::store {

using db::Value;

Result<void> mark_pages(db::Connection& connection, std::int64_t job, std::int64_t first_row, std::int64_t last_row) {
  constexpr std::string_view kRows = "job_id = $1 AND row_id BETWEEN $2 AND $3";
  // An item of the page's row that keeps it from being loaded.
  const auto asks = [](std::string_view which) {
    return fmt::format(
        "EXISTS (SELECT 1 FROM lade_review_item AS i WHERE i.job_id = lade_page.job_id AND i.row_id = "
        "lade_page.row_id AND i.blocks AND {})",
        which);
  };
  const std::string waits =
      asks("(i.status = 'open' OR (i.status = 'decided' AND NOT i.sent AND i.decision <> 'reject'))");
  const std::string nobody = asks("i.status = 'decided' AND i.decision = 'reject'");
  const std::string ours = fmt::format("{} AND error_code = 'resolution_failed'", kRows);
  const Value rows[] = {job, first_row, last_row};
  const auto set = [&](std::string_view status, std::string_view message, const std::string& where) -> Result<void> {
    const Value values[] = {job, first_row, last_row, std::string(status),
                            to_json(PageError{.code = "resolution_failed", .message = std::string(message)})};
    LADE_TRY(connection.execute(
        fmt::format("UPDATE lade_page SET status = $4, error_code = 'resolution_failed', error_reason = "
                    "'resolution_failed', error = $5 WHERE {} AND status <> $4 AND {}",
                    kRows, where),
        values));
    return {};
  };
  const std::string settled = "(status = 'succeeded' OR error_code = 'resolution_failed')";
  LADE_TRY(set("blocked", "a name of the row waits for a decision", fmt::format("{} AND {}", settled, waits)));
  LADE_TRY(
      set("failed", "a name of the row means nobody", fmt::format("{} AND {} AND NOT {}", settled, nobody, waits)));
  LADE_TRY(connection.execute(
      fmt::format(
          "UPDATE lade_page SET status = 'succeeded', error_code = '', error_reason = '', error = NULL WHERE {} "
          "AND status IN ('blocked', 'failed') AND NOT {} AND NOT {}",
          ours, waits, nobody),
      rows));
  return {};
}

}  // namespace lade::store
