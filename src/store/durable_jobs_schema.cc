#include "store/durable_jobs_schema.h"

#include <string>

#include "store/schema_text.h"

namespace lade::store {
namespace {

constexpr std::string_view kFilesAndBatches = R"sql(
CREATE TABLE lade_file (
  id         @id,
  uuid       @uuid NOT NULL UNIQUE,
  company_id integer NOT NULL REFERENCES lade_company (id),
  storage_id text NOT NULL,
  purpose    text NOT NULL CHECK (purpose IN ('upload', 'succeeded', 'failed', 'unprocessed')),
  name       text NOT NULL,
  bytes      bigint NOT NULL,
  sha256     text NOT NULL,
  created_by text NOT NULL DEFAULT '',
  created_at @time NOT NULL,
  removed_at @time
);
CREATE INDEX lade_file_sha256 ON lade_file (company_id, sha256);
CREATE TABLE lade_batch (
  id              @id,
  uuid            @uuid NOT NULL UNIQUE,
  company_id      integer NOT NULL REFERENCES lade_company (id),
  name            text NOT NULL,
  source_manifest text,
  created_by      text NOT NULL DEFAULT '',
  created_at      @time NOT NULL
);
)sql";

// Tables that may take a row for every row of the source have no foreign keys: checking them costs more than storing
// the row. Whoever deletes a job deletes what belongs to it.
constexpr std::string_view kWhatTasksLeave = R"sql(
CREATE TABLE lade_segment (
  job_id      integer NOT NULL REFERENCES lade_job (id) ON DELETE CASCADE,
  chunk       integer NOT NULL,
  company_id  integer NOT NULL REFERENCES lade_company (id),
  file_uuid   @uuid NOT NULL UNIQUE,
  bytes       bigint NOT NULL,
  rows        bigint NOT NULL,
  failed_rows bigint NOT NULL,
  PRIMARY KEY (job_id, chunk)
);
CREATE TABLE lade_outcome (
  job_id           integer NOT NULL REFERENCES lade_job (id) ON DELETE CASCADE,
  bucket           integer NOT NULL,
  company_id       integer NOT NULL REFERENCES lade_company (id),
  rows_inserted    bigint NOT NULL,
  rows_updated     bigint NOT NULL,
  rows_unchanged   bigint NOT NULL,
  rows_failed      bigint NOT NULL,
  rows_skipped     bigint NOT NULL,
  rows_unprocessed bigint NOT NULL,
  rows_deleted     bigint NOT NULL,
  packed           @bytes NOT NULL,
  PRIMARY KEY (job_id, bucket)
);
CREATE TABLE lade_journal (
  job_id     integer NOT NULL REFERENCES lade_job (id) ON DELETE CASCADE,
  bucket     integer NOT NULL,
  table_name text NOT NULL,
  block      integer NOT NULL,
  company_id integer NOT NULL REFERENCES lade_company (id),
  first_key  @bytes NOT NULL,
  last_key   @bytes NOT NULL,
  rows       bigint NOT NULL,
  images     @bytes NOT NULL,
  PRIMARY KEY (job_id, bucket, table_name, block)
);
CREATE INDEX lade_journal_table ON lade_journal (company_id, table_name, job_id);
CREATE TABLE lade_row_version (
  job_id     integer NOT NULL,
  row_id     bigint NOT NULL,
  version    integer NOT NULL,
  company_id integer NOT NULL,
  bucket     integer,
  row_key    @bytes,
  tuple      @bytes,
  issues     text NOT NULL,
  created_by text NOT NULL,
  created_at @time NOT NULL,
  PRIMARY KEY (job_id, row_id, version)
);
CREATE INDEX lade_row_version_bucket ON lade_row_version (job_id, bucket);
CREATE TABLE lade_event (
  job_id     integer NOT NULL,
  number     bigint NOT NULL,
  company_id integer NOT NULL,
  kind       text NOT NULL,
  state      text NOT NULL,
  actor      text NOT NULL,
  data       text NOT NULL,
  created_at @time NOT NULL,
  PRIMARY KEY (job_id, number)
);
)sql";

