-- The register on SQLite; schema.postgresql.sql is the same for PostgreSQL. May be run again: what is there stays.
--
-- Tables with history have one row for each period in which nothing changed: valid_from is its first day, valid_until
-- the day after its last one, or infinity. An id names the unit, not the row. There are no foreign keys: lade looks up
-- every id that it writes, and each key would cost a load of a million rows seconds. Days are text, 2024-12-31 or
-- infinity, which sort as the days do.

-- Reference tables -----------------------------------------------------------------------------------------------

-- The code is what the path has of digits: A.01.6.1 is 0161, 10.02.03 is 100203.
CREATE TABLE IF NOT EXISTS region (
  id   integer PRIMARY KEY,
  path varchar(100) NOT NULL UNIQUE,
  code varchar(100) GENERATED ALWAYS AS (nullif(ltrim(replace(path, '.', ''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'), '')) STORED,
  name varchar(200) NOT NULL
);
CREATE INDEX IF NOT EXISTS region_by_code ON region (code);

CREATE TABLE IF NOT EXISTS sector (
  id          integer PRIMARY KEY,
  path        varchar(100) NOT NULL UNIQUE,
  code        varchar(100) GENERATED ALWAYS AS (nullif(ltrim(replace(path, '.', ''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'), '')) STORED,
  name        varchar(500) NOT NULL,
  description text
);
CREATE INDEX IF NOT EXISTS sector_by_code ON sector (code);

-- Codes are written as their standard does: 0161 in isic_v4, 01.61 in nace_v2.1.
CREATE TABLE IF NOT EXISTS activity_category (
  id       integer PRIMARY KEY,
  standard varchar(20) NOT NULL CHECK (standard IN ('isic_v4', 'nace_v2.1')),
  path     varchar(40) NOT NULL,
  code     varchar(40) GENERATED ALWAYS AS (CASE
             WHEN length(path) <= 1 THEN NULL
             WHEN standard = 'isic_v4' OR length(path) <= 4 THEN ltrim(replace(path, '.', ''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
             ELSE substr(ltrim(replace(path, '.', ''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'), 1, 2) || '.' ||
                  substr(ltrim(replace(path, '.', ''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'), 3)
           END) STORED,
  name     varchar(500) NOT NULL,
  UNIQUE (standard, path)
);
CREATE INDEX IF NOT EXISTS activity_category_by_code ON activity_category (code);

CREATE TABLE IF NOT EXISTS country (
  id      integer PRIMARY KEY,
  iso_2   varchar(2) NOT NULL UNIQUE,
  iso_3   varchar(3) NOT NULL UNIQUE,
  iso_num varchar(3) NOT NULL UNIQUE,
  name    varchar(200) NOT NULL
);

CREATE TABLE IF NOT EXISTS legal_form (
  id   integer PRIMARY KEY,
  code varchar(20) NOT NULL UNIQUE,
  name varchar(200) NOT NULL
);

CREATE TABLE IF NOT EXISTS unit_size (
  id   integer PRIMARY KEY,
  code varchar(20) NOT NULL UNIQUE,
  name varchar(200) NOT NULL
);

CREATE TABLE IF NOT EXISTS status (
  id                integer PRIMARY KEY,
  code              varchar(20) NOT NULL UNIQUE,
  name              varchar(200) NOT NULL,
  used_for_counting boolean NOT NULL DEFAULT true
);

CREATE TABLE IF NOT EXISTS data_source (
  id   integer PRIMARY KEY,
  code varchar(20) NOT NULL UNIQUE,
  name varchar(200) NOT NULL
);

CREATE TABLE IF NOT EXISTS tag (
  id   integer PRIMARY KEY,
  path varchar(100) NOT NULL UNIQUE,
  name varchar(200) NOT NULL
);

-- What identifies units. Definitions have one column for each regular type, named by its code, and for a hierarchical
-- one a column for each of its labels: census_ident_region.
CREATE TABLE IF NOT EXISTS external_ident_type (
  id       integer PRIMARY KEY,
  code     varchar(50) NOT NULL UNIQUE,
  name     varchar(200) NOT NULL,
  priority integer NOT NULL UNIQUE,
  shape    varchar(20) NOT NULL DEFAULT 'regular' CHECK (shape IN ('regular', 'hierarchical')),
  labels   varchar(200),
  enabled  boolean NOT NULL DEFAULT true,
  CHECK ((shape = 'hierarchical') = (labels IS NOT NULL))
);

-- What is counted of units. Definitions have a column for each, named by its code.
CREATE TABLE IF NOT EXISTS stat_definition (
  id       integer PRIMARY KEY,
  code     varchar(50) NOT NULL UNIQUE,
  name     varchar(200) NOT NULL,
  type     varchar(10) NOT NULL CHECK (type IN ('int', 'float', 'string', 'bool')),
  priority integer NOT NULL UNIQUE,
  enabled  boolean NOT NULL DEFAULT true
);

-- Periods that have a name, for files without dates of their own. Both days are included.
CREATE TABLE IF NOT EXISTS time_context (
  ident      varchar(50) PRIMARY KEY,
  name       varchar(200) NOT NULL,
  valid_from text NOT NULL,
  valid_to   text NOT NULL,
  CHECK (valid_from <= valid_to)
);

-- Units ----------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS enterprise (
  id              integer PRIMARY KEY,
  short_name      varchar(50),
  edit_comment    varchar(512),
  edit_by_user_id integer,
  edit_at         text
);

CREATE TABLE IF NOT EXISTS legal_unit (
  id                     integer NOT NULL,
  valid_from             text NOT NULL,
  valid_until            text NOT NULL,
  name                   varchar(256) NOT NULL,
  birth_date             text,
  death_date             text,
  sector_id              integer,
  unit_size_id           integer,
  status_id              integer,
  legal_form_id          integer,
  data_source_id         integer,
  enterprise_id          integer NOT NULL,
  primary_for_enterprise boolean NOT NULL,
  edit_comment           varchar(512),
  edit_by_user_id        integer,
  edit_at                text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until)
);

-- A formal establishment belongs to a legal unit, an informal one to an enterprise of its own.
CREATE TABLE IF NOT EXISTS establishment (
  id                     integer NOT NULL,
  valid_from             text NOT NULL,
  valid_until            text NOT NULL,
  name                   varchar(256) NOT NULL,
  birth_date             text,
  death_date             text,
  sector_id              integer,
  unit_size_id           integer,
  status_id              integer,
  data_source_id         integer,
  legal_unit_id          integer,
  primary_for_legal_unit boolean,
  enterprise_id          integer,
  primary_for_enterprise boolean,
  edit_comment           varchar(512),
  edit_by_user_id        integer,
  edit_at                text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (enterprise_id IS NULL))
);

-- An identifier, and all that follows, belongs to a legal unit or to an establishment. Each has a unique index that leaves the other's rows out: as entries
-- without a value they would cost a first load more than all other indexes together.
CREATE TABLE IF NOT EXISTS external_ident (
  type_id          integer NOT NULL,
  ident            varchar(100) NOT NULL,
  legal_unit_id    integer,
  establishment_id integer,
  PRIMARY KEY (type_id, ident),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS external_ident_of_legal_unit ON external_ident (legal_unit_id, type_id) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS external_ident_of_establishment ON external_ident (establishment_id, type_id) WHERE establishment_id IS NOT NULL;

-- Of units -------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS location (
  id               integer NOT NULL,
  valid_from       text NOT NULL,
  valid_until      text NOT NULL,
  legal_unit_id    integer,
  establishment_id integer,
  type             varchar(10) NOT NULL CHECK (type IN ('physical', 'postal')),
  address_part1    varchar(200),
  address_part2    varchar(200),
  address_part3    varchar(200),
  postcode         varchar(20),
  postplace        varchar(200),
  region_id        integer,
  country_id       integer,
  latitude         numeric(11,8) CHECK (latitude BETWEEN -90 AND 90),
  longitude        numeric(11,8) CHECK (longitude BETWEEN -180 AND 180),
  altitude         numeric(7,2),
  edit_comment     varchar(512),
  edit_by_user_id  integer,
  edit_at          text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL)),
  CHECK ((latitude IS NULL) = (longitude IS NULL)),
  CHECK (altitude IS NULL OR latitude IS NOT NULL)
);
CREATE UNIQUE INDEX IF NOT EXISTS location_of_legal_unit ON location (legal_unit_id, type, valid_from) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS location_of_establishment ON location (establishment_id, type, valid_from) WHERE establishment_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS activity (
  id               integer NOT NULL,
  valid_from       text NOT NULL,
  valid_until      text NOT NULL,
  legal_unit_id    integer,
  establishment_id integer,
  type             varchar(10) NOT NULL CHECK (type IN ('primary', 'secondary')),
  category_id      integer NOT NULL,
  edit_comment     varchar(512),
  edit_by_user_id  integer,
  edit_at          text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS activity_of_legal_unit ON activity (legal_unit_id, type, valid_from) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS activity_of_establishment ON activity (establishment_id, type, valid_from) WHERE establishment_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS contact (
  id               integer NOT NULL,
  valid_from       text NOT NULL,
  valid_until      text NOT NULL,
  legal_unit_id    integer,
  establishment_id integer,
  web_address      varchar(256),
  email_address    varchar(100),
  phone_number     varchar(50),
  landline         varchar(50),
  mobile_number    varchar(50),
  fax_number       varchar(50),
  edit_comment     varchar(512),
  edit_by_user_id  integer,
  edit_at          text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS contact_of_legal_unit ON contact (legal_unit_id, valid_from) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS contact_of_establishment ON contact (establishment_id, valid_from) WHERE establishment_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS stat_for_unit (
  id                 integer NOT NULL,
  valid_from         text NOT NULL,
  valid_until        text NOT NULL,
  legal_unit_id      integer,
  establishment_id   integer,
  stat_definition_id integer NOT NULL,
  value_int          integer,
  value_float        numeric,
  value_string       varchar(500),
  value_bool         boolean,
  edit_comment       varchar(512),
  edit_by_user_id    integer,
  edit_at            text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS stat_for_unit_of_legal_unit ON stat_for_unit (legal_unit_id, stat_definition_id, valid_from) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS stat_for_unit_of_establishment ON stat_for_unit (establishment_id, stat_definition_id, valid_from) WHERE establishment_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS tag_for_unit (
  id               integer NOT NULL,
  valid_from       text NOT NULL,
  valid_until      text NOT NULL,
  legal_unit_id    integer,
  establishment_id integer,
  tag_id           integer NOT NULL,
  edit_comment     varchar(512),
  edit_by_user_id  integer,
  edit_at          text,
  PRIMARY KEY (id, valid_from),
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS tag_for_unit_of_legal_unit ON tag_for_unit (legal_unit_id, tag_id, valid_from) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS tag_for_unit_of_establishment ON tag_for_unit (establishment_id, tag_id, valid_from) WHERE establishment_id IS NOT NULL;

-- The periods that files have named for a unit, also where nothing changed.
CREATE TABLE IF NOT EXISTS source_period (
  legal_unit_id    integer,
  establishment_id integer,
  valid_from       text NOT NULL,
  valid_until      text NOT NULL,
  CHECK (valid_from < valid_until),
  CHECK ((legal_unit_id IS NULL) <> (establishment_id IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS source_period_of_legal_unit ON source_period (legal_unit_id, valid_from, valid_until) WHERE legal_unit_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS source_period_of_establishment ON source_period (establishment_id, valid_from, valid_until) WHERE establishment_id IS NOT NULL;

-- The combined timeline ------------------------------------------------------------------------------------------

-- Every period that anything says about a unit.
DROP VIEW IF EXISTS unit_period;
CREATE VIEW unit_period AS
SELECT 'legal_unit' AS unit_type, id AS unit_id, valid_from, valid_until FROM legal_unit
UNION ALL SELECT 'legal_unit', legal_unit_id, valid_from, valid_until FROM location      WHERE legal_unit_id IS NOT NULL
UNION ALL SELECT 'legal_unit', legal_unit_id, valid_from, valid_until FROM activity      WHERE legal_unit_id IS NOT NULL
UNION ALL SELECT 'legal_unit', legal_unit_id, valid_from, valid_until FROM contact       WHERE legal_unit_id IS NOT NULL
UNION ALL SELECT 'legal_unit', legal_unit_id, valid_from, valid_until FROM stat_for_unit WHERE legal_unit_id IS NOT NULL
UNION ALL SELECT 'legal_unit', legal_unit_id, valid_from, valid_until FROM tag_for_unit  WHERE legal_unit_id IS NOT NULL
UNION ALL SELECT 'legal_unit', legal_unit_id, valid_from, valid_until FROM source_period WHERE legal_unit_id IS NOT NULL
UNION ALL SELECT 'establishment', id, valid_from, valid_until FROM establishment
UNION ALL SELECT 'establishment', establishment_id, valid_from, valid_until FROM location      WHERE establishment_id IS NOT NULL
UNION ALL SELECT 'establishment', establishment_id, valid_from, valid_until FROM activity      WHERE establishment_id IS NOT NULL
UNION ALL SELECT 'establishment', establishment_id, valid_from, valid_until FROM contact       WHERE establishment_id IS NOT NULL
UNION ALL SELECT 'establishment', establishment_id, valid_from, valid_until FROM stat_for_unit WHERE establishment_id IS NOT NULL
UNION ALL SELECT 'establishment', establishment_id, valid_from, valid_until FROM tag_for_unit  WHERE establishment_id IS NOT NULL
UNION ALL SELECT 'establishment', establishment_id, valid_from, valid_until FROM source_period WHERE establishment_id IS NOT NULL;

-- Cut at each of their boundaries.
DROP VIEW IF EXISTS unit_segment;
CREATE VIEW unit_segment AS
SELECT unit_type, unit_id, day AS valid_from, lead(day) OVER (PARTITION BY unit_type, unit_id ORDER BY day) AS valid_until
FROM (SELECT unit_type, unit_id, valid_from AS day FROM unit_period
      UNION SELECT unit_type, unit_id, valid_until FROM unit_period) boundary;

DROP VIEW IF EXISTS statistical_unit;
CREATE VIEW statistical_unit AS
SELECT s.unit_type, s.unit_id, s.valid_from, coalesce(date(s.valid_until, '-1 day'), s.valid_until) AS valid_to, s.valid_until,
       tax.ident AS tax_ident, stat.ident AS stat_ident, u.name, u.birth_date, u.death_date,
       u.enterprise_id, NULL AS legal_unit_id,
       sector.code AS sector_code, legal_form.code AS legal_form_code, unit_size.code AS unit_size_code,
       status.code AS status_code, data_source.code AS data_source_code,
       region.code AS physical_region_code, country.iso_2 AS physical_country_iso_2,
       first_category.code AS primary_activity_category_code, second_category.code AS secondary_activity_category_code,
       employees.value_int AS employees, turnover.value_float AS turnover
FROM unit_segment s
JOIN legal_unit u ON u.id = s.unit_id AND u.valid_from <= s.valid_from AND s.valid_from < u.valid_until
LEFT JOIN external_ident tax ON tax.legal_unit_id = s.unit_id AND tax.type_id = (SELECT id FROM external_ident_type WHERE code = 'tax_ident')
LEFT JOIN external_ident stat ON stat.legal_unit_id = s.unit_id AND stat.type_id = (SELECT id FROM external_ident_type WHERE code = 'stat_ident')
LEFT JOIN location l ON l.legal_unit_id = s.unit_id AND l.type = 'physical' AND l.valid_from <= s.valid_from AND s.valid_from < l.valid_until
LEFT JOIN activity a ON a.legal_unit_id = s.unit_id AND a.type = 'primary' AND a.valid_from <= s.valid_from AND s.valid_from < a.valid_until
LEFT JOIN activity b ON b.legal_unit_id = s.unit_id AND b.type = 'secondary' AND b.valid_from <= s.valid_from AND s.valid_from < b.valid_until
LEFT JOIN stat_for_unit employees ON employees.legal_unit_id = s.unit_id
      AND employees.stat_definition_id = (SELECT id FROM stat_definition WHERE code = 'employees')
      AND employees.valid_from <= s.valid_from AND s.valid_from < employees.valid_until
LEFT JOIN stat_for_unit turnover ON turnover.legal_unit_id = s.unit_id
      AND turnover.stat_definition_id = (SELECT id FROM stat_definition WHERE code = 'turnover')
      AND turnover.valid_from <= s.valid_from AND s.valid_from < turnover.valid_until
LEFT JOIN sector ON sector.id = u.sector_id
LEFT JOIN legal_form ON legal_form.id = u.legal_form_id
LEFT JOIN unit_size ON unit_size.id = u.unit_size_id
LEFT JOIN status ON status.id = u.status_id
LEFT JOIN data_source ON data_source.id = u.data_source_id
LEFT JOIN region ON region.id = l.region_id
LEFT JOIN country ON country.id = l.country_id
LEFT JOIN activity_category first_category ON first_category.id = a.category_id
LEFT JOIN activity_category second_category ON second_category.id = b.category_id
WHERE s.unit_type = 'legal_unit'
UNION ALL
SELECT s.unit_type, s.unit_id, s.valid_from, coalesce(date(s.valid_until, '-1 day'), s.valid_until), s.valid_until,
       tax.ident, stat.ident, u.name, u.birth_date, u.death_date,
       u.enterprise_id, u.legal_unit_id,
       sector.code, NULL, unit_size.code,
       status.code, data_source.code,
       region.code, country.iso_2,
       first_category.code, second_category.code,
       employees.value_int, turnover.value_float
FROM unit_segment s
JOIN establishment u ON u.id = s.unit_id AND u.valid_from <= s.valid_from AND s.valid_from < u.valid_until
LEFT JOIN external_ident tax ON tax.establishment_id = s.unit_id AND tax.type_id = (SELECT id FROM external_ident_type WHERE code = 'tax_ident')
LEFT JOIN external_ident stat ON stat.establishment_id = s.unit_id AND stat.type_id = (SELECT id FROM external_ident_type WHERE code = 'stat_ident')
LEFT JOIN location l ON l.establishment_id = s.unit_id AND l.type = 'physical' AND l.valid_from <= s.valid_from AND s.valid_from < l.valid_until
LEFT JOIN activity a ON a.establishment_id = s.unit_id AND a.type = 'primary' AND a.valid_from <= s.valid_from AND s.valid_from < a.valid_until
LEFT JOIN activity b ON b.establishment_id = s.unit_id AND b.type = 'secondary' AND b.valid_from <= s.valid_from AND s.valid_from < b.valid_until
LEFT JOIN stat_for_unit employees ON employees.establishment_id = s.unit_id
      AND employees.stat_definition_id = (SELECT id FROM stat_definition WHERE code = 'employees')
      AND employees.valid_from <= s.valid_from AND s.valid_from < employees.valid_until
LEFT JOIN stat_for_unit turnover ON turnover.establishment_id = s.unit_id
      AND turnover.stat_definition_id = (SELECT id FROM stat_definition WHERE code = 'turnover')
      AND turnover.valid_from <= s.valid_from AND s.valid_from < turnover.valid_until
LEFT JOIN sector ON sector.id = u.sector_id
LEFT JOIN unit_size ON unit_size.id = u.unit_size_id
LEFT JOIN status ON status.id = u.status_id
LEFT JOIN data_source ON data_source.id = u.data_source_id
LEFT JOIN region ON region.id = l.region_id
LEFT JOIN country ON country.id = l.country_id
LEFT JOIN activity_category first_category ON first_category.id = a.category_id
LEFT JOIN activity_category second_category ON second_category.id = b.category_id
WHERE s.unit_type = 'establishment';
