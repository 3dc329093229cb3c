CREATE TABLE wide (id integer PRIMARY KEY, amount numeric(38,10));