// SQLite adds constraints to a table only by making it anew.
constexpr std::string_view kJobSqlite = R"sql(
CREATE TABLE lade_job_durable (
  id                INTEGER PRIMARY KEY,
  uuid              TEXT NOT NULL UNIQUE,
  company_id        INTEGER NOT NULL REFERENCES lade_company (id),
  definition_id     INTEGER NOT NULL REFERENCES lade_definition (id),
  snapshot          TEXT NOT NULL,
  file_name         TEXT NOT NULL,
  file_bytes        INTEGER NOT NULL,
  state             TEXT NOT NULL CHECK (state IN ('waiting_for_upload', 'upload_completed', 'preparing_data',
                      'analysing_data', 'waiting_for_review', 'approved', 'rejected', 'processing_data', 'finished')),
  outcome           TEXT CHECK (outcome IN ('succeeded', 'failed', 'rejected', 'cancelled', 'undone')),
  error             TEXT,
  rows_read         INTEGER NOT NULL DEFAULT 0,
  rows_inserted     INTEGER NOT NULL DEFAULT 0,
  rows_updated      INTEGER NOT NULL DEFAULT 0,
  rows_unchanged    INTEGER NOT NULL DEFAULT 0,
  rows_failed       INTEGER NOT NULL DEFAULT 0,
  rows_skipped      INTEGER NOT NULL DEFAULT 0,
  rows_unprocessed  INTEGER NOT NULL DEFAULT 0,
  rows_deleted      INTEGER NOT NULL DEFAULT 0,
  created_at        TEXT NOT NULL,
  finished_at       TEXT,
  slug              TEXT NOT NULL,
  file_id           INTEGER REFERENCES lade_file (id),
  batch_id          INTEGER REFERENCES lade_batch (id),
  created_by        TEXT NOT NULL DEFAULT '',
  started_at        TEXT,
  paused            INTEGER NOT NULL DEFAULT 0,
  cancel_requested  INTEGER NOT NULL DEFAULT 0,
  options           TEXT NOT NULL DEFAULT '{}',
  dedupe_hash       TEXT,
  forced            INTEGER NOT NULL DEFAULT 0,
  error_code        TEXT,
  ended_in          TEXT,
  results_error     TEXT,
  retries           INTEGER NOT NULL DEFAULT 0,
  review_revision   INTEGER NOT NULL DEFAULT 0,
  reviewed_by       TEXT,
  reviewed_at       TEXT,
  plan              BLOB,
  rows_total        INTEGER,
  rows_analysed     INTEGER NOT NULL DEFAULT 0,
  chunks            INTEGER NOT NULL DEFAULT 0,
  chunks_done       INTEGER NOT NULL DEFAULT 0,
  buckets           INTEGER NOT NULL DEFAULT 0,
  buckets_settled   INTEGER NOT NULL DEFAULT 0,
  buckets_processed INTEGER NOT NULL DEFAULT 0,
  events            INTEGER NOT NULL DEFAULT 0,
  UNIQUE (company_id, slug),
  CHECK (outcome IS NULL OR outcome <> 'failed' OR error IS NOT NULL),
  CHECK ((state = 'finished') = (outcome IS NOT NULL))
);
INSERT INTO lade_job_durable (id, uuid, company_id, definition_id, snapshot, file_name, file_bytes, state, outcome, error,
    rows_read, rows_inserted, rows_updated, rows_unchanged, rows_failed, rows_skipped, rows_unprocessed, rows_deleted,
    created_at, finished_at, slug)
  SELECT j.id, j.uuid, j.company_id, j.definition_id, j.snapshot, j.file_name, j.file_bytes, j.state, j.outcome, j.error,
    rows_read, rows_inserted, rows_updated, rows_unchanged, rows_failed, rows_skipped, rows_unprocessed, rows_deleted,
    j.created_at, j.finished_at, d.slug || '-' || j.id
  FROM lade_job j JOIN lade_definition d ON d.id = j.definition_id;
DROP TABLE lade_job;
ALTER TABLE lade_job_durable RENAME TO lade_job;
)sql";

