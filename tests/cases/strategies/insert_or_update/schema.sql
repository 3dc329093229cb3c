CREATE TABLE stock (code text PRIMARY KEY, name text, quantity numeric(14,4), day date, note text);
INSERT INTO stock VALUES ('A', 'Beam', 1.5, '2024-01-01', 'by hand');
INSERT INTO stock VALUES ('B', 'Panel', 2, '2024-01-01', 'by hand');
INSERT INTO stock VALUES ('C', 'Pipe', 3, NULL, 'by hand');
INSERT INTO stock VALUES ('Z', 'Other', 9, NULL, 'by hand');
