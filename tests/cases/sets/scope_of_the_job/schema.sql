CREATE TABLE price_list (id integer PRIMARY KEY, name text, is_active boolean NOT NULL);
INSERT INTO price_list VALUES (7, 'GOLDEN', true), (8, 'old', false);
CREATE TABLE component (price_list_id integer NOT NULL, item integer NOT NULL, code text NOT NULL, price numeric(12,2), note text, PRIMARY KEY (item, code));
INSERT INTO component VALUES
  (7, 1, 'A', 1.00, 'by hand'), (7, 1, 'B', 2.00, NULL), (7, 2, 'A', 3.00, 'goes'), (7, 3, 'A', 4.00, NULL),
  (8, 9, 'Z', 9.00, 'of another list');
