-- A client that resolved, checked and deduplicated its rows: COPY to a temp table, then one upsert.
-- psql variable: clean (a CSV file with header, or the part of it that this connection takes)
SET client_min_messages = error;
SET work_mem = '256MB';
BEGIN;
CREATE TEMP TABLE fresh (LIKE component) ON COMMIT DROP;
\set copy '\\copy fresh FROM ' :'clean' ' WITH (FORMAT csv, HEADER)'
:copy
INSERT INTO component SELECT * FROM fresh
ON CONFLICT (item_id, component_code) DO UPDATE SET
  description = excluded.description, quantity = excluded.quantity, unit = excluded.unit,
  unit_price = excluded.unit_price, activity = excluded.activity, region = excluded.region,
  waste_pct = excluded.waste_pct, supplier = excluded.supplier, valid_from = excluded.valid_from;
COMMIT;
