#include <string>

#include "queue/rate_limits.h"
#include "store/pages.h"
#include "store/schema_text.h"

namespace lade::store {
namespace {

// Pages come by the hundred thousand: no foreign key is checked for each but that of their job, with which they go.
constexpr std::string_view kPages = R"sql(
CREATE TABLE lade_page (
  job_id          integer NOT NULL REFERENCES lade_job (id) ON DELETE CASCADE,
  row_id          bigint NOT NULL,
  company_id      integer NOT NULL,
  page_key        text NOT NULL,
  url             text NOT NULL,
  host            text NOT NULL,
  status          text NOT NULL CHECK (status IN
                    ('pending', 'running', 'succeeded', 'failed', 'retryable', 'blocked', 'cancelled')),
  attempt         integer NOT NULL DEFAULT 0,
  tries           integer NOT NULL DEFAULT 0,
  available_at    bigint NOT NULL DEFAULT 0,
  error_code      text NOT NULL DEFAULT '',
  error_reason    text NOT NULL DEFAULT '',
  error           text,
  http_status     integer NOT NULL DEFAULT 0,
  duration_ms     bigint NOT NULL DEFAULT 0,
  enrich_ms       bigint NOT NULL DEFAULT 0,
  started_at      bigint NOT NULL DEFAULT 0,
  completed_at    bigint NOT NULL DEFAULT 0,
  content_type    text NOT NULL DEFAULT '',
  checksum        text NOT NULL DEFAULT '',
  evidence_path   text,
  evidence_offset bigint NOT NULL DEFAULT 0,
  evidence_bytes  bigint NOT NULL DEFAULT 0,
  evidence        text,
  source_format   text NOT NULL DEFAULT '' CHECK (source_format IN
                    ('', 'HTML', 'PDF', 'DOCX', 'IMAGE', 'API', 'MANUAL')),
  page_range      text,
  idempotency_key text UNIQUE,
  fields          text,
  task_id         bigint NOT NULL DEFAULT 0,
  gathered        integer NOT NULL DEFAULT 0,
  created_at      bigint NOT NULL,
  PRIMARY KEY (job_id, row_id)
);
CREATE INDEX lade_page_status ON lade_page (job_id, status);
CREATE INDEX lade_page_key ON lade_page (company_id, page_key);
CREATE INDEX lade_page_running ON lade_page (started_at) WHERE status = 'running';
CREATE INDEX lade_page_evidence ON lade_page (evidence_path) WHERE evidence_path IS NOT NULL;
)sql";

}  // namespace

db::Migration pages_migration() {
  static const std::string rates(queue::rate_schema());
  static const std::string sqlite = for_sqlite(kPages) + rates, postgresql = for_postgresql(kPages) + rates;
  return {22, "pages", sqlite, postgresql};
}

}  // namespace lade::store
