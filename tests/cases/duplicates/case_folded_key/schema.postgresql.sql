CREATE TABLE item (code citext PRIMARY KEY, name text, quantity numeric(14,4));
