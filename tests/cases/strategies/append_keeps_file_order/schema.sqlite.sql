CREATE TABLE log (id integer PRIMARY KEY, code text);
