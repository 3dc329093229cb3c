#include "store/webhooks_schema.h"

#include <string>

#include "store/schema_text.h"

namespace lade::store {
namespace {

// The secret is kept as it is, because it signs. What is to be sent about a job is sent also when the job is gone.
constexpr std::string_view kWebhooks = R"sql(
CREATE TABLE lade_webhook (
  id         @id,
  uuid       @uuid NOT NULL UNIQUE,
  company_id integer NOT NULL REFERENCES lade_company (id),
  url        text NOT NULL,
  secret     text NOT NULL,
  events     text NOT NULL,
  active     boolean NOT NULL DEFAULT true,
  created_by text NOT NULL,
  created_at @time NOT NULL
);
CREATE INDEX lade_webhook_company ON lade_webhook (company_id);
CREATE TABLE lade_delivery (
  id           @id,
  uuid         @uuid NOT NULL UNIQUE,
  company_id   integer NOT NULL REFERENCES lade_company (id),
  webhook_id   integer NOT NULL REFERENCES lade_webhook (id) ON DELETE CASCADE,
  job_id       integer REFERENCES lade_job (id) ON DELETE SET NULL,
  event_number bigint,
  kind         text NOT NULL,
  body         text NOT NULL,
  status       text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  task_id      bigint,
  attempts     integer NOT NULL DEFAULT 0,
  last_status  integer,
  last_error   text NOT NULL DEFAULT '',
  created_at   @time NOT NULL,
  delivered_at @time
);
CREATE INDEX lade_delivery_webhook ON lade_delivery (webhook_id, id);
CREATE INDEX lade_delivery_job ON lade_delivery (job_id);
CREATE INDEX lade_delivery_created ON lade_delivery (created_at);
)sql";

}  // namespace

db::Migration webhooks_migration() {
  static const std::string sqlite = for_sqlite(kWebhooks), postgresql = for_postgresql(kWebhooks);
  return {11, "webhooks", sqlite, postgresql};
}

}  // namespace lade::store
