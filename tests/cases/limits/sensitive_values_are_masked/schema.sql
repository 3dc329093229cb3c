CREATE TABLE person (id integer PRIMARY KEY, tax text);
