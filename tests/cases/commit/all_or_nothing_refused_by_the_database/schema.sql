CREATE TABLE item (code text PRIMARY KEY, name text, quantity numeric(14,4) CHECK (quantity < 100));
INSERT INTO item VALUES ('A', 'old', 1);
