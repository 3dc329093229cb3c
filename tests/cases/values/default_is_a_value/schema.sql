CREATE TABLE item (code text PRIMARY KEY, name text, size text, kind text);
