-- Price lists on SQLite. May be run again: what is there stays.
CREATE TABLE IF NOT EXISTS price_list (
  id         integer PRIMARY KEY,
  company_id integer NOT NULL DEFAULT 1,
  kind       varchar(20) NOT NULL,
  name       varchar(80) NOT NULL,
  is_active  boolean NOT NULL DEFAULT false,
  UNIQUE (company_id, kind, name)
);

-- Items keep their ids when the list is replaced.
CREATE TABLE IF NOT EXISTS price_list_item (
  id            integer PRIMARY KEY,
  price_list_id integer NOT NULL REFERENCES price_list (id),
  cat           varchar(8) NOT NULL,
  sel           varchar(16) NOT NULL,
  description   varchar(200) NOT NULL,
  unit          varchar(8) NOT NULL,
  unit_price    numeric(14,2) NOT NULL,
  labor         numeric(14,2),
  material      numeric(14,2),
  equipment     numeric(14,2),
  valid_from    date,
  UNIQUE (price_list_id, cat, sel)
);

-- A row for each file of components that was begun; the active one is what readers see.
CREATE TABLE IF NOT EXISTS price_list_version (
  id            integer PRIMARY KEY,
  price_list_id integer NOT NULL REFERENCES price_list (id),
  is_active     boolean NOT NULL DEFAULT false,
  created_at    timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX IF NOT EXISTS price_list_version_active ON price_list_version (price_list_id) WHERE is_active;

-- The components of all versions. Read the view below instead.
CREATE TABLE IF NOT EXISTS price_list_component_row (
  version_id     integer NOT NULL,
  price_list_id  integer NOT NULL,
  item_id        integer NOT NULL,
  component_code varchar(40) NOT NULL,
  description    text,
  quantity       numeric(14,4),
  unit           varchar(8),
  unit_price     numeric(14,2),
  activity       text,
  region         text,
  waste_pct      numeric(6,2),
  supplier       text,
  valid_from     date,
  PRIMARY KEY (version_id, item_id, component_code)
);

-- The same without versions, for price_list_components_plain.
CREATE TABLE IF NOT EXISTS price_list_component_plain (
  price_list_id  integer NOT NULL,
  item_id        integer NOT NULL,
  component_code varchar(40) NOT NULL,
  description    text,
  quantity       numeric(14,4),
  unit           varchar(8),
  unit_price     numeric(14,2),
  activity       text,
  region         text,
  waste_pct      numeric(6,2),
  supplier       text,
  valid_from     date,
  PRIMARY KEY (item_id, component_code)
);

-- Lines of estimates as they were exported.
CREATE TABLE IF NOT EXISTS xact_raw (
  id                integer PRIMARY KEY,
  project_id        integer,
  job               varchar(36) NOT NULL,
  line_no           integer NOT NULL,
  group_code        text,
  group_description text,
  description       text NOT NULL,
  age               text,
  item_condition    text,
  quantity          numeric(14,4) NOT NULL,
  item_amount       numeric(14,2),
  reported_cost     numeric(14,2),
  unit_cost         numeric(14,2),
  unit              text,
  coverage          text,
  activity          text,
  workers_wage      numeric(14,2),
  labor_burden      numeric(14,2),
  labor_overhead    numeric(14,2),
  material          numeric(14,2),
  equipment         numeric(14,2),
  market_conditions numeric(14,2),
  labor_minimum     numeric(14,2),
  sales_tax         numeric(14,2),
  rcv               numeric(14,2),
  life              integer,
  depreciation_type text,
  depreciation      numeric(14,2),
  recoverable       boolean,
  acv               numeric(14,2),
  tax               numeric(14,2),
  replace_flag      text,
  cat               text NOT NULL,
  sel               text NOT NULL,
  owner             text,
  original_vendor   text,
  source_name       text,
  estimated_on      date,
  note              text
);
CREATE INDEX IF NOT EXISTS xact_raw_by_item ON xact_raw (cat, sel);

CREATE TABLE IF NOT EXISTS xact_component (
  estimate       varchar(80) NOT NULL,
  cat            text NOT NULL,
  sel            text NOT NULL,
  component_code varchar(40) NOT NULL,
  project_id     integer,
  item_id        integer,
  description    text,
  quantity       numeric(14,4) NOT NULL,
  unit           text,
  unit_price     numeric(14,2),
  total          numeric(14,2),
  PRIMARY KEY (estimate, cat, sel, component_code)
);

-- What readers see: the active version of active lists. A component whose item has left the list is not shown.
CREATE VIEW IF NOT EXISTS price_list_component AS
SELECT list.company_id, list.id AS price_list_id, list.kind, item.cat, item.sel, component.item_id, component.component_code,
       component.description, component.quantity, component.unit, component.unit_price, component.activity, component.region,
       component.waste_pct, component.supplier, component.valid_from
FROM price_list list
JOIN price_list_version version ON version.price_list_id = list.id AND version.is_active
JOIN price_list_component_row component ON component.version_id = version.id
JOIN price_list_item item ON item.id = component.item_id
WHERE list.is_active;
