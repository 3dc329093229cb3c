-- A client that resolved, checked and deduplicated its rows, which are the whole set: COPY to a temp table, one upsert, one delete.
-- psql variable: clean (a CSV file with header)
SET client_min_messages = error;
SET work_mem = '256MB';
BEGIN;
CREATE TEMP TABLE fresh (LIKE component INCLUDING INDEXES) ON COMMIT DROP;
\set copy '\\copy fresh FROM ' :'clean' ' WITH (FORMAT csv, HEADER)'
:copy
ANALYZE fresh;
INSERT INTO component SELECT * FROM fresh
ON CONFLICT (item_id, component_code) DO UPDATE SET
  description = excluded.description, quantity = excluded.quantity, unit = excluded.unit,
  unit_price = excluded.unit_price, activity = excluded.activity, region = excluded.region,
  waste_pct = excluded.waste_pct, supplier = excluded.supplier, valid_from = excluded.valid_from;
DELETE FROM component WHERE NOT EXISTS (
  SELECT 1 FROM fresh WHERE fresh.item_id = component.item_id AND fresh.component_code = component.component_code);
COMMIT;
