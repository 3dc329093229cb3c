-- The target of upsert.sql.
CREATE TABLE resolved_legal_unit (
  tax_ident text COLLATE "C" PRIMARY KEY,
  stat_ident text,
  name text,
  valid_from date,
  valid_to date,
  birth_date date,
  sector_id integer,
  legal_form_id integer,
  unit_size_id integer,
  status_id integer,
  data_source_id integer,
  physical_address_part1 text,
  physical_address_part2 text,
  physical_postcode text,
  physical_postplace text,
  physical_region_id integer,
  physical_country_id integer,
  physical_latitude numeric(11,8),
  physical_longitude numeric(11,8),
  primary_activity_category_id integer
);
