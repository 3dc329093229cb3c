-- The whole import in SQL: the dirty file into a staging table, then one statement that validates, looks up, keeps the last
-- row of each key and upserts; the failed rows go to a file. psql variables: dirty, failed
SET client_min_messages = error;
SET work_mem = '256MB';
BEGIN;
CREATE TEMP TABLE staged (
  row_id bigint GENERATED ALWAYS AS IDENTITY,
  cat text, sel text, component_code text, description text, quantity text, unit text, unit_price text,
  activity text, region text, waste_pct text, supplier text, valid_from text
) ON COMMIT DROP;
\set copy '\\copy staged (cat, sel, component_code, description, quantity, unit, unit_price, activity, region, waste_pct, supplier, valid_from) FROM ' :'dirty' ' WITH (FORMAT csv, HEADER)'
:copy
ANALYZE staged;
CREATE TEMP TABLE checked ON COMMIT DROP AS
SELECT staged.*, item.id AS item_id,
       item.id IS NOT NULL AND component_code IS NOT NULL
       AND (quantity IS NULL OR quantity ~ '^[0-9]+(\.[0-9]{1,4})?$')
       AND (unit_price IS NULL OR unit_price ~ '^[0-9]+(\.[0-9]{1,2})?$')
       AND (waste_pct IS NULL OR waste_pct ~ '^[0-9]+(\.[0-9]{1,2})?$')
       AND (valid_from IS NULL OR valid_from ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$') AS good
FROM staged LEFT JOIN price_list_item item ON item.cat = staged.cat AND item.sel = staged.sel;
INSERT INTO component
SELECT DISTINCT ON (item_id, component_code)
       item_id, component_code, description, quantity::numeric, unit, unit_price::numeric, activity, region,
       waste_pct::numeric, supplier, valid_from::date
FROM checked WHERE good
ORDER BY item_id, component_code, row_id DESC
ON CONFLICT (item_id, component_code) DO UPDATE SET
  description = excluded.description, quantity = excluded.quantity, unit = excluded.unit,
  unit_price = excluded.unit_price, activity = excluded.activity, region = excluded.region,
  waste_pct = excluded.waste_pct, supplier = excluded.supplier, valid_from = excluded.valid_from;
\set copy '\\copy (SELECT * FROM checked WHERE NOT good ORDER BY row_id) TO ' :'failed' ' WITH (FORMAT csv, HEADER)'
:copy
COMMIT;
