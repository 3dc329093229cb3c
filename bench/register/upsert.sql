-- What people do in SQL: the file into a temporary table, then one upsert with the lookups into one table, without identifiers
-- of their own and without history. psql variable: file
SET client_min_messages = error;
SET work_mem = '256MB';
BEGIN;
CREATE TEMP TABLE staged (LIKE flat_legal_unit) ON COMMIT DROP;
\set copy '\\copy staged FROM ' :'file' ' WITH (FORMAT csv, HEADER)'
:copy
ANALYZE staged;
INSERT INTO resolved_legal_unit
SELECT tax_ident, stat_ident, staged.name, valid_from, valid_to, birth_date, sector.id, legal_form.id, unit_size.id, status.id, data_source.id,
       physical_address_part1, physical_address_part2, physical_postcode, physical_postplace, region.id, country.id,
       physical_latitude, physical_longitude, activity_category.id
FROM staged
LEFT JOIN sector ON sector.code = sector_code
LEFT JOIN legal_form ON legal_form.code = legal_form_code
LEFT JOIN unit_size ON unit_size.code = unit_size_code
LEFT JOIN status ON status.code = status_code
LEFT JOIN data_source ON data_source.code = data_source_code
LEFT JOIN region ON region.code = physical_region_code
LEFT JOIN country ON country.iso_2 = physical_country_iso_2
LEFT JOIN activity_category ON activity_category.code = primary_activity_category_code
ON CONFLICT (tax_ident) DO UPDATE SET
  stat_ident = excluded.stat_ident, name = excluded.name, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
  birth_date = excluded.birth_date, sector_id = excluded.sector_id, legal_form_id = excluded.legal_form_id,
  unit_size_id = excluded.unit_size_id, status_id = excluded.status_id, data_source_id = excluded.data_source_id,
  physical_address_part1 = excluded.physical_address_part1, physical_address_part2 = excluded.physical_address_part2,
  physical_postcode = excluded.physical_postcode, physical_postplace = excluded.physical_postplace,
  physical_region_id = excluded.physical_region_id, physical_country_id = excluded.physical_country_id,
  physical_latitude = excluded.physical_latitude, physical_longitude = excluded.physical_longitude,
  primary_activity_category_id = excluded.primary_activity_category_id;
COMMIT;
