-- The generated items, which stand in bench_item, as those of the active list of packs/price-lists.
INSERT INTO price_list (id, kind, name, is_active) VALUES (1, 'GOLDEN', 'GOLDEN', true);
INSERT INTO price_list_item (id, price_list_id, cat, sel, description, unit, unit_price)
SELECT id, 1, cat, sel, 'item', 'EA', 1 FROM bench_item;
DROP TABLE bench_item;