constexpr std::string_view kJobPostgresql = R"sql(
ALTER TABLE lade_job
  ADD slug              text,
  ADD file_id           integer REFERENCES lade_file (id),
  ADD batch_id          integer REFERENCES lade_batch (id),
  ADD created_by        text NOT NULL DEFAULT '',
  ADD started_at        timestamptz,
  ADD paused            boolean NOT NULL DEFAULT false,
  ADD cancel_requested  boolean NOT NULL DEFAULT false,
  ADD options           text NOT NULL DEFAULT '{}',
  ADD dedupe_hash       text,
  ADD forced            boolean NOT NULL DEFAULT false,
  ADD error_code        text,
  ADD ended_in          text,
  ADD results_error     text,
  ADD retries           integer NOT NULL DEFAULT 0,
  ADD review_revision   bigint NOT NULL DEFAULT 0,
  ADD reviewed_by       text,
  ADD reviewed_at       timestamptz,
  ADD plan              bytea,
  ADD rows_total        bigint,
  ADD rows_analysed     bigint NOT NULL DEFAULT 0,
  ADD chunks            bigint NOT NULL DEFAULT 0,
  ADD chunks_done       bigint NOT NULL DEFAULT 0,
  ADD buckets           bigint NOT NULL DEFAULT 0,
  ADD buckets_settled   bigint NOT NULL DEFAULT 0,
  ADD buckets_processed bigint NOT NULL DEFAULT 0,
  ADD events            bigint NOT NULL DEFAULT 0;
UPDATE lade_job j SET slug = d.slug || '-' || j.id FROM lade_definition d WHERE d.id = j.definition_id;
ALTER TABLE lade_job
  ALTER slug SET NOT NULL,
  ADD UNIQUE (company_id, slug),
  ADD CHECK (state IN ('waiting_for_upload', 'upload_completed', 'preparing_data', 'analysing_data',
    'waiting_for_review', 'approved', 'rejected', 'processing_data', 'finished')),
  ADD CHECK (outcome IN ('succeeded', 'failed', 'rejected', 'cancelled', 'undone')),
  ADD CHECK ((state = 'finished') = (outcome IS NOT NULL));
ALTER TABLE lade_job SET (fillfactor = 50);
)sql";

// Two jobs that do the same at once are prevented here, whatever the processes believe.
constexpr std::string_view kJobIndexes = R"sql(
CREATE UNIQUE INDEX lade_job_live_twin ON lade_job (company_id, dedupe_hash) WHERE outcome IS NULL AND NOT forced;
CREATE INDEX lade_job_dedupe ON lade_job (company_id, dedupe_hash);
CREATE INDEX lade_job_state ON lade_job (company_id, state);
CREATE INDEX lade_job_batch ON lade_job (batch_id);
)sql";

constexpr std::string_view kAppendOnlySqlite = R"sql(
CREATE TRIGGER lade_event_append_only BEFORE UPDATE ON lade_event
BEGIN
  SELECT RAISE(ABORT, 'lade_event is append-only');
END;
)sql";

constexpr std::string_view kAppendOnlyPostgresql = R"sql(
CREATE FUNCTION lade_event_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'lade_event is append-only'; END$$;
CREATE TRIGGER lade_event_append_only BEFORE UPDATE ON lade_event
FOR EACH STATEMENT EXECUTE FUNCTION lade_event_append_only();
)sql";

std::string sqlite_text() {
  return for_sqlite(kFilesAndBatches) + std::string(kJobSqlite) + std::string(kJobIndexes) +
         for_sqlite(kWhatTasksLeave) + std::string(kAppendOnlySqlite);
}

std::string postgresql_text() {
  return for_postgresql(kFilesAndBatches) + std::string(kJobPostgresql) + std::string(kJobIndexes) +
         for_postgresql(kWhatTasksLeave) + std::string(kAppendOnlyPostgresql);
}

}  // namespace

db::Migration durable_jobs_migration() {
  static const std::string sqlite = sqlite_text(), postgresql = postgresql_text();
  return {3, "durable jobs", sqlite, postgresql};
}

}  // namespace lade::store
