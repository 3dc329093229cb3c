CREATE TABLE stock (code text PRIMARY KEY, name text, quantity numeric(14,4), day date, note text);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
INSERT INTO stock SELECT printf('K%04d', i * 2), 'name', i, NULL, 'by hand' FROM n;
