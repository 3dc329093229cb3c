CREATE TABLE price_list_item (id integer PRIMARY KEY, cat text, sel text);
INSERT INTO price_list_item VALUES (10, 'B', '1');
INSERT INTO price_list_item VALUES (20, 'A', '1');
INSERT INTO price_list_item VALUES (30, 'A', '2');
CREATE TABLE component (item_id integer, component_code text, quantity numeric(14,4), PRIMARY KEY (item_id, component_code));
INSERT INTO component VALUES (20, 'z', 1);
