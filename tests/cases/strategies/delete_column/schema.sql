CREATE TABLE component (item integer NOT NULL, code text NOT NULL, price numeric(12,2), note text, PRIMARY KEY (item, code));
INSERT INTO component VALUES (1, 'A', 1.00, 'by hand'), (1, 'B', 2.00, NULL), (2, 'A', 3.00, 'goes'), (3, 'A', 4.00, NULL);
