CREATE TABLE item (code text COLLATE NOCASE PRIMARY KEY, name text, quantity numeric(14,4));
