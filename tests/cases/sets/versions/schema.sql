CREATE TABLE price_list (id integer PRIMARY KEY, name text, is_active boolean NOT NULL);
INSERT INTO price_list VALUES (7, 'GOLDEN', true), (8, 'old', false);
CREATE TABLE price_list_version (id integer PRIMARY KEY, price_list_id integer NOT NULL, is_active boolean NOT NULL);
INSERT INTO price_list_version VALUES (1, 7, false), (2, 7, true), (3, 8, true);
CREATE TABLE component_row (version_id integer NOT NULL, price_list_id integer NOT NULL, item integer NOT NULL, code text NOT NULL, price numeric(12,2), PRIMARY KEY (version_id, item, code));
INSERT INTO component_row VALUES
  (1, 7, 1, 'A', 0.50), (2, 7, 1, 'A', 1.00), (2, 7, 1, 'B', 2.00), (2, 7, 2, 'A', 3.00), (2, 7, 3, 'A', 4.00), (3, 8, 4, 'C', 9.00);
