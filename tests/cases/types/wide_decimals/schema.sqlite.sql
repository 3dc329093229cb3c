CREATE TABLE wide (id integer PRIMARY KEY, amount text);
