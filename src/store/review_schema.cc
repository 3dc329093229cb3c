#include "store/review_schema.h"

#include <string>

#include "store/schema_text.h"

namespace lade::store {
namespace {

// Items come by the thousand with a chunk: no foreign keys, as with issues; whoever deletes a job deletes its items.
constexpr std::string_view kReview = R"sql(
CREATE TABLE lade_name_decision (
  id          @id,
  company_id  integer NOT NULL REFERENCES lade_company (id),
  table_name  text NOT NULL,
  rules       text NOT NULL,
  name_key    text NOT NULL,
  name        text NOT NULL,
  decision    text NOT NULL CHECK (decision IN ('pick', 'create', 'reject')),
  entity_id   text NOT NULL,
  entity_name text NOT NULL,
  decided_by  text NOT NULL,
  decided_at  @time NOT NULL,
  UNIQUE (company_id, table_name, rules, name_key)
);
CREATE TABLE lade_review_item (
  id            @id,
  company_id    integer NOT NULL,
  job_id        integer NOT NULL,
  row_id        bigint NOT NULL,
  line          bigint NOT NULL,
  step          text NOT NULL,
  column_name   text NOT NULL,
  table_name    text NOT NULL,
  rules         text NOT NULL,
  name_key      text NOT NULL,
  name          text NOT NULL,
  tier          text NOT NULL,
  best          double precision NOT NULL,
  ambiguous     boolean NOT NULL,
  candidates    text NOT NULL,
  record        text NOT NULL,
  quality       text NOT NULL,
  quality_score double precision NOT NULL,
  blocks        boolean NOT NULL,
  status        text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'decided', 'withdrawn')),
  decision      text NOT NULL DEFAULT '',
  entity_id     text NOT NULL DEFAULT '',
  entity_name   text NOT NULL DEFAULT '',
  decided_by    text NOT NULL DEFAULT '',
  decided_at    @time,
  sent          boolean NOT NULL DEFAULT false,
  send_error    text NOT NULL DEFAULT '',
  revision      bigint NOT NULL DEFAULT 1,
  created_at    @time NOT NULL
);
CREATE UNIQUE INDEX lade_review_item_row ON lade_review_item (job_id, row_id, step);
CREATE INDEX lade_review_item_queue ON lade_review_item (company_id, status, id);
CREATE INDEX lade_review_item_table ON lade_review_item (company_id, status, table_name, id);
CREATE INDEX lade_review_item_best ON lade_review_item (company_id, status, best, id, table_name, job_id);
CREATE INDEX lade_review_item_name ON lade_review_item (company_id, table_name, name_key, rules);
)sql";

}  // namespace

db::Migration review_migration() {
  static const std::string sqlite = for_sqlite(kReview), postgresql = for_postgresql(kReview);
  return {kReviewSchema, "names to decide about", sqlite, postgresql};
}

}  // namespace lade::store
