-- The yardstick: all 20 columns of the file in one table with its key.
CREATE TABLE flat_legal_unit (
  tax_ident text COLLATE "C" PRIMARY KEY,
  stat_ident text,
  name text,
  valid_from date,
  valid_to date,
  birth_date date,
  sector_code text,
  legal_form_code text,
  unit_size_code text,
  status_code text,
  data_source_code text,
  physical_address_part1 text,
  physical_address_part2 text,
  physical_postcode text,
  physical_postplace text,
  physical_region_code text,
  physical_country_iso_2 text,
  physical_latitude numeric(11,8),
  physical_longitude numeric(11,8),
  primary_activity_category_code text
);
