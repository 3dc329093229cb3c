CREATE TABLE texts (id integer PRIMARY KEY, t text);
