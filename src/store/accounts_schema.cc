#include "store/accounts_schema.h"

#include <string>

#include "store/schema_text.h"

namespace lade::store {
namespace {

constexpr std::string_view kCompaniesAndUsers = R"sql(
ALTER TABLE lade_company ADD slug text NOT NULL DEFAULT '';
ALTER TABLE lade_company ADD approver_must_differ boolean NOT NULL DEFAULT false;
ALTER TABLE lade_company ADD max_upload_bytes bigint;
UPDATE lade_company SET slug = CASE id WHEN 1 THEN 'default' ELSE 'company-' || id END;
CREATE UNIQUE INDEX lade_company_slug ON lade_company (slug);
CREATE TABLE lade_project (
  id         @id,
  company_id integer NOT NULL REFERENCES lade_company (id),
  slug       text NOT NULL,
  name       text NOT NULL,
  created_at @time NOT NULL,
  UNIQUE (company_id, slug)
);
CREATE TABLE lade_user (
  id             @id,
  uuid           @uuid NOT NULL UNIQUE,
  company_id     integer NOT NULL REFERENCES lade_company (id),
  email          text NOT NULL UNIQUE,
  name           text NOT NULL,
  role           text NOT NULL CHECK (role IN ('viewer', 'operator', 'reviewer', 'admin')),
  sight          text NOT NULL CHECK (sight IN ('own', 'project', 'company')),
  project_id     integer REFERENCES lade_project (id),
  instance_admin boolean NOT NULL DEFAULT false,
  active         boolean NOT NULL DEFAULT true,
  password_hash  text,
  created_at     @time NOT NULL,
  last_login_at  @time
);
CREATE INDEX lade_user_company ON lade_user (company_id);
)sql";

// Secrets are here only as SHA-256. A login is hashed because people type passwords into the wrong field.
constexpr std::string_view kCredentials = R"sql(
CREATE TABLE lade_login_failure (
  login_hash text NOT NULL PRIMARY KEY,
  company_id integer NOT NULL REFERENCES lade_company (id),
  failures   integer NOT NULL,
  since      @time NOT NULL
);
CREATE TABLE lade_session (
  id           @id,
  company_id   integer NOT NULL REFERENCES lade_company (id),
  user_id      integer NOT NULL REFERENCES lade_user (id),
  token_hash   text NOT NULL UNIQUE,
  created_at   @time NOT NULL,
  last_seen_at @time NOT NULL
);
CREATE INDEX lade_session_user ON lade_session (user_id);
CREATE TABLE lade_token (
  id           @id,
  uuid         @uuid NOT NULL UNIQUE,
  company_id   integer NOT NULL REFERENCES lade_company (id),
  user_id      integer NOT NULL REFERENCES lade_user (id),
  name         text NOT NULL,
  token_hash   text NOT NULL UNIQUE,
  scopes       text NOT NULL,
  created_at   @time NOT NULL,
  expires_at   @time,
  last_used_at @time,
  revoked_at   @time
);
CREATE INDEX lade_token_company ON lade_token (company_id, user_id);
CREATE TABLE lade_link (
  id         @id,
  company_id integer NOT NULL REFERENCES lade_company (id),
  user_id    integer NOT NULL REFERENCES lade_user (id),
  purpose    text NOT NULL CHECK (purpose IN ('invitation', 'password_reset')),
  token_hash text NOT NULL UNIQUE,
  created_at @time NOT NULL,
  expires_at @time NOT NULL,
  used_at    @time
);
CREATE INDEX lade_link_user ON lade_link (user_id);
)sql";

// Times of the audit log are text in both databases, since they are part of what is hashed.
constexpr std::string_view kAudit = R"sql(
CREATE TABLE lade_audit (
  company_id  integer NOT NULL,
  number      bigint NOT NULL,
  created_at  text NOT NULL,
  actor       text NOT NULL,
  action      text NOT NULL,
  object_kind text NOT NULL,
  object_id   text NOT NULL,
  data        text NOT NULL,
  address     text NOT NULL,
  hash        text NOT NULL,
  PRIMARY KEY (company_id, number)
);
CREATE INDEX lade_audit_actor ON lade_audit (company_id, actor, number);
CREATE INDEX lade_audit_object ON lade_audit (company_id, object_kind, object_id, number);
CREATE TABLE lade_audit_head (
  company_id integer NOT NULL PRIMARY KEY REFERENCES lade_company (id),
  number     bigint NOT NULL DEFAULT 0,
  hash       text NOT NULL DEFAULT ''
);
INSERT INTO lade_audit_head (company_id) SELECT id FROM lade_company;
)sql";

// A request with an Idempotency-Key that came before gets the answer it got then; no status yet: it is being answered.
constexpr std::string_view kOwnersAndAnswers = R"sql(
ALTER TABLE lade_job ADD project_id integer REFERENCES lade_project (id);
ALTER TABLE lade_job ADD created_by_id integer REFERENCES lade_user (id);
ALTER TABLE lade_file ADD project_id integer REFERENCES lade_project (id);
ALTER TABLE lade_file ADD created_by_id integer REFERENCES lade_user (id);
CREATE TABLE lade_idempotency (
  company_id   integer NOT NULL REFERENCES lade_company (id),
  user_id      integer NOT NULL REFERENCES lade_user (id),
  key          text NOT NULL,
  request_hash text NOT NULL,
  status       integer,
  headers      text NOT NULL DEFAULT '',
  body         text NOT NULL DEFAULT '',
  created_at   @time NOT NULL,
  PRIMARY KEY (company_id, user_id, key)
);
CREATE INDEX lade_idempotency_created ON lade_idempotency (created_at);
)sql";

std::string shared_text() {
  std::string text;
  for (const std::string_view part : {kCompaniesAndUsers, kCredentials, kAudit, kOwnersAndAnswers}) text += part;
  return text;
}

}  // namespace

db::Migration accounts_migration() {
  static const std::string sqlite =
      for_sqlite(shared_text()) + append_only_in_sqlite("lade_audit", "unchanged", "kept");
  static const std::string postgresql = for_postgresql(shared_text()) + append_only_in_postgresql("lade_audit");
  return {9, "accounts", sqlite, postgresql};
}

}  // namespace lade::store
