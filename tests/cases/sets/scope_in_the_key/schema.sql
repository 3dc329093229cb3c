CREATE TABLE component (list text NOT NULL, item integer NOT NULL, code text NOT NULL, price numeric(12,2), PRIMARY KEY (list, item, code));
INSERT INTO component VALUES ('north', 1, 'A', 1.00), ('north', 5, 'B', 2.00), ('north', 6, 'B', 2.00), ('south', 1, 'A', 1.00), ('south', 4, 'C', 1.00);
