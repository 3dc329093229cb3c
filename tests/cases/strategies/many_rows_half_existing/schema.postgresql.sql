CREATE TABLE stock (code text PRIMARY KEY, name text, quantity numeric(14,4), day date, note text);
INSERT INTO stock SELECT 'K' || to_char(i * 2, 'FM0000'), 'name', i, NULL, 'by hand' FROM generate_series(0, 199) AS i;
