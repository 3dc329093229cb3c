CREATE TABLE item (code text PRIMARY KEY, name text, quantity numeric(14,4));
